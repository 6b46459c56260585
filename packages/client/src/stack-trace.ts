/** Functions that throw errors with a stack trace that begins with the application's line that called the driver. */
import type { Clock, Millis } from '@tessera/contracts';
import type { Call } from '@tessera/operations';
import { convertError } from './convert-error.js';
import { MongoError } from './errors.js';

/** A function whose frame, and all frames inside it, are omitted from the stack trace. */
export type Above = (...given: never) => unknown;

/** The members that only some JavaScript engines have. */
const engine = Error as {
  readonly captureStackTrace?: (error: object, above?: unknown) => void;
  stackTraceLimit?: number | undefined;
};
const { captureStackTrace } = engine;

/** The frames that are captured. Up to ten are the driver's. */
const callerFrames = 20;

/** The stack trace of the line that called a public method. */
export interface Caller {
  /** The frames. The engine formats them at the first access, with the application's `Error.prepareStackTrace`. */
  readonly stack?: unknown;
}

/** How many callers are remembered at once, and then per second. */
const callerLimits = { burst: 100, perSecond: 100 } as const;

/**
 * Remembers the application's lines that call operations, for the errors of promises that nothing awaits. One line
 * costs several microseconds, so the number per second is limited. A program with fewer operations gets all lines.
 */
export class Callers {
  readonly #clock: Pick<Clock, 'now'>;
  #left: number = callerLimits.burst;
  #since: Millis = -Infinity;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Returns the caller of the public method that runs now, or undefined above the limit. */
  take(): Caller | undefined {
    if (captureStackTrace === undefined) return undefined;
    const now = this.#clock.now();
    if (this.#left < callerLimits.burst)
      this.#left = Math.min(callerLimits.burst, this.#left + ((now - this.#since) / 1000) * callerLimits.perSecond);
    this.#since = now;
    if (this.#left < 1) return undefined;
    this.#left--;
    const caller: Caller = {};
    const { stackTraceLimit } = engine;
    // Fails without an error if the built-in objects are frozen.
    const isLimited = stackTraceLimit !== undefined && Reflect.set(engine, 'stackTraceLimit', callerFrames);
    captureStackTrace(caller);
    if (isLimited) engine.stackTraceLimit = stackTraceLimit;
    return caller;
  }
}

/** The call of a public method, for its error. */
export interface Called {
  /** The name of the method, such as `insertOne`, or of its command. */
  readonly method: string;
  /** The collection or database that the method was called for, such as `shop.films`. */
  readonly namespace: string;
  /** The line that called the method, if it is remembered. */
  readonly caller?: Caller | undefined;
  /** The time limit, for the conversion of the error. */
  readonly call: Pick<Call, 'deadline' | 'timeoutMS'>;
}

/** A line of the application or the driver in a stack trace, not of Node.js itself. */
const isFrame = /^ +at (?!.*\bnode:internal\/)/;

/** Returns these lines of a captured stack trace. None if the application formats stack traces in another way. */
const framesIn = (captured: Caller): readonly string[] => {
  try {
    return typeof captured.stack === 'string' ? captured.stack.split('\n').filter(line => isFrame.test(line)) : [];
  } catch {
    // The application's function may fail.
    return [];
  }
};

/**
 * Throws the public error that {@link convertError} returned for another one. The stack trace of a new error begins
 * with the line that awaits `above`. With `called`, the error also gets the method and the namespace. The stack trace of
 * each public error then begins with that line. If nothing awaits `above`, it begins with the line that called the method.
 */
export const rethrowConverted = (error: unknown, converted: unknown, above: Above, called?: Called): never => {
  if (!(converted instanceof MongoError) || converted === (error as Error | undefined)?.cause) throw converted;
  if (called !== undefined) converted.describeCall(called.method, called.namespace);
  const isAwaited = hasAwaiting(above);
  const frames = isAwaited || called === undefined ? '' : framesOf(called);
  if (frames !== '')
    Object.defineProperty(converted, 'stack', {
      value: `${converted.name}: ${converted.message}\n${frames}`,
      writable: true,
      configurable: true,
    });
  else if (converted !== error || (isAwaited && called !== undefined)) captureStackTrace?.(converted, above);
  throw converted;
};

/** Returns whether there are frames outside of `above`: of code that awaits the promise or calls synchronously. */
const hasAwaiting = (above: Above): boolean => {
  const waiting: Caller = {};
  captureStackTrace?.(waiting, above);
  return framesIn(waiting).length > 0;
};

/**
 * Returns the application's lines of the remembered caller. The lines before them are of the driver: of the directory of
 * this file, or, if the application is in the same bundle, up to the public method.
 */
const framesOf = ({ caller, method }: Called): string => {
  const frames = caller === undefined ? [] : framesIn(caller);
  const [, directory = ''] = /([^ (]+[/\\])[^/\\]+$/.exec(frames[0] ?? '') ?? [];
  const outside = frames.findIndex(frame => !frame.includes(directory));
  const own = outside < 0 ? frames.findIndex(frame => frame.includes(`.${method} (`)) + 1 : outside;
  return frames.slice(own, own + (engine.stackTraceLimit ?? callerFrames)).join('\n');
};

/**
 * Throws a public error again. Its stack trace begins with the line that awaits `above`; if nothing awaits it, the
 * stack trace does not change. By default a rejection handler: `promise.catch(rethrow)`.
 * @param above a function that is not a public method, because programs replace those
 */
export const rethrow: (error: unknown, above?: Above) => never = (error, above = rethrow) => {
  if (error instanceof MongoError && hasAwaiting(above)) captureStackTrace?.(error, above);
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
