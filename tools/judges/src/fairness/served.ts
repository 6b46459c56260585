// The server under test. Between the turns of its event loop it measures how long its thread computed without a pause.
import { readFileSync } from 'node:fs';
import { startServer } from 'tessera-server';

/** The state of the process. */
export interface Measured {
  /** The longest time for which the thread computed without a pause since the last message, in milliseconds. */
  readonly longest: number;
  /** The time for which the thread computed since the last message, in milliseconds. */
  readonly total: number;
}

/** The time for which the main thread has computed. Real time where the system does not report it. */
const computed = (): number => {
  if (process.platform !== 'linux') return performance.now();
  return Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[0]) / 1e6;
};

let longest = 0;
let last = computed();
let begun = last;
let isMeasuring = false;

const measure = (): void => {
  if (!isMeasuring) return;
  const now = computed();
  longest = Math.max(longest, now - last);
  last = now;
  setImmediate(measure);
};

const server = await startServer({ replicaSet: 'rs0' });
process.on('message', message => {
  if (message === 'start') {
    longest = 0;
    begun = computed();
    last = begun;
    isMeasuring = true;
    setImmediate(measure);
  } else {
    isMeasuring = false;
    const now = computed();
    process.send?.({ longest: Math.max(longest, now - last), total: now - begun });
  }
});
// oxlint-disable-next-line nodejs/no-process-exit -- open handles of the server must not keep the process alive
process.once('disconnect', () => process.exit());
process.send?.(server.address);
