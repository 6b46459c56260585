import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Program } from './program.js';
import type { Servers } from './servers.js';
import type { Verdict, Violation } from './verdict.js';

/** Milliseconds without a sign of life after which the child process is taken for blocked. */
const silence = 5000;
const programDeadline = 60_000;

type Message = { readonly kind: 'ready' | 'beat' } | { readonly kind: 'done'; readonly verdict: Verdict };

export interface RunnerOptions {
  /** The module of the driver. */
  readonly driver: string;
  /** Arguments of Node.js for the child process. */
  readonly execArgv?: readonly string[];
}

export interface Runner {
  run(program: Program): Promise<Verdict>;
  close(): void;
}

const childFile = fileURLToPath(new URL('child.js', import.meta.url));

/**
 * True for programs whose client may close while a command is under way: nothing can then end what the server makes of it.
 * The work of a stream goes on after the call that starts it.
 */
const mayLeave = ({ steps, fault }: Program): boolean =>
  fault !== undefined ||
  steps.some(
    step =>
      step.kind === 'call' &&
      ((step.method === 'close' && step.on === 'client') ||
        ['openUploadStream', 'openDownloadStreamByName', 'stream'].includes(step.method)),
  );

/** Runs programs in a child process, which it replaces when a program blocks or ends it. */
export const createRunner = (servers: Servers, { driver, execArgv = [] }: RunnerOptions): Runner => {
  let child: ChildProcess | undefined;
  const stop = (): void => {
    child?.kill('SIGKILL');
    child = undefined;
  };
  const start = (): Promise<ChildProcess> =>
    new Promise((resolve, reject) => {
      const started = fork(childFile, [driver], {
        execArgv: [...execArgv],
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      started.once('message', () => resolve(started));
      started.once('exit', code => reject(new Error(`The child process ended with exit code ${String(code)}.`)));
    });
  const play = (process: ChildProcess, program: Program): Promise<Verdict> =>
    new Promise(resolve => {
      let timer: NodeJS.Timeout;
      const end = (violation: Violation): void => {
        stop();
        finish({ violations: [violation], outcomes: [] });
      };
      const blocked = (): void => end({ kind: 'blocked', what: 'the event loop did not turn for 5 seconds' });
      const limit = setTimeout(() => end({ kind: 'hang', what: 'the program did not end' }), programDeadline);
      const hear = (message: Message): void => {
        clearTimeout(timer);
        if (message.kind === 'done') finish(message.verdict);
        else timer = setTimeout(blocked, silence);
      };
      const exited = (code: number | null): void => {
        child = undefined;
        finish({ violations: [{ kind: 'exit', what: `exit code ${String(code)}` }], outcomes: [] });
      };
      const finish = (verdict: Verdict): void => {
        clearTimeout(timer);
        clearTimeout(limit);
        process.off('message', hear).off('exit', exited);
        resolve(verdict);
      };
      timer = setTimeout(blocked, silence);
      process.on('message', hear).once('exit', exited);
      process.send({ program, place: servers.placeOf(program.transport) });
    });
  return {
    run: async program => {
      child ??= await start();
      await servers.prepare(program.transport, program.fault);
      const verdict = await play(child, program);
      const isCut = verdict.violations.some(({ kind }) => kind === 'hang' || kind === 'exit' || kind === 'blocked');
      // A new child process keeps what this program left behind out of the next verdict.
      if (verdict.violations.length > 0) stop();
      const left = await servers.leftOver(program.transport);
      const found = isCut || mayLeave(program) ? [] : left.map(what => ({ kind: 'server' as const, what }));
      return { ...verdict, violations: [...verdict.violations, ...found] };
    },
    close: stop,
  };
};
