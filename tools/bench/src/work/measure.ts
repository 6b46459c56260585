import type { Work } from './work.js';

/** The cost of a slice of work: microseconds of CPU time (all threads and the kernel) and of real time. */
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

/** Returns how many operations take about half a millisecond, so that the cost of reading the clock is negligible. */
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
 * Returns a function that returns true once the process has used the given CPU time. It ignores real time, so that a
 * slice
 * has
 * enough operations for the engine to compile the code even on a busy machine.
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

/** The interval of checking whether the slice is over, in milliseconds. */
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

/** Subtracts the cost of creating the input, which is not a cost of the driver. */
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

/**
 * Repeats the work for the given CPU time in milliseconds. If it is asynchronous, `inFlight` operations run
 * concurrently.
 */
export const measure = async (work: Work, inFlight: number, milliseconds: number): Promise<Measured> => {
  if (work.asynchronous) return withoutMaking(await timed(() => repeatInFlight(work, inFlight, milliseconds)), work);
  const stride = strideOf(work);
  const { slice } = await timed(() => repeat(work, stride, milliseconds));
  // The drivers have run different numbers of operations, so compare the result of operation 0.
  return { slice, last: work.operate(0, {}) };
};
