import { CommandError, fail } from '../errors.js';
import { Doc } from '../value/doc.js';
import { minInt64, toExactLong } from '../value/numbers.js';
import { showField } from './operator.js';
import type { Value } from '../value/value.js';
import { DateValue, isArray, isDoc, isNullish, isNumber, TimestampValue, typeName } from '../value/value.js';
import type { DateParts } from './calendar.js';
import { dayOfIsoWeek, dayOfWeek, dayOfYear, isoDayOfWeek, isoWeek, msPerDay, weekOfYear } from './calendar.js';
import { dateOf, print, toMillis } from './coerce.js';
import { formatInZone, isoFormat, requireFormat } from './date-format.js';
import { parseDate } from './date-parse.js';
import type { Unit } from './date-unit.js';
import { addToDate, differenceOf, isUnit, parseDayOfWeek, truncateDate } from './date-unit.js';
import type { Expression, Operator, Operators, Parser } from './expression.js';
import type { Signature } from './operator.js';
import { namedOperands, unary } from './operator.js';
import type { Scope } from './scope.js';
import type { TimeZone } from './timezone.js';
import { instantOf, instantOfParts, localParts, timeZoneOf, utc } from './timezone.js';

type Maybe = Value | undefined;

/** The zone that an argument names; undefined if it is null or missing. @throws CommandError 40485, 40517 */
const zoneOf = (argument: Expression | undefined, scope: Scope): TimeZone | undefined => {
  if (argument === undefined) return utc;
  const name = argument.evaluate(scope);
  if (isNullish(name)) return undefined;
  if (typeof name !== 'string') throw fail(40517, `timezone must evaluate to a string, found ${typeName(name)}`);
  return timeZoneOf(name);
};

/** All arguments of an operator that were given, for folding. */
const given = (named: ReadonlyMap<string, Expression>): readonly Expression[] => [...named.values()];

const required = (named: ReadonlyMap<string, Expression>, field: string, code: number, name: string): Expression => {
  const operand = named.get(field);
  if (operand === undefined) throw fail(code, `Missing '${field}' parameter to ${name}`);
  return operand;
};

interface DateArguments {
  readonly date: Expression;
  readonly timezone: Expression | undefined;
}

/** A date, `[date]`, or `{ date, timezone }`. */
const dateArguments = (spec: Value, parser: Parser, name: string): DateArguments => {
  if (isArray(spec)) {
    if (spec.length === 1) return { date: parser.operand(spec[0]!), timezone: undefined };
    throw fail(40536, `${name} accepts exactly one argument if given an array, but was given ${spec.length}`);
  }
  const isOptions = isDoc(spec) && spec.keys()[0]?.startsWith('$') !== true;
  if (!isOptions) return { date: parser.operand(spec), timezone: undefined };
  const named = namedOperands(spec, parser, {
    fields: ['date', 'timezone'],
    notObject: () => fail('InternalError', 'unreachable'),
    unknown: field => fail(40535, `unrecognized option to ${name}: "${field}"`),
  });
  const date = named.get('date');
  if (date === undefined) throw fail(40539, `missing 'date' argument to ${name}, provided: ${showField(name, spec)}`);
  return { date, timezone: named.get('timezone') };
};

/** Reads one thing from what calendar and clock show; the day is counted from 1970-01-01. */
const reading =
  (read: (parts: DateParts, day: number) => Value): Operator =>
  (spec, parser, name) => {
    const { date, timezone } = dateArguments(spec, parser, name);
    return parser.fold(timezone === undefined ? [date] : [date, timezone], scope => {
      const value = date.evaluate(scope);
      if (isNullish(value)) return null;
      const ms = toMillis(value);
      const zone = zoneOf(timezone, scope);
      if (zone === undefined) return null;
      const local = ms + zone.offsetAt(ms);
      return read(localParts(ms, zone), Math.floor(local / msPerDay));
    });
  };

const partFields = ['hour', 'minute', 'second', 'millisecond'] as const;
const calendarFields = ['year', 'month', 'day'] as const;
const weekFields = ['isoWeekYear', 'isoWeek', 'isoDayOfWeek'] as const;
const bounded: ReadonlySet<string> = new Set(['hour', 'minute', 'month', 'day', 'isoWeek', 'isoDayOfWeek']);

/** A part of `$dateFromParts`; undefined if it is null or missing. @throws CommandError 40515, 31034 */
const partValue = (field: string, value: Maybe): number | undefined => {
  if (isNullish(value)) return undefined;
  const long = isNumber(value) ? toExactLong(value) : undefined;
  if (long === undefined) {
    throw fail(40515, `'${field}' must evaluate to an integer, found ${typeName(value)} with value ${print(value)}`);
  }
  if (bounded.has(field) && (long < -32_768n || long > 32_767n)) {
    throw fail(31034, `'${field}' must evaluate to a value in the range [-32768, 32767]; value ${long} is not in range`);
  }
  return Number(long);
};

