import { fail } from '../../errors.js';
import type { Sort } from '../../sort/sort.js';
import type { Collation } from '../../value/compare.js';
import type { Doc } from '../../value/doc.js';
import type { Value } from '../../value/value.js';
import type { Parser } from '../expression.js';
import type { Bounds } from './bounds.js';
import { parseBounds, wholePartition } from './bounds.js';
import type { WindowFunction } from './sliding.js';

/** What is known while a window function is parsed. */
export interface WindowContext {
  readonly parser: Parser;
  readonly collation: Collation | undefined;
  /** Of the stage. */
  readonly sort: Sort | undefined;
  readonly isFunction: (name: string) => boolean;
}

/** Reads `{ $function: argument, window }`. */
export type WindowFunctionParser = (spec: Doc, context: WindowContext, name: string) => WindowFunction;

export interface Given {
  readonly argument: Value;
  /** Undefined where none are given. */
  readonly bounds: Bounds | undefined;
}

const parseFailure = (message: string): Error => fail('FailedToParse', message);

/** The argument and the window of a function; anything else is refused. */
export const readGiven = (spec: Doc, { parser, sort, isFunction }: WindowContext, name: string): Given => {
  let bounds: Bounds | undefined;
  for (const [key, value] of spec) {
    if (key === 'window') bounds = parseBounds(value, sort, parser);
    else if (key !== name) {
      throw parseFailure(
        isFunction(key)
          ? 'Cannot specify two functions in window function spec'
          : `Window function found an unknown argument: ${key}`,
      );
    }
  }
  return { argument: spec.get(name)!, bounds };
};

/** The same for functions with a parser of their own, which complain in other words. */
export const readStrictly = (spec: Doc, { parser, sort }: WindowContext, name: string): Given => {
  let bounds: Bounds | undefined;
  for (const [key, value] of spec) {
    if (key === 'window') bounds = parseBounds(value, sort, parser);
    else if (key !== name) throw parseFailure(`${name} got unexpected argument: ${key}`);
  }
  return { argument: spec.get(name)!, bounds };
};

/** The argument of a function that has no window of its choice. */
export const readUnbounded = (spec: Doc, context: WindowContext, name: string): Value => {
  const { argument } = readGiven(spec.without('window'), context, name);
  if (spec.has('window')) throw parseFailure(`'window' field is not allowed in ${name}`);
  return argument;
};

export const boundsOr = ({ bounds }: Given): Bounds => bounds ?? wholePartition;

/** @throws CommandError FailedToParse unless the stage sorts by one field. */
export const requireOneField = (sort: Sort | undefined, name: string): Sort => {
  if (sort === undefined) throw parseFailure(`${name} requires a sortBy`);
  if (sort.pattern.length !== 1) throw parseFailure(`${name} requires a non-compound sortBy`);
  return sort;
};
