import { fork } from 'node:child_process';
import type { ChildProcess, ForkOptions } from 'node:child_process';
import { once } from 'node:events';

/** A Node.js module that runs in its own process and has reported that it is ready. */
export interface Forked {
  readonly child: ChildProcess;
  /** The first message of the process. */
  readonly hello: unknown;
  /**
   * Returns how the process ended, with its exit code or signal and the end of a piped stderr. Undefined while it runs.
   */
  readonly ended: () => string | undefined;
  /** Kills the process with SIGKILL, which also ends a process that hangs. */
  readonly stop: () => Promise<void>;
}

/**
 * Forks a module and waits for its first message.
 * @throws Error if the process ends before it sends a message
 */
export const forked = async (
  file: string,
  args: readonly string[],
  stderr: 'pipe' | 'inherit',
  options: ForkOptions,
): Promise<Forked> => {
  const child = fork(file, args, { stdio: ['ignore', 'ignore', stderr, 'ipc'], ...options });
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    output = `${output}${chunk}`.slice(-4_000);
  });
  let ended: string | undefined;
  const exited = once(child, 'exit').then(([code, signal]) => {
    ended = `The process ended with ${String(signal ?? `exit code ${String(code)}`)}: ${output.trim()}`;
  });
  const [hello] = (await Promise.race([
    once(child, 'message'),
    exited.then(() => {
      throw new Error(`The process ended before it was ready. ${ended ?? ''}`);
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
