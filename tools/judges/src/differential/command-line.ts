import { flag, readArguments, wholeNumber } from '@tessera-tools/house';
import { reference } from './reference.js';

/** The parsed command line. */
export interface CommandLine {
  readonly operations: number;
  readonly seed: number;
  /** The number of the first batch. */
  readonly batch: number;
  /** Stops after this number of differences that no rule explains. */
  readonly undecided: number;
  readonly operators: boolean;
}

export const usage: string = `npm run differential -- [--operations N] [--seed S] [--batch B] [--undecided U] [--operators] [--short]
Runs the same random operations on the embedded server and on ${reference.name}, a server of another project. Rules explain known
differences.
  --operations N   the number of operations on each engine (default: 20000, about two minutes)
  --seed S         the seed of the operations (default: 1)
  --batch B        the number of the first batch (default: 0)
  --undecided U    stops after this number of differences that no rule explains (default: 10)
  --operators      prints for each operator how often it was used, and how often with an effect
  --short          runs 1000 operations of a fixed seed
`;

const options = {
  operations: wholeNumber(),
  seed: wholeNumber(),
  batch: wholeNumber(),
  undecided: wholeNumber(1),
  operators: flag,
  short: flag,
};

/**
 * Parses the command line.
 * @throws Mistake if an argument is not valid
 */
export const readCommandLine = (given: readonly string[]): CommandLine => {
  const { options: found } = readArguments({ options }, given);
  const { short, seed = 1, batch = 0, undecided = 10, operators } = found;
  const { operations = short ? 1000 : 20_000 } = found;
  return { operations, seed, batch, undecided, operators };
};