const requireYear = (field: string, code: number, year: number): void => {
  if (year >= 1 && year <= 9999) return;
  throw fail(code, `'${field}' must evaluate to an integer in the range 1 to 9999, found ${year}`);
};

const requireOneCalendar = (named: ReadonlyMap<string, Expression>): void => {
  const hasAny = (fields: readonly string[]): boolean => fields.some(field => named.has(field));
  if (!named.has('year') && !named.has('isoWeekYear')) {
    throw fail(40516, `$dateFromParts requires either 'year' or 'isoWeekYear' to be present`);
  }
  if (named.has('year') && hasAny(weekFields)) {
    throw fail(40489, '$dateFromParts does not allow mixing natural dates with ISO dates');
  }
  if (named.has('isoWeekYear') && hasAny(calendarFields)) {
    throw fail(40525, '$dateFromParts does not allow mixing ISO dates with natural dates');
  }
};

const dateFromParts: Operator = (spec, parser) => {
  const named = namedOperands(spec, parser, {
    fields: [...calendarFields, ...weekFields, ...partFields, 'timezone'],
    notObject: () => fail(40519, '$dateFromParts only supports an object as its argument'),
    unknown: field => fail(40518, `Unrecognized argument to $dateFromParts: ${field}`),
  });
  requireOneCalendar(named);
  const byWeek = named.has('isoWeekYear');
  const dateFields = byWeek ? weekFields : calendarFields;
  return parser.fold(given(named), scope => {
    const read = (field: string, otherwise: number): number | undefined => {
      const operand = named.get(field);
      return operand === undefined ? otherwise : partValue(field, operand.evaluate(scope));
    };
    const [hour, minute, second, millisecond] = partFields.map(field => read(field, 0));
    if (hour === undefined || minute === undefined || second === undefined || millisecond === undefined) return null;
    const zone = zoneOf(named.get('timezone'), scope);
    if (zone === undefined) return null;
    const [year, month, day] = dateFields.map((field, i) => read(field, i === 0 ? 1970 : 1));
    if (year === undefined || month === undefined || day === undefined) return null;
    requireYear(dateFields[0], byWeek ? 31095 : 40523, year);
    const clock = { hour, minute, second, millisecond };
    if (!byWeek) return new DateValue(instantOfParts({ year, month, day, ...clock }, zone));
    const local = dayOfIsoWeek(year, month, day) * msPerDay;
    return new DateValue(instantOf(local + hour * 3_600_000 + minute * 60_000 + second * 1000 + millisecond, zone));
  });
};

/** The format to print or parse by: null in place of null and missing. */
const formatOf = (argument: Expression | undefined, scope: Scope, name: string, use: 'print' | 'parse', code: number): string | null | undefined => {
  if (argument === undefined) return undefined;
  const format = argument.evaluate(scope);
  if (isNullish(format)) return null;
  if (typeof format !== 'string') {
    throw fail(code, `${name} requires that 'format' be a string, found: ${typeName(format)} with value ${print(format)}`);
  }
  requireFormat(format, use);
  return format;
};

const dateFromString: Operator = (spec, parser, name) => {
  const named = namedOperands(spec, parser, {
    fields: ['dateString', 'format', 'timezone', 'onNull', 'onError'],
    notObject: found => fail(40540, `$dateFromString only supports an object as an argument, found: ${typeName(found)}`),
    unknown: field => fail(40541, `Unrecognized argument to $dateFromString: ${field}`),
  });
  const dateString = required(named, 'dateString', 40542, name);
  const onNull = named.get('onNull');
  const onError = named.get('onError');

  const parse = (text: Value, zone: TimeZone | undefined, format: string | null | undefined): Value => {
    if (typeof text !== 'string') {
      throw fail(
        'ConversionFailure',
        `$dateFromString requires that 'dateString' be a string, found: ${typeName(text)} with value ${print(text)}`,
      );
    }
    if (zone === undefined || format === null) return null;
    return new DateValue(parseDate(text, zone, format));
  };

  return parser.fold(given(named), scope => {
    const text = dateString.evaluate(scope);
    const format = formatOf(named.get('format'), scope, name, 'parse', 40684);
    const zone = zoneOf(named.get('timezone'), scope);
    if (isNullish(text)) return onNull === undefined ? null : onNull.evaluate(scope);
    try {
      return parse(text, zone, format);
    } catch (error) {
      if (onError !== undefined && error instanceof CommandError && error.codeName === 'ConversionFailure') {
        return onError.evaluate(scope);
      }
      throw error;
    }
  });
};

const isoFlag = (argument: Expression | undefined, scope: Scope): boolean | undefined => {
  const value = argument === undefined ? false : argument.evaluate(scope);
  if (isNullish(value)) return undefined;
  if (typeof value !== 'boolean') throw fail(40521, `iso8601 must evaluate to a bool, found ${typeName(value)}`);
  return value;
};

