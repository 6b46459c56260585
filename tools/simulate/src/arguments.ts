export const usage = `npm run simulate -- [options]        random histories of the driver, each checked against what must always hold
  --histories N    so many, 500 unless it is said
  --from SEED      the first of them, 1 unless it is said; the others follow
  --seed SEED      this one alone, with its time line
  --packets        with --seed: every timer and packet, too
  --mutants        parts that are broken on purpose: each must be found
  --mutant NAME    this one alone: the shortest history in which it is found
  --short          what npm test runs: 400 histories and the mutants
`;

export interface Wish {
  readonly kind: 'histories' | 'seed' | 'mutant' | 'mutants' | 'short';
  readonly histories: number;
  readonly from: number;
  readonly packets: boolean;
  /** The mutant's name. */
  readonly name: string;
}

/** What is asked for, or what is wrong with it. */
export const readArguments = (
  given: readonly string[],
): Wish | { readonly kind: 'mistake'; readonly sentence: string } => {
  let wish: Wish = { kind: 'histories', histories: 500, from: 1, packets: false, name: '' };
  const rest = [...given];
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === '--packets') wish = { ...wish, packets: true };
    else if (name === '--mutants') wish = { ...wish, kind: 'mutants' };
    else if (name === '--short') wish = { ...wish, kind: 'short', histories: 400 };
    else if (name === '--mutant') wish = { ...wish, kind: 'mutant', name: rest.shift() ?? '' };
    else if (name === '--histories' || name === '--from' || name === '--seed') {
      const text = rest.shift() ?? '';
      const number = Number(text);
      if (!/^\d+$/.test(text) || !Number.isSafeInteger(number))
        return { kind: 'mistake', sentence: `${name} takes a whole number, not "${text}".` };
      if (name === '--histories') wish = { ...wish, histories: number };
      else if (name === '--from') wish = { ...wish, from: number };
      else wish = { ...wish, kind: 'seed', from: number };
    } else return { kind: 'mistake', sentence: `There is no option ${name}.` };
  }
  return wish;
};
