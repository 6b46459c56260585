import { fail } from '../../errors.js';
import { add, divide, isNaNValue, isZero, multiply, subtract } from '../../value/numbers.js';
import { lookup, splitPath } from '../../value/path.js';
import { show } from '../../value/show.js';
import type { NumberValue, Value } from '../../value/value.js';
import { DateValue, double, isDoc, isNullish, isNumber, typeName } from '../../value/value.js';
import type { Expression } from '../expression.js';
import { longFromDate } from '../total.js';
import type { Given, WindowContext, WindowFunctionParser } from './arguments.js';
import { boundsOr, readStrictly, requireOneField } from './arguments.js';
import { parseUnit } from './bounds.js';
import { Queue } from './gatherers.js';
import type { Gatherer } from './sliding.js';
import { slide } from './sliding.js';
import { sortValues, spansOf } from './spans.js';
import { WindowSum } from './window-sum.js';

const parseFailure = (message: string): Error => fail('FailedToParse', message);

const lengths: Readonly<Partial<Record<string, bigint>>> = {
  week: 604_800_000n,
  day: 86_400_000n,
  hour: 3_600_000n,
  minute: 60_000n,
  second: 1000n,
  millisecond: 1n,
};

/** Returns the milliseconds of a unit of constant length. */
const readUnit = (value: Value | undefined): bigint | undefined => {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw parseFailure(`unit' must be a string, but got ${typeName(value)}`);
  const length = lengths[parseUnit(value)];
  if (length === undefined) throw fail(5490710, "unit must be 'week' or smaller");
  return length;
};

interface Calculus {
  readonly input: Expression;
  readonly unit: bigint | undefined;
}

const readCalculus = ({ argument }: Given, { parser }: WindowContext, name: string): Calculus => {
  if (!isDoc(argument)) {
    throw parseFailure(`${name} expects an object, but got a ${typeName(argument)}: ${name}: ${show(argument)}`);
  }
  for (const key of argument.keys()) {
    if (key !== 'input' && key !== 'unit') throw parseFailure(`${name} got unexpected argument: ${key}`);
  }
  const inputSpec = argument.get('input');
  const unit = readUnit(argument.get('unit'));
  if (inputSpec === undefined) throw parseFailure(`${name} requires an 'input' expression`);
  return { input: parser.operand(inputSpec), unit };
};

/** Returns the difference of two numbers, or of two dates in milliseconds. */
const distance = (from: Value, to: Value): NumberValue =>
  to instanceof DateValue
    ? longFromDate(to) - longFromDate(from as DateValue)
    : subtract(to as NumberValue, from as NumberValue);

/**
 * `$derivative`: the change of the input from the first to the last document of the window, per unit of the sort field.
 */
const derivative: WindowFunctionParser = (spec, context, name) => {
  const sort = requireOneField(context.sort, name);
  const given = readStrictly(spec, context, name);
  const { input, unit } = readCalculus(given, context, name);
  const { bounds } = given;
  if (bounds === undefined) throw parseFailure('$derivative requires explicit window bounds');

  const requireTimes = (left: Value | undefined, right: Value | undefined): void => {
    const dates = [left, right].filter(time => time instanceof DateValue).length;
    if (unit !== undefined) {
      if (dates === 2) return;
      throw fail(5624900, "$derivative with 'unit' expects the sortBy field to be a Date");
    }
    if (dates > 0) throw fail(5624901, "$derivative where the sortBy is a Date requires an 'unit'");
    if (!isNumber(left) || !isNumber(right)) {
      throw fail(5624902, "$derivative (with no 'unit') expects the sortBy field to be numeric");
    }
  };

  const riseBetween = (left: Value | undefined, right: Value | undefined): NumberValue => {
    if (isNullish(left) || isNullish(right)) throw fail(5624903, '$derivative input must not be null or missing');
    const alike = (isNumber(left) && isNumber(right)) || (left instanceof DateValue && right instanceof DateValue);
    if (alike) return distance(left, right);
    throw fail('TypeMismatch', `can't $subtract ${typeName(left)} from ${typeName(right)}`);
  };

  return {
    over: partition => {
      const spanOf = spansOf(bounds, partition, sort);
      const times = sortValues(partition, sort);
      return index => {
        const span = spanOf(index);
        if (span === undefined) return null;
        const [left, right] = [times[span.first], times[span.last]];
        requireTimes(left, right);
        const run = distance(left!, right!);
        const rise = riseBetween(
          partition.evaluate(span.first, input.evaluate),
          partition.evaluate(span.last, input.evaluate),
        );
        // The slope of a window of one document is not defined.
        if (isZero(run)) return null;
        const slope = divide(rise, run);
        return unit === undefined ? slope : multiply(slope, unit);
      };
    },
  };
};

interface Point {
  readonly x: NumberValue | DateValue;
  readonly y: NumberValue;
}

const isBroken = ({ x, y }: Point): boolean => (isNumber(x) && isNaNValue(x)) || isNaNValue(y);

/** The area under the points by the trapezoidal rule. */
class Area implements Gatherer<Point> {
  readonly #points = new Queue<Point>();
  readonly #sum = new WindowSum();
  readonly #unit: bigint | undefined;
  #broken = 0;

  constructor(unit: bigint | undefined) {
    this.#unit = unit;
  }

  add(point: Point): void {
    if (isBroken(point)) this.#broken += 1;
    if (this.#points.size > 0) this.#sum.add(trapezoid(this.#points.at(this.#points.size - 1)!, point));
    this.#points.push(point);
  }

  remove(point: Point): void {
    if (isBroken(point)) this.#broken -= 1;
    this.#points.shift();
    if (this.#points.size > 0) this.#sum.remove(trapezoid(point, this.#points.at(0)!));
  }

  result(): Value {
    if (this.#points.size === 0) return null;
    if (this.#broken > 0) return double(Number.NaN);
    const area = this.#sum.result();
    return this.#unit === undefined ? area : divide(area, this.#unit);
  }
}

const trapezoid = (left: Point, right: Point): NumberValue =>
  isBroken(left) || isBroken(right) ? 0 : divide(multiply(add(left.y, right.y), distance(left.x, right.x)), double(2));

const integral: WindowFunctionParser = (spec, context, name) => {
  const sort = requireOneField(context.sort, name);
  const given = readStrictly(spec, context, name);
  const { input, unit } = readCalculus(given, context, name);
  const parts = splitPath(sort.pattern[0]!.path);

  const requirePoint = (x: Value | undefined, y: Value | undefined): Point => {
    if (!isNumber(y) || !(isNumber(x) || x instanceof DateValue)) {
      throw fail(
        5423900,
        'The input value of $integral window function must be a vector of 2 value, the first value must be numeric or date type and the second must be numeric.',
      );
    }
    if (unit !== undefined && isNumber(x)) {
      throw fail(5423901, "$integral with 'unit' expects the sortBy field to be a Date");
    }
    if (unit === undefined && !isNumber(x)) {
      throw fail(5423902, "$integral (with no 'unit') expects the sortBy field to be numeric");
    }
    return { x, y };
  };

  return slide<Point>({
    bounds: boundsOr(given),
    sort,
    read: scope => requirePoint(lookup(scope.root, parts), input.evaluate(scope)),
    start: () => new Area(unit),
  });
};

/** The functions that use the sort field as the x-axis. */
export const calculusFunctions: readonly (readonly [string, WindowFunctionParser])[] = [
  ['$derivative', derivative],
  ['$integral', integral],
];
