import { fail } from '../errors.js';
import { Decimal } from '../value/decimal.js';
import {
  abs,
  divide,
  isInt32,
  isInt64,
  isZero,
  minInt64,
  mod,
  subtract,
  toDecimal,
  toDouble,
  toExactLong,
} from '../value/numbers.js';
import type { NumberValue, Value } from '../value/value.js';
import { DateValue, Double, isNullish, isNumber, typeName } from '../value/value.js';
import { formatDouble, intOrLong } from './coerce.js';
import { exponential, logarithm, power, squareRoot } from './decimal-functions.js';
import type { Operators } from './expression.js';
import { binary, numeric, ranged, variadic } from './operator.js';
import { quantize, roundDouble } from './rounding.js';
import { dateFromLong, longFromDate, Product, toMillisToAdd, Total } from './total.js';

type Maybe = Value | undefined;

const add = variadic(operands => scope => {
  const total = new Total();
  for (const operand of operands) {
    const value = operand.evaluate(scope);
    if (isNullish(value)) return null;
    if (!isNumber(value) && !(value instanceof DateValue)) {
      throw fail('TypeMismatch', `$add only supports numeric or date types, not ${typeName(value)}`);
    }
    total.add(value);
  }
  return total.result();
});

const multiply = variadic(operands => scope => {
  const product = new Product();
  for (const operand of operands) {
    const value = operand.evaluate(scope);
    if (isNullish(value)) return null;
    if (!isNumber(value)) throw fail('TypeMismatch', `$multiply only supports numeric types, not ${typeName(value)}`);
    product.multiply(value);
  }
  return product.result();
});

const subtractFromDate = (a: DateValue, b: Value): Value => {
  if (b instanceof DateValue) {
    const difference = longFromDate(a) - longFromDate(b);
    if (!isInt64(difference)) throw fail('Overflow', 'date overflow');
    return difference;
  }
  if (isNumber(b)) return dateFromLong(longFromDate(a) - toMillisToAdd(b));
  throw fail('TypeMismatch', `can't $subtract ${typeName(b)} from Date`);
};

const subtractValues = (a: Maybe, b: Maybe): Maybe => {
  if (isNumber(a) && isNumber(b)) {
    // An int difference is computed in 64 bits; a long difference that overflows becomes a double. Both follow from
    // subtract().
    return subtract(a, b);
  }
  if (isNullish(a) || isNullish(b)) return null;
  if (a instanceof DateValue) return subtractFromDate(a, b);
  throw fail('TypeMismatch', `can't $subtract ${typeName(b)} from ${typeName(a)}`);
};

const divideValues = (a: Maybe, b: Maybe): Maybe => {
  if (isNumber(a) && isNumber(b)) {
    if (isZero(b)) throw fail('BadValue', `can't $divide by zero`);
    return divide(a, b);
  }
  if (isNullish(a) || isNullish(b)) return null;
  throw fail('TypeMismatch', `$divide only supports numeric types, not ${typeName(a)} and ${typeName(b)}`);
};

const modValues = (a: Maybe, b: Maybe): Maybe => {
  if (isNumber(a) && isNumber(b)) {
    const decimals = a instanceof Decimal || b instanceof Decimal;
    if (isZero(b)) throw fail(decimals ? 5733415 : 16610, `can't $mod by zero`);
    // A double that is an int32 is one, unless the dividend is a double too.
    const isWhole = b instanceof Double && !(a instanceof Double) && !decimals && isInt32(b.value);
    return mod(a, isWhole ? b.value : b);
  }
  if (isNullish(a) || isNullish(b)) return null;
  throw fail(16611, `$mod only supports numeric types, not ${typeName(a)} and ${typeName(b)}`);
};

const absolute = (a: NumberValue): Value => {
  if (a === minInt64) throw fail(28680, `can't take $abs of long long min`);
  return abs(a);
};

const toWhole =
  (onDouble: (n: number) => number, rounding: 'floor' | 'ceil') =>
  (a: NumberValue): Value => {
    if (a instanceof Decimal) return quantize(a, 0, rounding);
    return a instanceof Double ? new Double(onDouble(a.value)) : a;
  };

const requirePositive = (code: number, subject: string, n: number): number => {
  if (n > 0 || Number.isNaN(n)) return n;
  throw fail(code, `${subject} must be a positive number, but is ${formatDouble(n)}`);
};

const ln = (a: NumberValue): Value => {
  if (a instanceof Decimal && !a.isNaN && !a.negative && !a.isZero) return logarithm(a);
  return new Double(Math.log(requirePositive(28766, `$ln's argument`, toDouble(a))));
};

const log10 = (a: NumberValue): Value => {
  if (a instanceof Decimal && !a.isNaN && !a.negative && !a.isZero) return logarithm(a, Decimal.fromBigInt(10n));
  return new Double(Math.log10(requirePositive(28761, `$log10's argument`, toDouble(a))));
};

const isUsableBase = (base: number): boolean => (base > 0 && base !== 1) || Number.isNaN(base);

const log = (a: Maybe, b: Maybe): Maybe => {
  if (isNullish(a) || isNullish(b)) return null;
  if (!isNumber(a)) throw fail(28756, `$log's argument must be numeric, not ${typeName(a)}`);
  if (!isNumber(b)) throw fail(28757, `$log's base must be numeric, not ${typeName(b)}`);
  const argument = requirePositive(28758, `$log's argument`, toDouble(a));
  const base = toDouble(b);
  if (!isUsableBase(base)) {
    throw fail(28759, `$log's base must be a positive number not equal to 1, but is ${formatDouble(base)}`);
  }
  if (a instanceof Decimal || b instanceof Decimal) return logarithm(toDecimal(a), toDecimal(b));
  return new Double(Math.log(argument) / Math.log(base));
};

