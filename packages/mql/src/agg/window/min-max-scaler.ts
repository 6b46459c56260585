import { fail } from '../../errors.js';
import { add, compareNumbers, divide, multiply, subtract } from '../../value/numbers.js';
import { show } from '../../value/show.js';
import type { NumberValue, Value } from '../../value/value.js';
import { isDoc, isNumber, typeName } from '../../value/value.js';
import type { Scope } from '../scope.js';
import type { WindowContext, WindowFunctionParser } from './arguments.js';
import { boundsOr, readStrictly } from './arguments.js';
import type { Bound, Bounds } from './bounds.js';
import { ExtremeOf } from './gatherers.js';
import { slide } from './sliding.js';

const parseFailure = (message: string): Error => fail('FailedToParse', message);

/** Reads `min` or `max`, a constant number. */
const limitOf = (value: Value | undefined, otherwise: number, { parser }: WindowContext): NumberValue => {
  if (value === undefined) return otherwise;
  const operand = parser.operand(value);
  if (operand.kind === 'constant' && isNumber(operand.value)) return operand.value;
  throw parseFailure(`'min' and 'max' of $minMaxScaler must be constant numbers, but found ${show(value)}`);
};

/** @throws CommandError FailedToParse if the window does not contain its own document */
const requireOwnDocument = ({ lower, upper }: Bounds): void => {
  const signOf = (bound: Bound<NumberValue>): number => (typeof bound === 'string' ? 0 : compareNumbers(bound, 0));
  if (signOf(lower) > 0 || signOf(upper) < 0)
    throw parseFailure('The window of $minMaxScaler must contain the current document');
};

/** `$minMaxScaler`: the position of a number between the least and the greatest number of its window. */
export const minMaxScaler: WindowFunctionParser = (spec, context, name) => {
  const given = readStrictly(spec, context, name);
  const { argument } = given;
  if (!isDoc(argument)) throw parseFailure(`The argument of ${name} must be an object`);
  for (const key of argument.keys())
    if (!['input', 'min', 'max'].includes(key))
      throw fail('IDLUnknownField', `BSON field '${name}.${key}' is an unknown field.`);
  const input = argument.get('input');
  if (input === undefined) throw fail('IDLFailedToParse', `BSON field '${name}.input' is missing but a required field`);
  if (argument.has('min') !== argument.has('max'))
    throw parseFailure(`${name} requires both or neither of 'min' and 'max'`);
  const least = limitOf(argument.get('min'), 0, context);
  const width = subtract(limitOf(argument.get('max'), 1, context), least);
  if (compareNumbers(width, 0) <= 0) throw parseFailure(`${name} requires 'max' to be greater than 'min'`);
  const bounds = boundsOr(given);
  requireOwnDocument(bounds);
  const { evaluate } = context.parser.operand(input);
  const read = (scope: Scope): NumberValue => {
    const value = evaluate(scope);
    if (isNumber(value)) return value;
    throw fail('TypeMismatch', `${name} requires 'input' to evaluate to a number, but got ${typeName(value)}`);
  };
  const extreme = (sign: 1 | -1) =>
    slide({ bounds, sort: context.sort, read, start: () => new ExtremeOf(sign, undefined) });
  const [lowest, highest] = [extreme(-1), extreme(1)];
  return {
    over: partition => {
      const [lowestAt, highestAt] = [lowest.over(partition), highest.over(partition)];
      return index => {
        const low = lowestAt(index) as NumberValue;
        const range = subtract(highestAt(index) as NumberValue, low);
        if (compareNumbers(range, 0) === 0) return least;
        return add(multiply(divide(subtract(partition.at(index, read), low), range), width), least);
      };
    },
  };
};