const isoParts = ({ year, month, day }: DateParts): readonly (readonly [string, Value])[] => {
  const number = Math.floor(instantOfParts({ year, month, day, hour: 0, minute: 0, second: 0, millisecond: 0 }, utc) / msPerDay);
  const week = isoWeek(number);
  return [
    ['isoWeekYear', week.year],
    ['isoWeek', week.week],
    ['isoDayOfWeek', isoDayOfWeek(number)],
  ];
};

const dateToParts: Operator = (spec, parser, name) => {
  const named = namedOperands(spec, parser, {
    fields: ['date', 'timezone', 'iso8601'],
    notObject: () => fail(40524, '$dateToParts only supports an object as its argument'),
    unknown: field => fail(40520, `Unrecognized argument to $dateToParts: ${field}`),
  });
  const date = required(named, 'date', 40522, name);
  return parser.fold(given(named), scope => {
    const value = date.evaluate(scope);
    const zone = zoneOf(named.get('timezone'), scope);
    if (zone === undefined) return null;
    const iso = isoFlag(named.get('iso8601'), scope);
    if (iso === undefined || isNullish(value)) return null;
    const parts = localParts(toMillis(value), zone);
    const { year, month, day, hour, minute, second, millisecond } = parts;
    return Doc.of([
      ...(iso ? isoParts(parts) : ([['year', year], ['month', month], ['day', day]] as const)),
      ['hour', hour],
      ['minute', minute],
      ['second', second],
      ['millisecond', millisecond],
    ]);
  });
};

const dateToString: Operator = (spec, parser, name) => {
  const named = namedOperands(spec, parser, {
    fields: ['date', 'format', 'timezone', 'onNull'],
    notObject: () => fail(18629, '$dateToString only supports an object as its argument'),
    unknown: field => fail(18534, `Unrecognized argument to $dateToString: ${field}`),
  });
  const date = required(named, 'date', 18628, name);
  const onNull = named.get('onNull');
  return parser.fold(given(named), scope => {
    const value = date.evaluate(scope);
    const format = formatOf(named.get('format'), scope, name, 'print', 18533);
    const zone = zoneOf(named.get('timezone'), scope);
    if (isNullish(value)) return onNull === undefined ? null : onNull.evaluate(scope);
    if (zone === undefined || format === null) return null;
    return formatInZone(toMillis(value), zone, format ?? isoFormat(zone));
  });
};

/** The unit that an argument names; undefined if it is null or missing. @throws CommandError 5439013, FailedToParse */
const unitOf = (value: Maybe, name: string): Unit | undefined => {
  if (isNullish(value)) return undefined;
  if (typeof value !== 'string') throw fail(5439013, `${name} requires 'unit' to be a string, but got ${typeName(value)}`);
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

const dateDiff: Operator = (spec, parser, name) => {
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
    return differenceOf(requireDate(start, name, 'startDate'), requireDate(end, name, 'endDate'), unit, zone, startOfWeek);
  });
};

const shifting =
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

const dateTrunc: Operator = (spec, parser, name) => {
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

const ofTimestamp = (code: number, read: (value: TimestampValue) => number): Operator =>
  unary((value, name) => {
    if (isNullish(value)) return null;
    if (value instanceof TimestampValue) return BigInt(read(value));
    throw fail(code, ` Argument to ${name} must be a timestamp, but is ${typeName(value)}`);
  });

export const dateOperators: Operators = new Map([
  ['$dateAdd', shifting(1n)],
  ['$dateDiff', dateDiff],
  ['$dateFromParts', dateFromParts],
  ['$dateFromString', dateFromString],
  ['$dateSubtract', shifting(-1n)],
  ['$dateToParts', dateToParts],
  ['$dateToString', dateToString],
  ['$dateTrunc', dateTrunc],
  ['$dayOfMonth', reading(parts => parts.day)],
  ['$dayOfWeek', reading((_, day) => dayOfWeek(day))],
  ['$dayOfYear', reading((_, day) => dayOfYear(day))],
  ['$hour', reading(parts => parts.hour)],
  ['$isoDayOfWeek', reading((_, day) => isoDayOfWeek(day))],
  ['$isoWeek', reading((_, day) => isoWeek(day).week)],
  ['$isoWeekYear', reading((_, day) => BigInt(isoWeek(day).year))],
  ['$millisecond', reading(parts => parts.millisecond)],
  ['$minute', reading(parts => parts.minute)],
  ['$month', reading(parts => parts.month)],
  ['$second', reading(parts => parts.second)],
  ['$tsIncrement', ofTimestamp(5687302, value => value.i)],
  ['$tsSecond', ofTimestamp(5687301, value => value.t)],
  ['$week', reading((_, day) => weekOfYear(day))],
  ['$year', reading(parts => parts.year)],
]);
