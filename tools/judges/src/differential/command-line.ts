import { flag, readArguments, wholeNumber } from '@tessera-tools/house';
import { reference } from './reference.js';

/** What is to be run. */
export interface CommandLine {
  readonly operations: number;
  readonly seed: number;
  /** The number of the first batch. */
  readonly batch: number;
  /** Ends after so many differences that no rule explains. */
  readonly undecided: number;
  readonly operators: boolean;
}

export const usage: string = `npm run differential -- [--operations N] [--seed S] [--batch B] [--undecided U] [--operators] [--short]

Runs the same random operations on the embedded server and on an engine of another project, ${reference.name}. Rules judge where
they differ.

  --operations N   how many operations on each engine (default 20000, about two minutes)
  --seed S         what they are drawn from (default 1)
  --batch B        the number of the first batch of them (default 0)
  --undecided U    end after so many differences that no rule explains (default 10)
  --operators      tell of each operator how often it was used, and how often to an effect
  --short          1000 operations of a fixed seed
`;

const options = {
  operations: wholeNumber(),
  seed: wholeNumber(),
  batch: wholeNumber(),
  undecided: wholeNumber(1),
  operators: flag,
  short: flag,
};

/** @throws Mistake */
export const readCommandLine = (given: readonly string[]): CommandLine => {
  const { options: found } = readArguments({ options }, given);
  const { short, seed = 1, batch = 0, undecided = 10, operators } = found;
  const { operations = short ? 1000 : 20_000 } = found;
  return { operations, seed, batch, undecided, operators };
};
