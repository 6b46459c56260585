import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Starts a program of this folder in a child process, which exits with this process. */
export const start = (program: string, args: readonly string[], flags: readonly string[] = []): ChildProcess =>
  fork(fileURLToPath(new URL(program, import.meta.url)), args, {
    execArgv: [...flags],
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });

/** Resolves with the next message of the process. @throws Error if it exits before */
export const nextMessage = <T>(child: ChildProcess, what: string): Promise<T> =>
  new Promise((resolve, reject) => {
    const received = (message: unknown): void => {
      child.off('exit', ended);
      resolve(message as T);
    };
    const ended = (code: number | null): void => {
      child.off('message', received);
      reject(new Error(`${what}: The process exited with code ${String(code)} before it replied.`));
    };
    if (!child.connected) {
      ended(child.exitCode);
      return;
    }
    child.once('message', received);
    child.once('exit', ended);
  });

export const stop = (child: ChildProcess): void => {
  if (child.connected) child.disconnect();
};
