/** The process that runs programs: `child.js DRIVER`, where DRIVER is a module. Its parent watches it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Driver } from './interpret.js';
import { createInterpreter } from './interpret.js';
import type { Program } from './program.js';
import type { Place, Violation } from './verdict.js';

const longest = 50;
const send = (message: unknown): void => void process.send!(message);

const unhandled: unknown[] = [];
process.on('uncaughtException', error => unhandled.push(error));
process.on('unhandledRejection', error => unhandled.push(error));

/** The longest turn of the event loop in processor time: other processes of a busy machine do not count. */
let blocked = 0;
let wall = performance.now();
let processor = process.cpuUsage();
setInterval(() => {
  const spent = process.cpuUsage(processor);
  const turn = Math.min(performance.now() - wall - 10, (spent.user + spent.system) / 1000);
  blocked = Math.max(blocked, turn);
  wall = performance.now();
  processor = process.cpuUsage();
}, 10).unref();
setInterval(() => send({ kind: 'beat' }), 200).unref();

const driver = (await import(process.argv[2]!)) as Driver;
const interpret = createInterpreter(driver);

const busy = new Set(['TCPSocketWrap', 'TLSWrap', 'Timeout', 'TCPConnectWrap', 'GetAddrInfoReqWrap']);
// eslint-disable-next-line n/no-unsupported-features/node-builtins -- experimental, and in every Node.js that runs this tool
const resources = (): string[] => process.getActiveResourcesInfo().filter(name => busy.has(name));

const throwsInListener = ({ steps }: Program): boolean =>
  steps.some(step => step.kind === 'call' && step.method === 'on');

const judgeUnhandled = (program: Program): Violation[] => {
  const expected = throwsInListener(program);
  return unhandled
    .splice(0)
    .filter(
      error =>
        !(
          expected &&
          error instanceof Error &&
          (error.message.startsWith('rough') || error instanceof driver.MongoError)
        ),
    )
    .map(error => ({
      kind: 'unhandled',
      what: error instanceof Error ? (error.stack ?? error.message) : typeof error,
    }));
};

/** Sockets take a moment to close after `close()` resolves. */
const leftOver = async (): Promise<Violation[]> => {
  for (let i = 0; i < 20 && resources().length > 0; i++) await sleep(25);
  const left = resources();
  return left.length === 0 ? [] : [{ kind: 'resource', what: `after close: ${left.join(', ')}` }];
};

process.on('message', (message: { readonly program: Program; readonly place: Place }) => {
  const run = async (): Promise<void> => {
    blocked = 0;
    const { violations, outcomes } = await interpret(message.program, message.place);
    const all = [...violations, ...(await leftOver()), ...judgeUnhandled(message.program)];
    if (blocked > longest) all.push({ kind: 'blocked', what: `one turn took ${Math.round(blocked)} ms` });
    send({ kind: 'done', verdict: { violations: all, outcomes } });
  };
  void run();
});
send({ kind: 'ready' });
