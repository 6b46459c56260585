import { flag, number, readArguments, text, wholeNumber } from '@tessera-tools/house';

/** The parsed command line. */
export type CommandLine =
  | { readonly kind: 'run'; readonly milliseconds: number; readonly seed: number; readonly hostile: boolean }
  | { readonly kind: 'fairness'; readonly size: number }
  | { readonly kind: 'replay'; readonly file: string }
  | { readonly kind: 'record' };

export const usage = `npm run fuzz -- server [--minutes N] [--seed S] [--mutants-only] [--short] [--replay FILE] [--record]
Sends mutated traffic and resource attacks to the embedded server, which runs in its own process with little memory. The run fails
if the process exits, if another client's ping waits for one second of CPU time, if a reply is invalid, if the server reports an
internal error, or if it keeps memory that no client can use.
  --minutes N     how long to send mutated traffic (default: 1); a failure ends the run after it was shrunk to a small case
  --seed S        the seed of the cases (default: 1); the same seed gives the same cases
  --mutants-only  leaves out the resource attacks
  --short         sends only mutated traffic, for ten seconds
  --replay FILE   sends the frames of a recorded failure
  --record        records the traffic of drivers, which is then mutated

npm run fuzz -- fairness [--short]
Runs costly commands over 200,000 documents, or 50,000 with --short, and fails if the server computes for more than 100 ms without a
pause, in which other clients wait.
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

/**
 * Parses the command line.
 * @throws Mistake if an argument is not valid
 */
export const readCommandLine = (given: readonly string[]): CommandLine => {
  const words = { noun: 'target', known: ['server', 'fairness'] } as const;
  const read = readArguments({ options, words }, given);
  const { minutes = 1, seed = 1, short, record, replay, ...more } = read.options;
  if (read.words.includes('fairness')) return { kind: 'fairness', size: short ? 50_000 : 200_000 };
  if (record) return { kind: 'record' };
  if (replay !== undefined) return { kind: 'replay', file: replay };
  const milliseconds = short ? shortTime : minutes * 60_000;
  return { kind: 'run', milliseconds, seed, hostile: !short && !more['mutants-only'] };
};
