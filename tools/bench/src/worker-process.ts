import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A program beside this file in a process of its own; it goes when this one goes. */
export const start = (program: string, args: readonly string[], flags: readonly string[] = []): ChildProcess =>
  fork(fileURLToPath(new URL(program, import.meta.url)), args, {
    execArgv: [...flags],
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });

/** The next message of the process. @throws Error if it ends before. */
export const nextMessage = <T>(child: ChildProcess, what: string): Promise<T> =>
  new Promise((resolve, reject) => {
    const heard = (message: unknown): void => {
      child.off('exit', ended);
      resolve(message as T);
    };
    const ended = (code: number | null): void => {
      child.off('message', heard);
      reject(new Error(`${what}: the process ended with exit code ${String(code)} before it had answered.`));
    };
    if (!child.connected) {
      ended(child.exitCode);
      return;
    }
    child.once('message', heard);
    child.once('exit', ended);
  });

export const stop = (child: ChildProcess): void => {
  if (child.connected) child.disconnect();
};
