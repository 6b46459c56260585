import { flag, readArguments, wholeNumber } from '@tessera-tools/house';

/** The parsed command line. */
export interface CommandLine {
  readonly programs: number;
  readonly seed: number;
  readonly first: number;
  readonly undecided: number;
}

export const usage: string = `npm run differential -- driver [--programs N] [--seed S] [--first P] [--undecided U] [--short]
Runs the same random programs through this driver and npm \`mongodb\` on the embedded server, and compares results, errors, events and
commands. Rules explain known differences.
  --programs N     the number of programs (default: 20000, about ten minutes)
  --seed S         the seed of the programs (default: 1)
  --first P        the number of the first program (default: 0)
  --undecided U    stops after this number of kinds of differences that no rule explains (default: 10)
  --short          runs 300 programs
`;

const options = {
  programs: wholeNumber(),
  seed: wholeNumber(),
  first: wholeNumber(),
  undecided: wholeNumber(1),
  short: flag,
};

/**
 * Parses the command line.
 * @throws Mistake if an argument is not valid
 */
export const readCommandLine = (given: readonly string[]): CommandLine => {
  const { options: found } = readArguments({ options, words: { noun: 'comparison', known: ['driver'] } }, given);
  const { short, seed = 1, first = 0, undecided = 10 } = found;
  const { programs = short ? 300 : 20_000 } = found;
  return { programs, seed, first, undecided };
};
