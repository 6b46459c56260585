import { CommandError, fail } from '../errors.js';
import { minInt64, toExactLong } from '../value/numbers.js';
import type { Value } from '../value/value.js';
import { DateValue, isNullish, isNumber, typeName } from '../value/value.js';
import { dateOf, print } from './coerce.js';
import { given, required, zoneOf } from './date-arguments.js';
import type { Unit } from './date-unit.js';
import { addToDate, differenceOf, isUnit, parseDayOfWeek, truncateDate } from './date-unit.js';
import type { Expression, Operator } from './expression.js';
import type { Signature } from './operator.js';
import { namedOperands } from './operator.js';
import type { Scope } from './scope.js';
import type { TimeZone } from './timezone.js';

/**
 * Reads the name of a unit. Returns undefined if it is null or missing.
 * @throws CommandError 5439013, FailedToParse
 */
const unitOf = (value: Value | undefined, name: string): Unit | undefined => {
  if (isNullish(value)) return undefined;
  if (typeof value !== 'string')
    throw fail(5439013, `${name} requires 'unit' to be a string, but got ${typeName(value)}`);
  if (isUnit(value)) return value;
  throw fail(
    'FailedToParse',
    `${name} parameter 'unit' value parsing failed :: caused by :: unknown time unit value: ${value}`,
  );
};

const sunday = 7;

const startOfWeekOf = (argument: Expression | undefined, scope: Scope, name: string): number | undefined => {
  if (argument === undefined) return sunday;
  const value = argument.evaluate(scope);
  if (isNullish(value)) return undefined;
  if (typeof value !== 'string') {
    throw fail(5439015, `${name} requires 'startOfWeek' to be a string, but got ${typeName(value)}`);
  }
  const day = parseDayOfWeek(value);
  if (day !== undefined) return day;
  throw fail(5439016, `${name} parameter 'startOfWeek' value cannot be recognized as a day of a week: ${value}`);
};

const withContext = <T>(context: string, run: () => T): T => {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw fail(error.code, `${context} :: caused by :: ${error.message}`);
  }
};

const zoneWithContext = (argument: Expression | undefined, scope: Scope, name: string): TimeZone | undefined =>
  withContext(`${name} parameter 'timezone' value parsing failed`, () => zoneOf(argument, scope));

const requireDate = (value: Value, name: string, parameter: string): number => {
  const ms = dateOf(value);
  if (ms === undefined) throw fail(5166307, `${name} requires '${parameter}' to be a date, but got ${typeName(value)}`);
  return ms;
};

export const dateDiff: Operator = (spec, parser, name) => {
  const named = namedOperands(spec, parser, {
    fields: ['startDate', 'endDate', 'unit', 'timezone', 'startOfWeek'],
    notObject: () => fail(5166301, '$dateDiff only supports an object as its argument'),
    unknown: field => fail(5166302, `Unrecognized argument to $dateDiff: ${field}`),
  });
  const startDate = required(named, 'startDate', 5166303, name);
  const endDate = required(named, 'endDate', 5166304, name);
  const unitArgument = required(named, 'unit', 5166305, name);
  return parser.fold(given(named), scope => {
    const start = startDate.evaluate(scope);
    const end = endDate.evaluate(scope);
    if (isNullish(start) || isNullish(end)) return null;
    const unit = unitOf(unitArgument.evaluate(scope), name);
    if (unit === undefined) return null;
    const startOfWeek = unit === 'week' ? startOfWeekOf(named.get('startOfWeek'), scope, name) : sunday;
    if (startOfWeek === undefined) return null;
    const zone = zoneWithContext(named.get('timezone'), scope, name);
    if (zone === undefined) return null;
    return differenceOf(
      requireDate(start, name, 'startDate'),
      requireDate(end, name, 'endDate'),
      unit,
      zone,
      startOfWeek,
    );
  });
};

export const shifting =
  (sign: 1n | -1n): Operator =>
  (spec, parser, name) => {
    const named = namedOperands(spec, parser, {
      fields: ['startDate', 'unit', 'amount', 'timezone'],
      notObject: () => fail(5166400, `${name} expects an object as its argument`),
      unknown: field =>
        fail(
          5166401,
          `Unrecognized argument to ${name}: ${field}. Expected arguments are startDate, unit, amount, and optionally timezone.`,
        ),
    });
    const [startDate, unitArgument, amountArgument] = ['startDate', 'unit', 'amount'].map(field => named.get(field));
    if (startDate === undefined || unitArgument === undefined || amountArgument === undefined) {
      throw fail(5166402, `${name} requires startDate, unit, and amount to be present`);
    }
    return parser.fold(given(named), scope => {
      const start = startDate.evaluate(scope);
      if (isNullish(start)) return null;
      const unit = unitOf(unitArgument.evaluate(scope), name);
      const amount = amountArgument.evaluate(scope);
      if (unit === undefined || isNullish(amount)) return null;
      const zone = zoneOf(named.get('timezone'), scope);
      if (zone === undefined) return null;
      const ms = dateOf(start);
      if (ms === undefined) throw fail(5166403, `${name} requires startDate to be convertible to a date`);
      const long = isNumber(amount) ? toExactLong(amount) : undefined;
      if (long === undefined) throw fail(5166405, `${name} expects integer amount of time units`);
      if (sign === -1n && long === minInt64) {
        throw fail(6045000, `invalid $dateSubtract 'amount' parameter value: ${long}`);
      }
      return new DateValue(addToDate(ms, unit, sign * long, zone));
    });
  };

const binSizeOf = (argument: Expression | undefined, scope: Scope): bigint | undefined => {
  if (argument === undefined) return 1n;
  const value = argument.evaluate(scope);
  if (isNullish(value)) return undefined;
  const size = isNumber(value) ? toExactLong(value) : undefined;
  if (size === undefined) {
    throw fail(
      5439017,
      `$dateTrunc requires 'binSize' to be a 64-bit integer, but got value '${print(value)}' of type ${typeName(value)}`,
    );
  }
  if (size <= 0n) throw fail(5439018, `$dateTrunc requires 'binSize' to be greater than 0, but got value ${size}`);
  return size;
};

const truncSignature: Signature = {
  fields: ['date', 'unit', 'binSize', 'timezone', 'startOfWeek'],
  notObject: () => fail(5439007, '$dateTrunc only supports an object as its argument'),
  unknown: field =>
    fail(
      5439008,
      `Unrecognized argument to $dateTrunc: ${field}. Expected arguments are date, unit, and optionally, binSize, timezone, startOfWeek`,
    ),
};

export const dateTrunc: Operator = (spec, parser, name) => {
  const named = namedOperands(spec, parser, truncSignature);
  const date = required(named, 'date', 5439009, name);
  const unitArgument = required(named, 'unit', 5439010, name);
  return parser.fold(given(named), scope => {
    const value = date.evaluate(scope);
    if (isNullish(value)) return null;
    const binSize = binSizeOf(named.get('binSize'), scope);
    if (binSize === undefined) return null;
    const unit = unitOf(unitArgument.evaluate(scope), name);
    if (unit === undefined) return null;
    const startOfWeek = unit === 'week' ? startOfWeekOf(named.get('startOfWeek'), scope, name) : sunday;
    if (startOfWeek === undefined) return null;
    const zone = zoneWithContext(named.get('timezone'), scope, name);
    if (zone === undefined) return null;
    return new DateValue(truncateDate(requireDate(value, name, 'date'), unit, binSize, zone, startOfWeek));
  });
};
