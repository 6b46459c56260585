import { flag, readArguments, text, textOr, wholeNumber } from '@tessera-tools/house';

/** The parsed command line. */
export type CommandLine =
  | { readonly kind: 'run'; readonly milliseconds: number; readonly seed: number }
  | { readonly kind: 'planted'; readonly milliseconds: number; readonly seed: number; readonly part: string }
  | { readonly kind: 'compare'; readonly programs: number; readonly seed: number }
  | { readonly kind: 'write' }
  | { readonly kind: 'replay'; readonly file: string };

export const usage = `npm run rough -- [options]
Runs random programs through the driver against the embedded server: wrong arguments, aborts, closes and server faults.
  --seconds N    how long to run (default: 60)
  --seed S       the seed of the first program (default: 1); the same seed draws the same programs
  --short        runs for 8 seconds from seed 1
  --replay FILE  runs one recorded program again
  --planted [TEXT]
                 plants each fault of scripts/faults/lists/rough.mjs whose title contains TEXT, and searches for a program
                 that finds it; --seconds is the time for each fault (default: 120)
  --compare      runs the programs through this driver and npm mongodb, and lists differences without a reason
  --programs N   how many programs to compare (default: 300)
  --write        writes the table of differences into docs/rough.md
`;

const shortTime = 8;

const options = {
  seconds: wholeNumber(),
  seed: wholeNumber(),
  programs: wholeNumber(),
  short: flag,
  replay: text,
  planted: textOr(''),
  compare: flag,
  write: flag,
};

/**
 * Parses the command line.
 * @throws Mistake if an argument is not valid
 */
export const readCommandLine = (given: readonly string[]): CommandLine => {
  const { options: found } = readArguments({ options }, given);
  const { seed = 1, programs = 300, short, replay, planted: part, compare, write } = found;
  if (write) return { kind: 'write' };
  if (replay !== undefined) return { kind: 'replay', file: replay };
  if (compare) return { kind: 'compare', programs, seed };
  const { seconds = short ? shortTime : part === undefined ? 60 : 120 } = found;
  const milliseconds = seconds * 1000;
  return part === undefined ? { kind: 'run', milliseconds, seed } : { kind: 'planted', milliseconds, seed, part };
};
