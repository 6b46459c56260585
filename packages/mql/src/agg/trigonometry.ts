import { fail } from '../errors.js';
import { Decimal } from '../value/decimal.js';
import { toDecimal, toDouble } from '../value/numbers.js';
import type { NumberValue, Value } from '../value/value.js';
import { Double, isNullish, isNumber, typeName } from '../value/value.js';
import { formatDouble } from './coerce.js';
import * as decimals from './decimal-functions.js';
import type { Operator, Operators } from './expression.js';
import { binary, numeric } from './operator.js';

/** The interval of valid arguments, with its text for messages. */
interface Domain {
  readonly holds: (n: number) => boolean;
  readonly text: string;
}

const everywhere: Domain = { holds: () => true, text: '(-inf,inf)' };
const finite: Domain = { holds: n => Number.isFinite(n), text: '(-inf,inf)' };
const unit: Domain = { holds: n => n >= -1 && n <= 1, text: '[-1,1]' };
const fromOne: Domain = { holds: n => n >= 1, text: '[1,inf]' };

const real = (onDouble: (n: number) => number, onDecimal: (d: Decimal) => Decimal, domain: Domain): Operator =>
  numeric((a, name): Value => {
    const n = toDouble(a);
    if (!Number.isNaN(n) && !domain.holds(n)) {
      const shown = a instanceof Decimal ? a.toString() : formatDouble(n).replace('Infinity', 'inf');
      throw fail(50989, `cannot apply ${name} to ${shown}, value must be in ${domain.text}`);
    }
    return a instanceof Decimal ? onDecimal(a) : new Double(onDouble(n));
  });

const requireNumber = (value: Value, code: number): NumberValue => {
  if (!isNumber(value)) throw fail(code, `$atan2 only supports numeric types, not ${typeName(value)}`);
  return value;
};

const atan2 = binary((y, x) => {
  if (isNullish(y) || isNullish(x)) return null;
  const a = requireNumber(y, 51044);
  const b = requireNumber(x, 51045);
  if (a instanceof Decimal || b instanceof Decimal) return decimals.angleOf(toDecimal(a), toDecimal(b));
  return new Double(Math.atan2(toDouble(a), toDouble(b)));
});

export const trigonometryOperators: Operators = new Map([
  ['$acos', real(Math.acos, decimals.inverseOfCosine, unit)],
  ['$acosh', real(Math.acosh, decimals.inverseOfHyperbolicCosine, fromOne)],
  ['$asin', real(Math.asin, decimals.inverseOfSine, unit)],
  ['$asinh', real(Math.asinh, decimals.inverseOfHyperbolicSine, everywhere)],
  ['$atan', real(Math.atan, decimals.inverseOfTangent, everywhere)],
  ['$atan2', atan2],
  ['$atanh', real(Math.atanh, decimals.inverseOfHyperbolicTangent, unit)],
  ['$cos', real(Math.cos, decimals.cosine, finite)],
  ['$cosh', real(Math.cosh, decimals.hyperbolicCosine, everywhere)],
  ['$degreesToRadians', real(n => n * (Math.PI / 180), decimals.toRadians, everywhere)],
  ['$radiansToDegrees', real(n => n * (180 / Math.PI), decimals.toDegrees, everywhere)],
  ['$sin', real(Math.sin, decimals.sine, finite)],
  ['$sinh', real(Math.sinh, decimals.hyperbolicSine, everywhere)],
  ['$tan', real(Math.tan, decimals.tangent, finite)],
  ['$tanh', real(Math.tanh, decimals.hyperbolicTangent, everywhere)],
]);
