import type { Work } from './work.js';

/** What a slice of work cost: microseconds of CPU time, of all threads and of the kernel, and of real time. */
export interface Slice {
  readonly operations: number;
  readonly cpuMicros: number;
  readonly wallMicros: number;
}

export interface Measured {
  readonly slice: Slice;
  /** The result of the last operation. */
  readonly last: unknown;
}

/** How many operations of this take about half a millisecond, so that looking at the clock costs nothing. */
const stride = (operate: (number: number) => unknown): number => {
  for (let size = 1; ; size *= 2) {
    const start = performance.now();
    for (let number = 0; number < size; number += 1) operate(number);
    if (performance.now() - start > 0.5) return size;
  }
};

interface Repeated {
  readonly operations: number;
  readonly last: unknown;
}

const repeat = ({ operate }: Work, step: number, milliseconds: number): Repeated => {
  const end = performance.now() + milliseconds;
  let operations = 0;
  do {
    for (let index = 0; index < step; index += 1) operate(operations + index, {});
    operations += step;
  } while (performance.now() < end);
  return { operations, last: undefined };
};

const repeatInFlight = async ({ operate }: Work, inFlight: number, milliseconds: number): Promise<Repeated> => {
  let operations = 0;
  let last: unknown;
  let over = false;
  setTimeout(() => (over = true), milliseconds);
  const loop = async (): Promise<void> => {
    while (!over) {
      operations += 1;
      last = await operate(operations, {});
    }
  };
  await Promise.all(Array.from({ length: inFlight }, loop));
  return { operations, last };
};

const timed = async (run: () => Repeated | Promise<Repeated>): Promise<Measured> => {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const { operations, last } = await run();
  const wallMicros = (performance.now() - start) * 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { slice: { operations, cpuMicros: user + system, wallMicros }, last };
};

/** Repeats the work for so many milliseconds, so many operations at a time where it is asynchronous. */
export const measure = async (work: Work, inFlight: number, milliseconds: number): Promise<Measured> => {
  if (work.asynchronous) return timed(() => repeatInFlight(work, inFlight, milliseconds));
  const step = stride(number => work.operate(number, {}));
  const { slice } = await timed(() => repeat(work, step, milliseconds));
  // Each of the two came to another number by now: the first one's result again, as the code is by now.
  return { slice, last: work.operate(0, {}) };
};
