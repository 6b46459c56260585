import { fail } from '../../errors.js';
import type { Sort } from '../../sort/sort.js';
import type { Collation } from '../../value/compare.js';
import type { Doc } from '../../value/doc.js';
import type { Value } from '../../value/value.js';
import type { Parser } from '../expression.js';
import type { Bounds } from './bounds.js';
import { parseBounds, wholePartition } from './bounds.js';
import type { WindowFunction } from './sliding.js';

/** The context in which a window function is compiled. */
export interface WindowContext {
  readonly parser: Parser;
  readonly collation: Collation | undefined;
  /** The `sortBy` of the stage. */
  readonly sort: Sort | undefined;
  readonly isFunction: (name: string) => boolean;
}

/** Compiles `{ $function: argument, window }`. */
export type WindowFunctionParser = (spec: Doc, context: WindowContext, name: string) => WindowFunction;

export interface Given {
  readonly argument: Value;
  /** The window, or undefined if none was given. */
  readonly bounds: Bounds | undefined;
}

const parseFailure = (message: string): Error => fail('FailedToParse', message);

/** Reads the argument and the window of a function. Other fields are rejected. */
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

/** Does the same as {@link readGiven} for functions with different error messages. */
export const readStrictly = (spec: Doc, { parser, sort }: WindowContext, name: string): Given => {
  let bounds: Bounds | undefined;
  for (const [key, value] of spec) {
    if (key === 'window') bounds = parseBounds(value, sort, parser);
    else if (key !== name) throw parseFailure(`${name} got unexpected argument: ${key}`);
  }
  return { argument: spec.get(name)!, bounds };
};

/** Reads the argument of a function that does not accept a window. */
export const readUnbounded = (spec: Doc, context: WindowContext, name: string): Value => {
  const { argument } = readGiven(spec.without('window'), context, name);
  if (spec.has('window')) throw parseFailure(`'window' field is not allowed in ${name}`);
  return argument;
};

export const boundsOr = ({ bounds }: Given): Bounds => bounds ?? wholePartition;

/**
 * Returns the stage's sort.
 * @throws CommandError FailedToParse if the stage does not sort by exactly one field
 */
export const requireOneField = (sort: Sort | undefined, name: string): Sort => {
  if (sort === undefined) throw parseFailure(`${name} requires a sortBy`);
  if (sort.pattern.length !== 1) throw parseFailure(`${name} requires a non-compound sortBy`);
  return sort;
};
