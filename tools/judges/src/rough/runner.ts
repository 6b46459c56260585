import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { forked } from '../forked.js';
import type { ToChild } from './child.js';
import type { Fault, Program, Step } from './program.js';
import type { Servers } from './servers.js';
import type { Place, Question, Verdict, Violation } from './verdict.js';

/** The time without a heartbeat after which the child process counts as blocked, in milliseconds. */
const heartbeatLimit = 5000;
const programDeadline = 60_000;

type Message =
  | { readonly kind: 'ready' | 'beat' }
  | { readonly kind: 'ask'; readonly question: Question }
  | { readonly kind: 'done'; readonly verdict: Verdict };

export interface RunnerOptions {
  /** The module of the driver. */
  readonly driver: string;
  /** Arguments of Node.js for the child process. */
  readonly execArgv?: readonly string[];
  /** The time limit of a call, in milliseconds. Defaults to 5000. */
  readonly deadline?: number;
}

export interface Runner {
  run(program: Program): Promise<Verdict>;
  close(): void;
}

const childFile = fileURLToPath(new URL('child.js', import.meta.url));

const isWithoutAnswer = (step: Step): boolean => {
  if (step.kind !== 'call') return step.kind !== 'sleep';
  const { on, method, wait } = step;
  return (
    wait === 'close' ||
    (on === 'client' && method === 'close') ||
    ['openUploadStream', 'openDownloadStreamByName', 'stream', 'watch'].includes(method) ||
    step.arguments.some(argument => typeof argument === 'object' && 'timeoutMS' in argument)
  );
};

/**
 * Returns whether a command of the program may get no reply. The driver discards its session, and the server keeps the
 * session for a while. Specification: Driver Sessions, "Server Session Pool".
 */
const mayLackReplies = ({ fault, garbage, options, steps }: Program): boolean =>
  fault !== undefined || garbage !== undefined || 'timeoutMS' in options || steps.some(isWithoutAnswer);

/**
 * Returns whether the fault prevents the client from selecting the server: handshakes fail, or a lost connection marks
 * the server Unknown.
 */
const hidesServer = ({ commands, data }: Fault): boolean =>
  commands.includes('hello') || data['closeConnection'] === true;

/**
 * Returns whether endSessions reaches the server after all commands of the client. A relay may delay a command, and a
 * client sends nothing to an Unknown server.
 */
const canEndSessions = ({ transport, garbage, fault, steps }: Program): boolean =>
  transport !== 'socks5' &&
  garbage === undefined &&
  !(fault !== undefined && hidesServer(fault)) &&
  !steps.some(step => step.kind === 'fault' && hidesServer(step.fault));

/** Runs programs in a child process, and replaces the process when a program blocks or ends it. */
export const createRunner = (servers: Servers, options: RunnerOptions): Runner => {
  const { driver, execArgv = [], deadline = 5000 } = options;
  let child: ChildProcess | undefined;
  const stop = (): void => {
    child?.kill('SIGKILL');
    child = undefined;
  };
  const start = async (): Promise<ChildProcess> =>
    (await forked(childFile, [driver], 'inherit', { execArgv: ['--no-warnings', ...execArgv] })).child;
  const answer = async (program: Program, question: Question): Promise<string[]> => {
    const server = servers.of(program);
    if (question === 'cursors') return server.leftOver({ cursors: 0 });
    await server.fault(question.fault);
    return [];
  };
  const play = (process: ChildProcess, program: Program, place: Place): Promise<Verdict> =>
    new Promise(resolve => {
      let timer: NodeJS.Timeout;
      const sendToChild = (message: ToChild): boolean => process.connected && process.send(message);
      const end = (violation: Violation): void => {
        stop();
        finish({ violations: [violation], outcomes: [] });
      };
      const blocked = (): void => end({ kind: 'blocked', what: 'the event loop was blocked for 5 seconds' });
      const limit = setTimeout(() => end({ kind: 'hang', what: 'the program did not finish' }), programDeadline);
      const receive = (message: Message): void => {
        clearTimeout(timer);
        if (message.kind === 'done') return finish(message.verdict);
        timer = setTimeout(blocked, heartbeatLimit);
        if (message.kind === 'ask')
          void answer(program, message.question).then(sentences => sendToChild({ kind: 'answer', answer: sentences }));
      };
      const exited = (code: number | null): void => {
        child = undefined;
        finish({ violations: [{ kind: 'exit', what: `exit code ${String(code)}` }], outcomes: [] });
      };
      const finish = (verdict: Verdict): void => {
        clearTimeout(timer);
        clearTimeout(limit);
        process.off('message', receive).off('exit', exited);
        resolve(verdict);
      };
      timer = setTimeout(blocked, heartbeatLimit);
      process.on('message', receive).once('exit', exited);
      sendToChild({ kind: 'run', program, place, deadline });
    });
  return {
    run: async program => {
      child ??= await start();
      const place = await servers.prepare(program);
      const verdict = await play(child, program, place);
      const isCut = verdict.outcomes.length === 0 || verdict.violations.some(({ kind }) => kind === 'hang');
      // Use a new child process, so that leftovers of this program do not affect the next verdict. After a long turn,
      // keep the process: nothing is left over, and the second run must not compile the code again.
      if (verdict.violations.some(({ kind }) => kind !== 'blocked')) stop();
      const server = servers.of(program);
      await server.fault(undefined);
      const mayLeave = mayLackReplies(program);
      const isLost = mayLeave && !canEndSessions(program);
      const cursors = isLost ? Infinity : 0;
      const sessions = isLost ? Infinity : (verdict.dirtySessions ?? (mayLeave ? Infinity : 0));
      const left = isCut ? [] : await server.leftOver({ cursors, transactions: 0, sessions });
      return {
        ...verdict,
        violations: [...verdict.violations, ...left.map(what => ({ kind: 'server' as const, what }))],
      };
    },
    close: stop,
  };
};
