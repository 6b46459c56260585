import type { Document } from '@tessera/contracts';
import { optionsOf } from '../arguments.js';
import { call } from '../facade.js';
import { checkNames, RunnerError } from '../names.js';

/** How a result is compared. In `documents`, each document may have extra fields. */
export type Yields = 'documents' | 'value';

/** An operation of the format on one kind of entity. */
export interface Row<T> {
  readonly takes: readonly string[];
  readonly needs: readonly string[];
  readonly yields: Yields;
  readonly run: Run<T>;
}

/**
 * Runs an operation.
 * @param given all arguments of the operation
 * @param options the arguments that the driver takes as options, in its form
 * @param name the operation's name
 */
type Run<T> = (target: T, given: Document, options: Document, name: string) => unknown;

export type Table<T> = Readonly<Record<string, Row<T>>>;

/** Options that every operation takes. */
const everywhere = ['session', 'timeoutMS'];

const words = (text: string): readonly string[] => text.split(' ').filter(word => word !== '');

/**
 * Describes an operation.
 * @param own names of the positional arguments, separated by spaces; those with a `?` are optional
 * @param options names of the options, separated by spaces
 */
export const row = <T>(own: string, options: string, run: Run<T>, yields: Yields = 'value'): Row<T> => {
  const inSignature = words(own.replaceAll('?', ''));
  return {
    takes: [...inSignature, ...words(options), ...everywhere],
    needs: words(own).filter(word => !word.endsWith('?')),
    yields,
    run: (target, given, all, name) => {
      const rest = Object.fromEntries(Object.entries(all).filter(([other]) => !inSignature.includes(other)));
      return run(target, given, rest, name);
    },
  };
};

interface MethodOptions {
  /** The name of the method, if it differs from the operation's name. */
  readonly as?: string;
  /** Converts the result of the method. */
  readonly then?: (result: unknown) => unknown;
  readonly yields?: Yields;
}

/** Describes an operation that calls a method with the positional arguments in order, then the options. */
export const method = (own: string, options: string, { as, then, yields }: MethodOptions = {}): Row<object> =>
  row(
    own,
    options,
    (target, given, rest, name) => {
      const result = call(target, as ?? name, ...words(own).map(word => given[word] as unknown), rest);
      return then === undefined ? result : then(result);
    },
    yields,
  );

/** Reads all documents of a cursor. */
export const toArray = (cursor: unknown): unknown => call(cursor as object, 'toArray');

/** For methods that return a cursor: reads all documents. */
export const documents: MethodOptions = { then: toArray, yields: 'documents' };

/** An operation on an entity, ready to run. */
export interface Call {
  readonly yields: Yields;
  readonly run: () => unknown;
}

/** Prepares an operation. @throws RunnerError if the operation or an argument is unknown, or an argument is missing */
export const callOf = <T>(kind: string, table: Table<T>, target: T, name: string, given: Document): Call => {
  if (!Object.hasOwn(table, name)) throw new RunnerError(`A ${kind} has no operation "${name}".`);
  const { takes, needs, yields, run } = table[name]!;
  checkNames(name, given, takes);
  const missing = needs.find(need => given[need] === undefined);
  if (missing !== undefined) throw new RunnerError(`${name} requires the argument "${missing}".`);
  return { yields, run: () => run(target, given, optionsOf(given), name) };
};
