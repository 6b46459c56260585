import { flag, readArguments, text, wholeNumber } from '@tessera-tools/house';

export const usage = `npm run simulate -- [options]        random histories of the driver, each checked against what must always hold
  --histories N    so many, 500 unless it is said
  --from SEED      the first of them, 1 unless it is said; the others follow
  --seed SEED      this one alone, with its time line
  --packets        with --seed: every timer and packet, too
  --mutants        parts that are broken on purpose: each must be found
  --mutant NAME    this one alone: the shortest history in which it is found
  --short          what npm test runs: 400 histories and the mutants
`;

/** Seeds that follow each other. */
export interface Seeds {
  readonly from: number;
  readonly histories: number;
}

export type Wish =
  | { readonly kind: 'seed'; readonly seed: number; readonly packets: boolean }
  | ({ readonly kind: 'mutant'; readonly name: string } & Seeds)
  | ({ readonly kind: 'histories' | 'mutants' | 'short' } & Seeds);

const options = {
  ...{ histories: wholeNumber(), from: wholeNumber(), seed: wholeNumber() },
  ...{ packets: flag, mutants: flag, mutant: text, short: flag },
};

/** @throws Mistake */
export const readWish = (given: readonly string[]): Wish => {
  const { seed, packets, mutant, mutants, short, ...found } = readArguments({ options }, given).options;
  if (seed !== undefined) return { kind: 'seed', seed, packets };
  const { from = 1, histories = short ? 400 : 500 } = found;
  if (mutant !== undefined) return { kind: 'mutant', name: mutant, from, histories };
  return { kind: short ? 'short' : mutants ? 'mutants' : 'histories', from, histories };
};