/** Returns an integer power, or undefined if it exceeds 64 bits. */
const integerPower = (base: bigint, exponent: bigint): bigint | undefined => {
  if (base === 0n || base === 1n) return exponent === 0n ? 1n : base;
  if (base === -1n) return exponent % 2n === 0n ? 1n : -1n;
  if (exponent < 0n || exponent > 63n) return undefined;
  const result = base ** exponent;
  return isInt64(result) ? result : undefined;
};

const pow = (a: Maybe, b: Maybe): Maybe => {
  if (isNullish(a) || isNullish(b)) return null;
  if (!isNumber(a)) throw fail(28762, `$pow's base must be numeric, not ${typeName(a)}`);
  if (!isNumber(b)) throw fail(28763, `$pow's exponent must be numeric, not ${typeName(b)}`);
  if (isZero(a) && toDouble(b) < 0) throw fail(28764, '$pow cannot take a base of 0 and a negative exponent');
  if (a instanceof Decimal || b instanceof Decimal) return power(toDecimal(a), toDecimal(b));
  if (!(a instanceof Double) && !(b instanceof Double)) {
    const exact = integerPower(BigInt(a), BigInt(b));
    if (exact !== undefined) return typeof a === 'bigint' || typeof b === 'bigint' ? exact : intOrLong(exact);
  }
  return new Double(cPower(toDouble(a), toDouble(b)));
};

/** C's `pow`. Unlike JavaScript's `**`, it returns 1 for 1 to any power and for -1 to an infinite power. */
const cPower = (base: number, exponent: number): number => {
  if (base === 1 || (base === -1 && Math.abs(exponent) === Infinity)) return 1;
  return base ** exponent;
};

const sqrt = (a: NumberValue): Value => {
  if (toDouble(a) < 0) throw fail(28714, `$sqrt's argument must be greater than or equal to 0`);
  return a instanceof Decimal ? squareRoot(a) : new Double(Math.sqrt(toDouble(a)));
};

const exp = (a: NumberValue): Value => (a instanceof Decimal ? exponential(a) : new Double(Math.exp(toDouble(a))));

const sigmoid = (a: NumberValue): Value => {
  const one = Decimal.fromBigInt(1n);
  if (a instanceof Decimal) return one.divide(one.add(exponential(a.negate())));
  return new Double(1 / (1 + Math.exp(-toDouble(a))));
};

const placesOf = (value: Value, name: string): number => {
  const places = isNumber(value) ? toExactLong(value) : undefined;
  if (places === undefined) throw fail(51082, `precision argument to  ${name} must be a integral value`);
  if (places < -20n || places > 100n) {
    throw fail(51083, `cannot apply ${name} with precision value ${places} value must be in [-20, 100]`);
  }
  return Number(places);
};

const roundInteger = (a: number | bigint, places: number, rounding: 'halfEven' | 'down', name: string): Value => {
  if (places >= 0) return a;
  const rounded = Decimal.fromBigInt(BigInt(a)).roundTo(-places, rounding).toBigInt()!;
  if (!isInt64(rounded)) {
    throw fail(
      51080,
      `invalid conversion from Decimal128 result in ${name} resulting from arguments: [${a}, ${places}]`,
    );
  }
  return typeof a === 'bigint' ? rounded : intOrLong(rounded);
};

const toPlaces = (rounding: 'halfEven' | 'down') =>
  ranged(1, 2, (operands, name) => {
    const [a, places] = operands;
    if (isNullish(a)) return null;
    if (!isNumber(a)) throw fail(51081, `${name} only supports numeric types, not ${typeName(a)}`);
    if (operands.length === 1) return roundTo(a, 0, rounding, name);
    return isNullish(places) ? null : roundTo(a, placesOf(places, name), rounding, name);
  });

const roundTo = (a: NumberValue, places: number, rounding: 'halfEven' | 'down', name: string): Value => {
  if (a instanceof Decimal) {
    const rounded = quantize(a, -places, rounding);
    // A number that has no room for so many places has them already.
    return rounded.isNaN ? a : rounded;
  }
  if (a instanceof Double) return new Double(roundDouble(a.value, places, rounding));
  return roundInteger(a, places, rounding, name);
};

export const arithmeticOperators: Operators = new Map([
  ['$abs', numeric(absolute)],
  ['$add', add],
  ['$ceil', numeric(toWhole(Math.ceil, 'ceil'))],
  ['$divide', binary(divideValues)],
  ['$exp', numeric(exp)],
  ['$floor', numeric(toWhole(Math.floor, 'floor'))],
  ['$ln', numeric(ln)],
  ['$log', binary(log)],
  ['$log10', numeric(log10)],
  ['$mod', binary(modValues)],
  ['$multiply', multiply],
  ['$pow', binary(pow)],
  ['$round', toPlaces('halfEven')],
  ['$sigmoid', numeric(sigmoid)],
  ['$sqrt', numeric(sqrt)],
  ['$subtract', binary(subtractValues)],
  ['$trunc', toPlaces('down')],
]);
