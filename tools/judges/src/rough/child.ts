/** Runs programs in a child process: `child.js DRIVER`, where DRIVER is a module. The parent process watches it. */
import { setInterval as every } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Driver } from './interpret.js';
import { interpret } from './interpret.js';
import { isOfProgram } from './judge.js';
import type { Program } from './program.js';
import { countTimers } from './timers.js';
import type { Place, Question, Violation } from './verdict.js';

/** A message of the parent process: a program to run, or the answer to a question. */
export type ToChild =
  | { readonly kind: 'run'; readonly program: Program; readonly place: Place; readonly deadline: number }
  | { readonly kind: 'answer'; readonly answer: readonly string[] };

const longest = 50;
const send = (message: unknown): void => void process.send!(message);

const unhandled: unknown[] = [];
process.on('uncaughtException', error => unhandled.push(error));
process.on('unhandledRejection', error => unhandled.push(error));

/** The longest turn of the event loop in CPU time, which other processes of a busy machine do not affect. */
let blocked = 0;
let wall = performance.now();
let processor = process.cpuUsage();
every(() => {
  const spent = process.cpuUsage(processor);
  const turn = Math.min(performance.now() - wall - 10, (spent.user + spent.system) / 1000);
  blocked = Math.max(blocked, turn);
  wall = performance.now();
  processor = process.cpuUsage();
}, 10).unref();
every(() => send({ kind: 'beat' }), 200).unref();

const timers = countTimers();
const driver = (await import(process.argv[2]!)) as Driver;

const sockets = new Set(['TCPSocketWrap', 'TLSWrap', 'TCPConnectWrap', 'GetAddrInfoReqWrap']);
const resources = (): string[] => [
  // oxlint-disable-next-line nodejs/no-unsupported-features/node-builtins -- experimental, and in every Node.js that runs this tool
  ...process.getActiveResourcesInfo().filter(name => sockets.has(name)),
  ...timers().map(after => `a timer of ${after} ms`),
];

/** Waits, because sockets close a little after `close()` resolves. */
const leftOver = async (): Promise<Violation[]> => {
  for (let i = 0; i < 40 && resources().length > 0; i++) await sleep(25);
  const left = resources();
  return left.length === 0 ? [] : [{ kind: 'resource', what: `after close: ${left.join(', ')}` }];
};

const listeners = (): number => process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);

/** Unhandled errors are allowed only if a listener threw, or an `error` event had no listener. */
const judgeUnhandled = ({ steps }: Program, thrown: number): Violation[] => {
  const listens = steps.some(step => step.kind === 'call' && step.method === 'on');
  const errors = unhandled.splice(0);
  const surfaced = errors.filter(isOfProgram).length;
  const wrong = errors.filter(error => !(listens && (isOfProgram(error) || error instanceof driver.MongoError)));
  return [
    ...wrong.map(error => ({
      kind: 'unhandled' as const,
      what: error instanceof Error ? (error.stack ?? error.message) : typeof error,
    })),
    ...(surfaced < thrown
      ? [{ kind: 'swallowed' as const, what: `listeners threw ${thrown} errors, but only ${surfaced} surfaced` }]
      : []),
  ];
};

let answered: ((answer: readonly string[]) => void) | undefined;
const ask = (question: Question): Promise<readonly string[]> =>
  new Promise(resolve => {
    answered = resolve;
    send({ kind: 'ask', question });
  });

const run = async ({ program, place, deadline }: Extract<ToChild, { kind: 'run' }>): Promise<void> => {
  blocked = 0;
  let thrown = 0;
  const before = listeners();
  const running = { place, deadline, ask, thrown: () => (thrown += 1) };
  const verdict = await interpret(driver, program, running);
  const all = [...verdict.violations, ...(await leftOver()), ...judgeUnhandled(program, thrown)];
  if (listeners() > before) all.push({ kind: 'listener', what: 'listeners on the process after close' });
  if (blocked > longest) all.push({ kind: 'blocked', what: `one turn took ${Math.round(blocked)} ms` });
  send({ kind: 'done', verdict: { ...verdict, violations: all } });
};

process.on('message', (message: ToChild) => {
  if (message.kind === 'run') void run(message);
  else answered?.(message.answer);
});
send({ kind: 'ready' });
