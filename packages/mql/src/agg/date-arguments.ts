import { fail } from '../errors.js';
import { isNullish, typeName } from '../value/value.js';
import type { Expression } from './expression.js';
import type { Scope } from './scope.js';
import type { TimeZone } from './timezone.js';
import { timeZoneOf, utc } from './timezone.js';

/**
 * Returns the time zone that an argument names, or undefined if the argument is null or missing.
 * @throws CommandError 40485, 40517
 */
export const zoneOf = (argument: Expression | undefined, scope: Scope): TimeZone | undefined => {
  if (argument === undefined) return utc;
  const name = argument.evaluate(scope);
  if (isNullish(name)) return undefined;
  if (typeof name !== 'string') throw fail(40517, `timezone must evaluate to a string, found ${typeName(name)}`);
  return timeZoneOf(name);
};

/** Returns the arguments that were given, for constant folding. */
export const given = (named: ReadonlyMap<string, Expression>): readonly Expression[] => [...named.values()];

export const required = (
  named: ReadonlyMap<string, Expression>,
  field: string,
  code: number,
  name: string,
): Expression => {
  const operand = named.get(field);
  if (operand === undefined) throw fail(code, `Missing '${field}' parameter to ${name}`);
  return operand;
};
