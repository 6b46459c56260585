import { CommandError, fail } from '../errors.js';
import type { Value } from '../value/value.js';
import { DateValue, isNullish, typeName } from '../value/value.js';
import { print, toMillis } from './coerce.js';
import { given, required, zoneOf } from './date-arguments.js';
import { formatInZone, isoFormat, requireFormat } from './date-format.js';
import { parseDate } from './date-parse.js';
import type { Expression, Operator } from './expression.js';
import { namedOperands } from './operator.js';
import type { Scope } from './scope.js';
import type { TimeZone } from './timezone.js';

/** Returns a valid format for printing or parsing, or null if the argument is null or missing. */
const formatOf = (
  argument: Expression | undefined,
  scope: Scope,
  name: string,
  use: 'print' | 'parse',
  code: number,
): string | null | undefined => {
  if (argument === undefined) return undefined;
  const format = argument.evaluate(scope);
  if (isNullish(format)) return null;
  if (typeof format !== 'string') {
    throw fail(
      code,
      `${name} requires that 'format' be a string, found: ${typeName(format)} with value ${print(format)}`,
    );
  }
  requireFormat(format, use);
  return format;
};

export const dateFromString: Operator = (spec, parser, name) => {
  const named = namedOperands(spec, parser, {
    fields: ['dateString', 'format', 'timezone', 'onNull', 'onError'],
    notObject: found =>
      fail(40540, `$dateFromString only supports an object as an argument, found: ${typeName(found)}`),
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

export const dateToString: Operator = (spec, parser, name) => {
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
