import { constants } from 'node:os';
import { messageOf, run } from '@tessera-tools/house';
import { Unavailable } from './outside/unavailable.js';

/** EX_UNAVAILABLE of sysexits.h: the program or service is not available, so nothing was run. */
const unavailable = 69;

/**
 * Runs a tool whose engines and programs must end with it. SIGINT, SIGTERM and SIGHUP abort the signal with their name,
 * and the exit code is 128 plus the number of the signal. If a program is not available, the exit code is 69.
 */
export const runInterruptible = <T>(
  name: string,
  usage: string,
  read: (given: readonly string[]) => T,
  main: (commandLine: T, signal: AbortSignal) => Promise<number>,
): Promise<void> =>
  run(usage, read, async commandLine => {
    const interrupted = new AbortController();
    const { signal } = interrupted;
    for (const each of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(each, () => interrupted.abort(each));
    const code = await main(commandLine, signal).catch((error: unknown) => {
      const isUnavailable = error instanceof Unavailable;
      if (isUnavailable || !signal.aborted)
        process.stderr.write(`${name}: ${isUnavailable ? 'skipped: ' : ''}${messageOf(error)}\n`);
      return isUnavailable ? unavailable : 1;
    });
    return signal.aborted ? 128 + constants.signals[signal.reason as NodeJS.Signals] : code;
  });
