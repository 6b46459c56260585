import type { Document } from '@tessera/contracts';
import { optionsOf } from '../arguments.js';
import { call } from '../facade.js';
import { checkNames, RunnerError } from '../names.js';

/** How a result is compared: an iterable's documents may each have more than is expected. */
export type Yields = 'documents' | 'value';

/** One operation of the format on entities of one kind. */
export interface Row<T> {
  readonly takes: readonly string[];
  readonly needs: readonly string[];
  readonly yields: Yields;
  readonly run: Run<T>;
}

/**
 * @param options the arguments as the facade takes them, but for those that stand in its signature
 * @param name the operation's own
 */
type Run<T> = (target: T, given: Document, options: Document, name: string) => unknown;

export type Table<T> = Readonly<Record<string, Row<T>>>;

/** What every operation may be told. */
const everywhere = ['session', 'timeoutMS'];

const words = (text: string): readonly string[] => text.split(' ').filter(word => word !== '');

/**
 * @param own arguments that stand in the signature; those with a `?` may be left out
 * @param options arguments that are options
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

interface Differently {
  /** The method, if its name is not that of the operation. */
  readonly as?: string;
  /** What is made of its result. */
  readonly then?: (result: unknown) => unknown;
  readonly yields?: Yields;
}

/** An operation that is a method: it takes the arguments of the signature in their order, and then the options. */
export const method = (own: string, options: string, { as, then, yields }: Differently = {}): Row<object> =>
  row(
    own,
    options,
    (target, given, rest, name) => {
      const result = call(target, as ?? name, ...words(own).map(word => given[word] as unknown), rest);
      return then === undefined ? result : then(result);
    },
    yields,
  );

/** All documents of a cursor. */
export const toArray = (cursor: unknown): unknown => call(cursor as object, 'toArray');

/** For methods whose cursor is read to its end. */
export const documents: Differently = { then: toArray, yields: 'documents' };

/** An operation on an entity, ready to run. */
export interface Call {
  readonly yields: Yields;
  readonly run: () => unknown;
}

/** @throws RunnerError for an operation or an argument that is not known */
export const callOf = <T>(kind: string, table: Table<T>, target: T, name: string, given: Document): Call => {
  if (!Object.hasOwn(table, name)) throw new RunnerError(`there is no operation ${name} of a ${kind}`);
  const { takes, needs, yields, run } = table[name]!;
  checkNames(name, given, takes);
  const missing = needs.find(need => given[need] === undefined);
  if (missing !== undefined) throw new RunnerError(`${name} needs ${missing}`);
  return { yields, run: () => run(target, given, optionsOf(given), name) };
};
