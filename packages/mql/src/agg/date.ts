import { fail } from '../errors.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc, isNullish, TimestampValue, typeName } from '../value/value.js';
import type { DateParts } from './calendar.js';
import { dayOfWeek, dayOfYear, isoDayOfWeek, isoWeek, msPerDay, weekOfYear } from './calendar.js';
import { toMillis } from './coerce.js';
import { zoneOf } from './date-arguments.js';
import { dateFromParts, dateToParts } from './date-parts.js';
import { dateDiff, dateTrunc, shifting } from './date-shift.js';
import { dateFromString, dateToString } from './date-text.js';
import type { Expression, Operator, Operators, Parser } from './expression.js';
import { namedOperands, showField, unary } from './operator.js';
import { localParts } from './timezone.js';

interface DateArguments {
  readonly date: Expression;
  readonly timezone: Expression | undefined;
}

/** Reads the arguments: a date, `[date]`, or `{ date, timezone }`. */
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

/** Creates an operator that reads a value from the local date and time. `day` is counted from 1970-01-01. */
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
