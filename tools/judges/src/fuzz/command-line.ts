import { flag, number, readArguments, text, wholeNumber } from '@tessera-tools/house';

/** What the command line asks for. */
export type CommandLine =
  | { readonly kind: 'run'; readonly milliseconds: number; readonly seed: number; readonly hostile: boolean }
  | { readonly kind: 'replay'; readonly file: string }
  | { readonly kind: 'record' };

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

const options = {
  minutes: number(),
  seed: wholeNumber(),
  'mutants-only': flag,
  short: flag,
  replay: text,
  record: flag,
};

/** @throws Mistake */
export const readCommandLine = (given: readonly string[]): CommandLine => {
  const words = { noun: 'target', known: ['server'] };
  const { minutes = 1, seed = 1, short, record, replay, ...more } = readArguments({ options, words }, given).options;
  if (record) return { kind: 'record' };
  if (replay !== undefined) return { kind: 'replay', file: replay };
  const milliseconds = short ? shortTime : minutes * 60_000;
  return { kind: 'run', milliseconds, seed, hostile: !short && !more['mutants-only'] };
};
