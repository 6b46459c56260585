/** Functions that throw errors with a stack trace that begins with the application's line that called the driver. */
import { convertError } from './convert-error.js';
import { MongoError } from './errors.js';

/** A function whose frame, and all frames inside it, are omitted from the stack trace. */
export type Above = (...given: never) => unknown;

/** Undefined in JavaScript engines that do not support it. */
const { captureStackTrace } = Error as { readonly captureStackTrace?: (error: object, above: unknown) => void };

/**
 * Throws the public error that {@link convertError} returned for another one. The stack trace of a new error begins
 * with the line that called the driver.
 */
export const rethrowConverted = (error: unknown, converted: unknown, above: Above): never => {
  const isNew =
    converted instanceof MongoError && converted !== error && converted !== (error as Error | undefined)?.cause;
  if (isNew) captureStackTrace?.(converted, above);
  throw converted;
};

/**
 * Throws a public error again. Its stack trace begins with the line that awaits `above`; if nothing awaits it, the
 * stack trace does not change. By default a rejection handler: `promise.catch(rethrow)`.
 * @param above a function that is not a public method, because programs replace those
 */
export const rethrow: (error: unknown, above?: Above) => never = (error, above = rethrow) => {
  const waiting: { stack?: string } = {};
  if (error instanceof MongoError) captureStackTrace?.(waiting, above);
  if (/^ +at /m.test(waiting.stack ?? '')) captureStackTrace?.(error as MongoError, above);
  throw error;
};

/** Returns a promise that rejects with the error. Its stack trace begins with the line that awaits the promise. */
export const rejectWith = (error: unknown): Promise<never> => Promise.reject(error as Error).catch(rethrow);

/** Returns the promise of `start`. An error that `start` throws becomes a rejection. */
export const asPromise = <T>(start: () => Promise<T>): Promise<T> => {
  try {
    return start();
  } catch (error) {
    return rejectWith(convertError(error));
  }
};
