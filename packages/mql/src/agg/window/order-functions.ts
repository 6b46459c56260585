import { fail } from '../../errors.js';
import type { Sort } from '../../sort/sort.js';
import { equal } from '../../value/compare.js';
import { Decimal } from '../../value/decimal.js';
import { add, compareNumbers, divide, multiply, subtract, toDecimal, toExactLong } from '../../value/numbers.js';
import { show } from '../../value/show.js';
import type { NumberValue, Value } from '../../value/value.js';
import { double, isDoc, isNullish, isNumber, typeName } from '../../value/value.js';
import { count, dateOf, exactInt } from '../coerce.js';
import type { Expression } from '../expression.js';
import type { WindowContext, WindowFunctionParser } from './arguments.js';
import { boundsOr, readStrictly, readUnbounded } from './arguments.js';
import type { Results, WindowFunction } from './sliding.js';
import { sortValues, spansOf } from './spans.js';

const parseFailure = (message: string): Error => fail('FailedToParse', message);

/** Creates `$first` or `$last`, the value at one end of the window. */
const endOf =
  (end: 'first' | 'last'): WindowFunctionParser =>
  (spec, context, name) => {
    const given = readStrictly(spec, context, name);
    const { evaluate } = context.parser.operand(given.argument);
    return {
      over: partition => {
        const spanOf = spansOf(boundsOr(given), partition, context.sort);
        return index => {
          const span = spanOf(index);
          return span === undefined ? null : partition.evaluate(span[end], evaluate);
        };
      },
    };
  };

const readBy = (value: Value | undefined): number => {
  if (value === undefined) throw parseFailure("$shift requires 'by' as an integer value.");
  const by = isNumber(value) ? exactInt(value) : undefined;
  if (by === undefined) throw parseFailure(`'$shift:by' field must be an integer, but found  by: ${show(value)}`);
  return by;
};

const readDefault = (value: Value | undefined, { parser }: WindowContext): Value => {
  if (value === undefined) return null;
  const operand = parser.operand(value);
  if (operand.kind !== 'constant') throw parseFailure("'$shift:default' expression must yield a constant value.");
  return operand.value ?? null;
};

const shift: WindowFunctionParser = (spec, context, name) => {
  if (spec.has('window')) throw parseFailure("$shift does not accept a 'window' field");
  const argument = readUnbounded(spec, context, name);
  if (!isDoc(argument)) throw parseFailure('Argument to $shift must be an object');
  for (const key of argument.keys()) {
    if (!['output', 'by', 'default'].includes(key)) throw parseFailure('Unknown argument in $shift');
  }
  const otherwise = readDefault(argument.get('default'), context);
  const outputSpec = argument.get('output');
  if (outputSpec === undefined) throw parseFailure("$shift requires an 'output' expression.");
  const { evaluate } = context.parser.operand(outputSpec);
  const by = readBy(argument.get('by'));
  if (context.sort === undefined) throw parseFailure("'$shift' requires a sortBy");
  return {
    over: partition => index =>
      (partition.docs[index + by] === undefined ? undefined : partition.evaluate(index + by, evaluate)) ?? otherwise,
  };
};

const requireRanking = (spec: Value, { sort }: WindowContext, name: string): Sort => {
  if (!isDoc(spec) || spec.size > 0) throw fail(5371603, `${name} must be specified with '{}' as the value`);
  if (sort?.pattern.length === 1) return sort;
  throw fail(5371602, `${name} must be specified with a top level sortBy expression with exactly one element`);
};

/**
 * Computes a rank from the rank of the previous document, the number of documents so far, and whether both documents
 * have equal sort keys.
 */
type NextRank = (rank: number, number: number, same: boolean) => number;

const ranked =
  (next: NextRank): WindowFunctionParser =>
  (spec, context, name) => {
    if (spec.size !== 1) throw fail(5371601, 'Rank style window functions take no other arguments');
    const sort = requireRanking(spec.get(name)!, context, name);
    return {
      over: ({ docs }): Results => {
        let before = docs.length > 0 ? sort.key(docs[0]!) : [];
        let rank = 0;
        return index => {
          const key = sort.key(docs[index]!);
          rank = next(rank, index + 1, index > 0 && sort.compareKeys(before, key) === 0);
          before = key;
          return count(rank);
        };
      },
    };
  };

const readWeight = (argument: Value): Decimal => {
  const [n, alpha] = isDoc(argument) ? [argument.get('N'), argument.get('alpha')] : [];
  if (n !== undefined) {
    if (!isNumber(n)) throw parseFailure(`'N' field must be an integer, but found type ${typeName(n)}`);
    const whole = toExactLong(n);
    if (whole === undefined) {
      throw parseFailure(
        `'N' field must be an integer, but found  N: ${show(n)}. To use a non-integer, use the 'alpha' argument instead`,
      );
    }
    if (whole <= 0n) throw parseFailure(`'N' must be greater than zero. Got ${whole}`);
    return Decimal.fromBigInt(2n).divide(Decimal.fromBigInt(whole + 1n));
  }
  if (!isNumber(alpha)) throw parseFailure("'alpha' must be a number");
  if (compareNumbers(alpha, 0) <= 0 || compareNumbers(alpha, 1) >= 0) {
    throw parseFailure(`'alpha' must be between 0 and 1 (exclusive), found alpha: ${show(alpha)}`);
  }
  return toDecimal(alpha);
};

