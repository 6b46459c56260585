/** The request that the command line makes. */
export type Wish =
  | { readonly kind: 'run'; readonly milliseconds: number; readonly seed: number }
  | { readonly kind: 'planted'; readonly milliseconds: number; readonly seed: number; readonly part: string }
  | { readonly kind: 'compare'; readonly programs: number; readonly seed: number }
  | { readonly kind: 'write' }
  | { readonly kind: 'replay'; readonly file: string }
  | { readonly kind: 'mistake'; readonly sentence: string };

export const usage = `npm run rough -- [options]

Runs random programs through the driver against the embedded server: wrong arguments, aborts, closes and server faults.

  --seconds N    how long to run (default 60)
  --seed S       the seed of the first program (default 1); the same seed draws the same programs
  --short        15 seconds, seed 1
  --replay FILE  runs one recorded program again
  --planted [TEXT]
                 plants each fault of scripts/faults/lists/rough.mjs whose title contains TEXT, and searches for a program
                 that finds it, --seconds for each (default 120)
  --compare      runs the programs through this driver and npm mongodb, and lists differences without a reason
  --programs N   how many programs to compare (default 300)
  --write        writes the table of differences into docs/rough.md
`;

const shortTime = 15;

interface Given {
  seconds?: number;
  seed?: number;
  programs?: number;
}

const numbers: Readonly<Record<string, { readonly name: keyof Given; readonly shape: RegExp }>> = {
  '--seconds': { name: 'seconds', shape: /^\d{1,6}$/ },
  '--seed': { name: 'seed', shape: /^\d{1,9}$/ },
  '--programs': { name: 'programs', shape: /^\d{1,6}$/ },
};

export const readArguments = (words: readonly string[]): Wish => {
  const given: Given = {};
  let part = '';
  let kind: 'run' | 'planted' | 'compare' = 'run';
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    const value = words[i + 1] ?? '';
    const number = numbers[word];
    if (number?.shape.test(value) === true) {
      given[number.name] = Number(value);
      i += 1;
    } else if (word === '--short') given.seconds = shortTime;
    else if (word === '--planted') {
      kind = 'planted';
      if (value !== '' && !value.startsWith('--')) {
        part = value;
        i += 1;
      }
    } else if (word === '--compare') kind = 'compare';
    else if (word === '--write') return { kind: 'write' };
    else if (word === '--replay' && value !== '') return { kind: 'replay', file: value };
    else return { kind: 'mistake', sentence: `${word} is no argument, or lacks its value.` };
  }
  const { seconds = kind === 'planted' ? 120 : 60, seed = 1, programs = 300 } = given;
  if (kind === 'compare') return { kind, programs, seed };
  const run = { milliseconds: seconds * 1000, seed };
  return kind === 'planted' ? { kind, ...run, part } : { kind, ...run };
};
