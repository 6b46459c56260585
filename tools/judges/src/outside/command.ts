import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { root } from '@tessera-tools/house';

/** How long a command has to end after a signal before it is killed, in milliseconds. */
const patience = 10_000;

/**
 * Runs a command with the terminal of this process. When `signal` aborts with the name of a signal, the command
 * receives that signal.
 * @returns the exit code, or 128 plus the number of the signal that ended the command
 * @throws Error of the system if the command does not exist
 */
export function runCommand(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<number> {
  const [file = '', ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: root, env: { ...process.env, ...env }, stdio: 'inherit' });
    let killing: NodeJS.Timeout | undefined;
    const end = (): void => {
      const name = signal.reason as NodeJS.Signals;
      // The terminal sends Ctrl-C to every process of its group, so do not send SIGINT again.
      if (name !== 'SIGINT' || !process.stdin.isTTY) child.kill(name);
      killing = setTimeout(() => child.kill('SIGKILL'), patience);
    };
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    const settle = (): void => {
      clearTimeout(killing);
      signal.removeEventListener('abort', end);
    };
    child.once('error', error => {
      settle();
      reject(error);
    });
    child.once('exit', (code, name) => {
      settle();
      resolve(code ?? 128 + (name === null ? 0 : constants.signals[name]));
    });
  });
}
