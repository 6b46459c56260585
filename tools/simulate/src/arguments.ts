import { flag, readArguments, text, wholeNumber } from '@tessera-tools/house';

export const usage = `npm run simulate -- [options]        runs random histories of the driver, and checks every invariant
  --histories N    runs this number of histories (default: 500)
  --from SEED      sets the first seed (default: 1); the others follow it
  --seed SEED      runs one history and prints its time line
  --packets        with --seed: prints every timer and packet as well
  --mutants        checks that the invariants find each mutant, a part that is broken on purpose
  --write          with --mutants: writes the seeds that find them to seeds.json
  --mutant NAME    prints the shortest history that finds this mutant
  --short          runs the part of npm test: 200 histories, and all mutants by the seeds in seeds.json
`;

/** Consecutive seeds. */
export interface Seeds {
  readonly from: number;
  readonly histories: number;
}

export type CommandLine =
  | { readonly kind: 'seed'; readonly seed: number; readonly packets: boolean }
  | ({ readonly kind: 'mutant'; readonly name: string } & Seeds)
  | ({ readonly kind: 'mutants'; readonly write: boolean } & Seeds)
  | ({ readonly kind: 'histories' | 'short' } & Seeds);

const options = {
  ...{ histories: wholeNumber(), from: wholeNumber(), seed: wholeNumber() },
  ...{ packets: flag, mutants: flag, write: flag, mutant: text, short: flag },
};

/**
 * Parses the command line.
 * @throws Mistake if an option is unknown or its value is not valid
 */
export const readCommandLine = (given: readonly string[]): CommandLine => {
  const { seed, packets, mutant, mutants, write, short, ...found } = readArguments({ options }, given).options;
  if (seed !== undefined) return { kind: 'seed', seed, packets };
  const { from = 1, histories = short ? 200 : 500 } = found;
  if (mutant !== undefined) return { kind: 'mutant', name: mutant, from, histories };
  if (mutants && !short) return { kind: 'mutants', write, from, histories };
  return { kind: short ? 'short' : 'histories', from, histories };
};
