import { fork } from 'node:child_process';
import type { ChildProcess, ForkOptions } from 'node:child_process';
import { once } from 'node:events';

/** A module of Node.js in a process of its own, which has said that it is ready. */
export interface Forked {
  readonly child: ChildProcess;
  /** Its first message. */
  readonly hello: unknown;
  /** How it ended, as far as it has: its exit code or signal, and the end of what it printed on a piped stderr. */
  readonly ended: () => string | undefined;
  /** Kills it: a process that hangs hears nothing else. */
  readonly stop: () => Promise<void>;
}

/** @throws Error if the process ends before it sends a message */
export const forked = async (
  file: string,
  args: readonly string[],
  stderr: 'pipe' | 'inherit',
  options: ForkOptions,
): Promise<Forked> => {
  const child = fork(file, args, { stdio: ['ignore', 'ignore', stderr, 'ipc'], ...options });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    said = `${said}${chunk}`.slice(-4_000);
  });
  let ended: string | undefined;
  const exited = once(child, 'exit').then(([code, signal]) => {
    ended = `The process ended with ${String(signal ?? `exit code ${String(code)}`)}: ${said.trim()}`;
  });
  const [hello] = (await Promise.race([
    once(child, 'message'),
    exited.then(() => {
      throw new Error(`The process was never ready. ${ended ?? ''}`);
    }),
  ])) as [unknown];
  return {
    child,
    hello,
    ended: () => ended,
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
};
