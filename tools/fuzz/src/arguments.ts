/** What the command line asks for. */
export type Wish =
  | { readonly kind: 'run'; readonly milliseconds: number; readonly seed: number; readonly hostile: boolean }
  | { readonly kind: 'replay'; readonly file: string }
  | { readonly kind: 'record' }
  | { readonly kind: 'mistake'; readonly sentence: string };

export const usage = `npm run fuzz -- server [--minutes N] [--seed S] [--mutants-only] [--short] [--replay FILE] [--record]

Sends mutated traffic to the embedded server, in a process of its own with little memory, and clients that want too much of it. It
fails when that process ends, when another client's ping waits for a second of its work, when a reply cannot be read, when the
server says that it failed inside, and when memory is held that nobody can ask for any more.

  --minutes N     of mutated traffic (default 1); what it finds ends it, after the smallest case that leads there was looked for
  --seed S        what is drawn from (default 1): the same seed gives the same cases
  --mutants-only  without the clients that want too much
  --short         mutated traffic alone, for ten seconds
  --replay FILE   plays what was found once
  --record        records anew what is mutated: what drivers send while they do their work
`;

const shortTime = 10_000;

export const readArguments = (words: readonly string[]): Wish => {
  let milliseconds = 60_000;
  let seed = 1;
  let hostile = true;
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    const value = words[i + 1] ?? '';
    if (word === 'server') continue;
    else if (word === '--record') return { kind: 'record' };
    else if (word === '--mutants-only') hostile = false;
    else if (word === '--short') {
      milliseconds = shortTime;
      hostile = false;
    } else if (word === '--replay' && value !== '') return { kind: 'replay', file: value };
    else if (word === '--minutes' && /^\d{1,4}(?:\.\d+)?$/.test(value)) {
      milliseconds = Number(value) * 60_000;
      i += 1;
    } else if (word === '--seed' && /^\d{1,9}$/.test(value)) {
      seed = Number(value);
      i += 1;
    } else return { kind: 'mistake', sentence: `${word} is no argument, or lacks its value.` };
  }
  return { kind: 'run', milliseconds, seed, hostile };
};
