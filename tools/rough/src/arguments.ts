/** The request that the command line makes. */
export type Wish =
  | { readonly kind: 'run'; readonly milliseconds: number; readonly seed: number }
  | { readonly kind: 'replay'; readonly file: string }
  | { readonly kind: 'mistake'; readonly sentence: string };

export const usage = `npm run rough -- [--seconds N] [--seed S] [--short] [--replay FILE]

Runs random programs through the driver against the embedded server: wrong arguments, aborts, closes and server faults.

  --seconds N    how long to run (default 60)
  --seed S       the seed of the first program (default 1); the same seed draws the same programs
  --short        15 seconds, seed 1
  --replay FILE  runs one recorded program again
`;

const shortTime = 15_000;

export const readArguments = (words: readonly string[]): Wish => {
  let milliseconds = 60_000;
  let seed = 1;
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    const value = words[i + 1] ?? '';
    if (word === '--short') milliseconds = shortTime;
    else if (word === '--replay' && value !== '') return { kind: 'replay', file: value };
    else if (word === '--seconds' && /^\d{1,6}$/.test(value)) {
      milliseconds = Number(value) * 1000;
      i += 1;
    } else if (word === '--seed' && /^\d{1,9}$/.test(value)) {
      seed = Number(value);
      i += 1;
    } else return { kind: 'mistake', sentence: `${word} is no argument, or lacks its value.` };
  }
  return { kind: 'run', milliseconds, seed };
};