const movingFields =
  "$expMovingAvg sub object must have exactly two fields: An 'input' field, and either an 'N' field or an 'alpha' field";

/** `$expMovingAvg`. It is computed with decimals, so that small terms are not lost in large sums. */
const movingAverage: WindowFunctionParser = (spec, context, name) => {
  const argument = spec.get(name);
  if (spec.size !== 1 || !isDoc(argument)) {
    throw parseFailure('$expMovingAvg must have exactly one argument that is an object');
  }
  const input = argument.get('input');
  if (argument.size !== 2 || input === undefined) throw parseFailure(movingFields);
  if (context.sort === undefined) throw parseFailure("$expMovingAvg requires an explicit 'sortBy'");
  const { evaluate } = context.parser.operand(input);
  if (!argument.has('N') && !argument.has('alpha')) {
    throw parseFailure(`Got unrecognized field in $expMovingAvg${movingFields}`);
  }
  const weight = readWeight(argument);
  const rest = Decimal.fromBigInt(1n).subtract(weight);
  return {
    over: (partition): Results => {
      let average: Decimal | undefined;
      let decimals = false;
      return index => {
        const value = partition.evaluate(index, evaluate);
        if (isNumber(value)) {
          if (value instanceof Decimal) decimals = true;
          const exact = toDecimal(value);
          average = average === undefined ? exact : exact.multiply(weight).add(average.multiply(rest));
        }
        if (average === undefined) return null;
        return decimals ? average : double(average.toNumber());
      };
    },
  };
};

/** `$locf`: the last value that is neither null nor missing. */
const carriedForward: WindowFunctionParser = (spec, context, name) => {
  const { evaluate } = context.parser.operand(readUnbounded(spec, context, name));
  return {
    over: (partition): Results => {
      let last: Value = null;
      return index => {
        const value = partition.evaluate(index, evaluate);
        if (!isNullish(value)) last = value;
        return last;
      };
    },
  };
};

/** Returns a number, or a date in milliseconds. */
const placeOf = (value: Value | undefined): NumberValue | undefined => {
  if (isNumber(value)) return value;
  const ms = dateOf(value);
  return ms === undefined ? undefined : BigInt(ms);
};

interface Point {
  readonly x: NumberValue;
  readonly y: NumberValue;
}

const between = (left: Point, right: Point, x: NumberValue): Value =>
  add(left.y, multiply(subtract(x, left.x), divide(subtract(right.y, left.y), subtract(right.x, left.x))));

const requirePlaces = (places: readonly (Value | undefined)[]): ((index: number) => NumberValue) => {
  return index => {
    const value = places[index];
    const before = index === 0 ? undefined : places[index - 1];
    const place = placeOf(value);
    if (place === undefined) {
      throw fail('TypeMismatch', `Value of the sortBy field must be numeric or a date, but found ${typeName(value)}`);
    }
    if (index === 0) return place;
    if (equal(value, before)) throw fail(6050106, 'There can be no repeated values in the sort field');
    if (isNumber(value) !== isNumber(before)) {
      throw fail(
        'TypeMismatch',
        `Conflicting sort value types, previously received type ${typeName(before)}, but found ${typeName(value)}`,
      );
    }
    return place;
  };
};

const requireFillable = (value: Value | undefined): NumberValue | undefined => {
  if (isNullish(value)) return undefined;
  if (isNumber(value)) return value;
  throw fail('TypeMismatch', `Value to be filled must be numeric or nullish, but found ${typeName(value)}`);
};

const filled = (input: Expression, sort: Sort): WindowFunction => ({
  over: (partition): Results => {
    const { length } = partition.docs;
    const places = sortValues(partition, sort);
    const placeAt = requirePlaces(places);
    let left: Point | undefined;
    let right: Point | undefined;
    /** The index up to which the next known value has been searched for. */
    let searched = 0;

    const findRight = (index: number): Point | undefined => {
      if (right !== undefined) return right;
      for (searched = Math.max(searched, index + 1); searched < length; searched++) {
        const value = partition.evaluate(searched, input.evaluate);
        const x = placeOf(places[searched]);
        if (isNumber(value) && x !== undefined) return (right = { x, y: value });
      }
      return undefined;
    };

    return index => {
      const y = requireFillable(partition.evaluate(index, input.evaluate));
      const x = placeAt(index);
      if (y !== undefined) {
        left = { x, y };
        right = undefined;
        return y;
      }
      const next = left === undefined ? undefined : findRight(index);
      return next === undefined ? null : between(left!, next, x);
    };
  },
});

const linearFill: WindowFunctionParser = (spec, context, name) => {
  const input = context.parser.operand(readUnbounded(spec, context, name));
  const { sort } = context;
  if (sort?.pattern.length === 1) return filled(input, sort);
  throw fail(605001, `${name} must be specified with a top level sortBy expression with exactly one element`);
};

/** The functions that depend on the order of the documents. */
export const orderFunctions: readonly (readonly [string, WindowFunctionParser])[] = [
  ['$denseRank', ranked((rank, _number, same) => (same ? rank : rank + 1))],
  ['$documentNumber', ranked((_rank, number) => number)],
  ['$expMovingAvg', movingAverage],
  ['$first', endOf('first')],
  ['$last', endOf('last')],
  ['$linearFill', linearFill],
  ['$locf', carriedForward],
  ['$rank', ranked((rank, number, same) => (same ? rank : number))],
  ['$shift', shift],
];
