import { flag, Mistake, number, readArguments, text, wholeNumber } from '@tessera-tools/house';

/** The parsed command line. */
export type CommandLine =
  | {
      readonly kind: 'run';
      readonly milliseconds: number;
      readonly seed: number;
      readonly hostile: boolean;
      readonly isShort: boolean;
    }
  | {
      readonly kind: 'doors';
      readonly milliseconds: number;
      readonly seed: number;
      readonly number: number | undefined;
    }
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
  --short         sends mutated traffic for six seconds, and then that of --auth for four seconds
  --replay FILE   sends the frames of a recorded failure
  --record        records the traffic of drivers, which is then mutated

npm run fuzz -- server --auth [--minutes N] [--seed S] [--case N]
Sends hostile frames before login, and random commands of users with few rights, to a server with authentication. The run fails if a
user reads or changes what the user's roles do not allow, ends an operation of another user, is logged in without a password, waits
for an answer without end, or delays another client's ping by 100 ms of CPU time.
  --case N  sends only the case with this number

npm run fuzz -- fairness [--short]
Runs costly commands over 200,000 documents, or 50,000 with --short, and fails if the server computes for more than 100 ms without a
pause, in which other clients wait, or for more than 100 ms after a command's maxTimeMS or killOp.
`;

const shortTime = 6_000;

/** The time of `--auth` in a short run, in milliseconds. */
export const shortAuthTime = 4_000;

const options = {
  minutes: number(),
  seed: wholeNumber(),
  'mutants-only': flag,
  auth: flag,
  case: wholeNumber(),
  short: flag,
  replay: text,
  record: flag,
};

/**
 * Parses the command line.
 * @throws Mistake if an argument is not valid, or needs or excludes another
 */
export const readCommandLine = (given: readonly string[]): CommandLine => {
  const words = { noun: 'target', known: ['server', 'fairness'] } as const;
  const read = readArguments({ options, words }, given);
  const { minutes = 1, seed = 1, short, record, replay, auth, ...more } = read.options;
  if (more.case !== undefined && !auth) throw new Mistake('--case needs --auth.');
  if (auth && more['mutants-only']) throw new Mistake('--auth and --mutants-only exclude each other.');
  if (read.words.includes('fairness')) return { kind: 'fairness', size: short ? 50_000 : 200_000 };
  if (record) return { kind: 'record' };
  if (replay !== undefined) return { kind: 'replay', file: replay };
  if (auth) return { kind: 'doors', milliseconds: short ? shortAuthTime : minutes * 60_000, seed, number: more.case };
  const milliseconds = short ? shortTime : minutes * 60_000;
  return { kind: 'run', milliseconds, seed, hostile: !short && !more['mutants-only'], isShort: short };
};
