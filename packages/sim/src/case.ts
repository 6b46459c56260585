/** Cases of the contract suites. Each is a name and an async function, so that any test framework can run them. */
import type { Signal } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';

/** One rule of a contract, and a program that throws if the rule is broken. */
export interface ContractCase {
  readonly name: string;
  run(): Promise<void>;
}

const show = (value: unknown): string => {
  if (typeof value === 'bigint') return `${value}n`;
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof Uint8Array) return `<${[...value.subarray(0, 32)].map(byte => byte.toString(16)).join(' ')}>`;
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? `"${value}"` : String(value);
  const text = JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? `${item}n` : item));
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
};

const keysOf = (value: object): readonly string[] => Object.keys(value).sort();

type List = readonly unknown[];
const isList = (value: object): value is List => Array.isArray(value) || value instanceof Uint8Array;

/**
 * Compares values deeply: primitives, arrays, typed arrays, Maps, plain objects, values with `equals`; errors by
 * identity.
 */
export const isEqual = (a: unknown, b: unknown): boolean => {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof Error || b instanceof Error) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b) && !(a instanceof Uint8Array && b instanceof Uint8Array)) {
    return false;
  }
  if (a instanceof Map && b instanceof Map) {
    return a.size === b.size && isEqual([...(a as Map<unknown, unknown>)], [...(b as Map<unknown, unknown>)]);
  }
  if (isList(a) && isList(b)) return a.length === b.length && a.every((item, index) => isEqual(item, b[index]));
  if (Object.prototype.toString.call(a) === '[object Date]') return a.valueOf() === b.valueOf();
  const equals: unknown = 'equals' in a ? a.equals : undefined;
  if (typeof equals === 'function') return equals.call(a, b) === true;
  const keys = keysOf(a);
  if (!isEqual(keys, keysOf(b))) return false;
  return keys.every(key => isEqual((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]));
};

/** @throws Error with both values unless they are equal */
export const expectEqual = (actual: unknown, expected: unknown, what: string): void => {
  if (!isEqual(actual, expected)) throw new Error(`${what}: expected ${show(expected)}, got ${show(actual)}`);
};

/** @throws Error unless `condition` is true */
export function expectTrue(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(`Expected: ${what}`);
}

/** The fields of a MongoError that a contract specifies. */
export interface ExpectedError {
  readonly kind?: string | readonly string[];
  readonly phase?: string | readonly string[];
}

const isOneOf = (value: string | undefined, wanted: string | readonly string[] | undefined): boolean =>
  wanted === undefined || (value !== undefined && [wanted].flat().includes(value));

/** @throws Error unless `error` is a MongoError with these fields */
export const expectError = (error: unknown, expected: ExpectedError, what: string): MongoError => {
  if (!MongoError.is(error)) throw new Error(`${what}: expected a MongoError, got ${show(error)}`);
  if (!isOneOf(error.kind, expected.kind)) {
    throw new Error(`${what}: expected kind ${show(expected.kind)}, got ${error.kind} (${error.message})`);
  }
  if (!isOneOf(error.origin?.phase, expected.phase)) {
    throw new Error(
      `${what}: expected phase ${show(expected.phase)}, got ${show(error.origin?.phase)} (${error.message})`,
    );
  }
  return error;
};

/** @throws Error unless the promise rejects with a MongoError with these fields */
export const expectRejection = async (
  promise: Promise<unknown> | PromiseLike<unknown>,
  expected: ExpectedError,
  what: string,
): Promise<MongoError> => {
  const outcome = await Promise.resolve(promise).then(
    value => ({ value }),
    (error: unknown) => ({ error }),
  );
  if (!('error' in outcome)) throw new Error(`${what}: expected a failure, got ${show(outcome.value)}`);
  return expectError(outcome.error, expected, what);
};

/** @throws Error unless the function throws a MongoError with these fields synchronously */
export const expectThrow = (act: () => unknown, expected: ExpectedError, what: string): MongoError => {
  try {
    act();
  } catch (error) {
    return expectError(error, expected, what);
  }
  throw new Error(`${what}: expected a failure.`);
};

/** A signal with a method that aborts it, for hosts without AbortController. */
export const createAbort = (): {
  readonly signal: Signal;
  abort(reason: unknown): void;
  readonly listeners: number;
} => {
  const listeners = new Set<() => void>();
  const signal = {
    aborted: false,
    reason: undefined as unknown,
    addEventListener: (_: 'abort', listener: () => void) => void listeners.add(listener),
    removeEventListener: (_: 'abort', listener: () => void) => void listeners.delete(listener),
  };
  return {
    signal,
    abort: reason => {
      if (signal.aborted) return;
      signal.aborted = true;
      signal.reason = reason;
      for (const listener of [...listeners]) listener();
    },
    get listeners() {
      return listeners.size;
    },
  };
};
