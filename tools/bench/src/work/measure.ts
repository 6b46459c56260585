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

const strides = new WeakMap<Work, number>();

/** How many operations of this take about half a millisecond, so that looking at the clock costs nothing. */
const strideOf = (work: Work): number => {
  const known = strides.get(work);
  if (known !== undefined) return known;
  for (let size = 1; ; size *= 2) {
    const start = performance.now();
    for (let number = 0; number < size; number += 1) work.operate(number, {});
    if (performance.now() - start < 0.5) continue;
    strides.set(work, size);
    return size;
  }
};

interface Repeated {
  readonly operations: number;
  readonly last: unknown;
}

/**
 * Whether this process has worked for so many milliseconds. By CPU time, so that a busy machine makes a slice longer, not
 * poorer: code that has not run long enough is not compiled yet.
 */
const worked = (milliseconds: number): (() => boolean) => {
  const from = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(from);
    return user + system >= milliseconds * 1000;
  };
};

const repeat = ({ operate }: Work, stride: number, milliseconds: number): Repeated => {
  const over = worked(milliseconds);
  let operations = 0;
  do {
    for (let index = 0; index < stride; index += 1) operate(operations + index, {});
    operations += stride;
  } while (!over());
  return { operations, last: undefined };
};

/** How often it is asked whether the slice is over. */
const period = 5;

const repeatInFlight = async ({ operate }: Work, inFlight: number, milliseconds: number): Promise<Repeated> => {
  const over = worked(milliseconds);
  let stop = false;
  const timer = setInterval(() => (stop = over()), Math.min(period, milliseconds));
  let operations = 0;
  let last: unknown;
  const loop = async (): Promise<void> => {
    while (!stop) {
      operations += 1;
      last = await operate(operations, {});
    }
  };
  await Promise.all(Array.from({ length: inFlight }, loop));
  clearInterval(timer);
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

/** The same without what the application did for it, which is no cost of a driver. */
const withoutMaking = ({ slice, last }: Measured, { making }: Work): Measured => {
  if (making === undefined) return { slice, last };
  const cpu = process.cpuUsage();
  const start = performance.now();
  for (let number = 0; number < slice.operations; number += 1) making(number);
  const wall = (performance.now() - start) * 1000;
  const { user, system } = process.cpuUsage(cpu);
  return {
    slice: {
      operations: slice.operations,
      cpuMicros: slice.cpuMicros - user - system,
      wallMicros: slice.wallMicros - wall,
    },
    last,
  };
};

/** Repeats the work for so many milliseconds of CPU time, so many operations at a time where it is asynchronous. */
export const measure = async (work: Work, inFlight: number, milliseconds: number): Promise<Measured> => {
  if (work.asynchronous) return withoutMaking(await timed(() => repeatInFlight(work, inFlight, milliseconds)), work);
  const stride = strideOf(work);
  const { slice } = await timed(() => repeat(work, stride, milliseconds));
  // Each of the two came to another number by now: the first one's result again, as the code is by now.
  return { slice, last: work.operate(0, {}) };
};
