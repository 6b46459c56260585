import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { root } from '@tessera-tools/house';

/** Milliseconds between asking a command to end and killing it. */
const patience = 10_000;

/**
 * Runs a command with the terminal handed on; when the signal aborts with the name of a signal, it is told to end.
 * @returns its exit code, 128 and the signal's number if a signal ended it
 * @throws the system's error if there is no such command
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
      // Ctrl-C reaches everything at the terminal, so it is not sent a second time.
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
