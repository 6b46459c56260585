import { fail } from '../../errors.js';
import type { Doc } from '../../value/doc.js';
import type { WindowContext, WindowFunctionParser } from './arguments.js';
import { calculusFunctions } from './calculus-functions.js';
import { gatheringFunctions } from './gathering-functions.js';
import { minMaxScaler } from './min-max-scaler.js';
import { orderFunctions } from './order-functions.js';
import type { WindowFunction } from './sliding.js';

/** The functions of `$setWindowFields` by name. */
export const windowFunctions: ReadonlyMap<string, WindowFunctionParser> = new Map([
  ...calculusFunctions,
  ...gatheringFunctions,
  ...orderFunctions,
  ['$minMaxScaler', minMaxScaler],
]);

/**
 * Compiles `{ $function: argument, window }`.
 * @throws CommandError FailedToParse, or the function's errors
 */
export const parseWindowFunction = (spec: Doc, context: Omit<WindowContext, 'isFunction'>): WindowFunction => {
  const name = spec.keys().find(key => key.startsWith('$'));
  if (name === undefined) {
    const [first] = spec.keys();
    throw fail('FailedToParse', `Expected a $-prefixed window function${first === undefined ? '' : `, ${first}`}`);
  }
  const parse = windowFunctions.get(name);
  if (parse === undefined) throw fail('FailedToParse', `Unrecognized window function, ${name}`);
  return parse(spec, { ...context, isFunction: key => windowFunctions.has(key) }, name);
};
