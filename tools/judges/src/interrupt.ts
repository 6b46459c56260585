import { constants } from 'node:os';
import { messageOf, run } from '@tessera-tools/house';
import { Unavailable } from './outside/unavailable.js';

/** The exit code of sysexits.h for a service that is not there: nothing was run, so nothing can have succeeded. */
const unavailable = 69;

/**
 * Runs a tool whose engines and programs must end with it: SIGINT, SIGTERM and SIGHUP abort the signal with their name, and the
 * exit code is the one of a shell. If something cannot be had on this machine, the exit code is 69.
 */
export const runInterruptible = <T>(
  name: string,
  usage: string,
  read: (given: readonly string[]) => T,
  main: (wish: T, signal: AbortSignal) => Promise<number>,
): Promise<void> =>
  run(usage, read, async wish => {
    const interrupted = new AbortController();
    const { signal } = interrupted;
    for (const each of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(each, () => interrupted.abort(each));
    const code = await main(wish, signal).catch((error: unknown) => {
      const isUnavailable = error instanceof Unavailable;
      if (isUnavailable || !signal.aborted)
        process.stderr.write(`${name}: ${isUnavailable ? 'skipped: ' : ''}${messageOf(error)}\n`);
      return isUnavailable ? unavailable : 1;
    });
    return signal.aborted ? 128 + constants.signals[signal.reason as NodeJS.Signals] : code;
  });
