import type { EngineName } from '@tessera-tools/engines';
import { engineNames } from '@tessera-tools/engines';

/** What the command line asks for. */
export type Wish =
  | {
      readonly kind: 'run';
      readonly engines: readonly EngineName[];
      readonly operations: number;
      readonly seed: number;
      readonly batch: number;
      readonly undecided: number;
      readonly verbose: boolean;
    }
  | { readonly kind: 'mistake'; readonly sentence: string };

const numbers = {
  '--operations': 'operations',
  '--seed': 'seed',
  '--batch': 'batch',
  '--undecided': 'undecided',
} as const;

const isNumberOption = (word: string): word is keyof typeof numbers => Object.hasOwn(numbers, word);

const isEngine = (word: string): word is EngineName => (engineNames as readonly string[]).includes(word);

export const usage: string = `npm run differential -- [ENGINE…] [--operations N] [--seed S] [--batch B] [--undecided U] [--operators] [--short]

The same random operations on the embedded server and on outside engines (${engineNames.join(', ')}; all unless named).

  --operations N   how many operations on each engine (default 20000)
  --seed S         what they are drawn from (default 1)
  --batch B        the number of the first batch of them (default 0)
  --undecided U    end after so many differences that no rule explains (default 10)
  --operators      tell of each operator how often it was used, and how often to an effect
  --short          secantusdb only, 1000 operations of a fixed seed
`;

export const readArguments = (words: readonly string[]): Wish => {
  const wish = { operations: 20_000, seed: 1, batch: 0, undecided: 10, verbose: false };
  let engines: EngineName[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word === '--operators') wish.verbose = true;
    else if (word === '--short') {
      wish.operations = 1000;
      engines = ['secantusdb'];
    } else if (isEngine(word)) engines.push(word);
    else if (isNumberOption(word)) {
      const value = words[++i] ?? '';
      if (!/^\d{1,9}$/.test(value)) return { kind: 'mistake', sentence: `${word} needs a whole number: ${word} 7` };
      wish[numbers[word]] = Number(value);
    } else return { kind: 'mistake', sentence: `There is neither an argument nor an engine ${word}.` };
  }
  return { kind: 'run', engines: engines.length > 0 ? engines : engineNames, ...wish };
};
