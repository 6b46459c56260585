/** Errors are thrown with a stack trace that begins with the line of the program that called the driver. */
import { convertError } from './convert-error.js';
import { MongoError } from './errors.js';

/** A function that is running, or that waits for what failed: its frame and all within it are left out of the stack trace. */
export type Above = (...given: never) => unknown;

/** Absent in engines that cannot leave out the frames of the driver. */
const { captureStackTrace } = Error as { readonly captureStackTrace?: (error: object, above: unknown) => void };

/**
 * Throws the public error that {@link convertError} made of another one. If it is new, its stack trace begins with the line
 * that called the driver.
 */
export const rethrowConverted = (error: unknown, converted: unknown, above: Above): never => {
  const isNew =
    converted instanceof MongoError && converted !== error && converted !== (error as Error | undefined)?.cause;
  if (isNew) captureStackTrace?.(converted, above);
  throw converted;
};

/**
 * Throws a public error again; its stack trace begins with the line that waits for `above`. If nothing waits, the stack trace
 * stays unchanged. By default a rejection handler: `promise.catch(rethrow)`.
 * @param above not a public method: programs replace those.
 */
export const rethrow: (error: unknown, above?: Above) => never = (error, above = rethrow) => {
  const waiting: { stack?: string } = {};
  if (error instanceof MongoError) captureStackTrace?.(waiting, above);
  if (/^ +at /m.test(waiting.stack ?? '')) captureStackTrace?.(error as MongoError, above);
  throw error;
};

/** Returns a promise that rejects with the error; its stack trace begins with the line that waits for the promise. */
export const rejectWith = (error: unknown): Promise<never> => Promise.reject(error as Error).catch(rethrow);

/** Returns the promise of `start`; an error that `start` throws, before anything is sent, becomes a rejection. */
export const asPromise = <T>(start: () => Promise<T>): Promise<T> => {
  try {
    return start();
  } catch (error) {
    return rejectWith(convertError(error));
  }
};
