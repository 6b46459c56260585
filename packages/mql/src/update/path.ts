import { fail } from '../errors.js';
import { compareStrings } from '../value/compare.js';

const position = /^(?:0|[1-9]\d*)$/;

/** Returns the array index that a part of a path means, or undefined for other parts. */
export const positionOf = (part: string): number | undefined => (position.test(part) ? Number(part) : undefined);

/** Returns the identifier of `$[id]`, an empty string for `$[]`, or undefined for other parts. */
export const identifierOf = (part: string): string | undefined =>
  part.startsWith('$[') && part.endsWith(']') ? part.slice(2, -1) : undefined;

export const isPositional = (part: string): boolean => part === '$';

const requireNames = (path: string, parts: readonly string[]): void => {
  if (path === '') throw fail('EmptyFieldName', 'An empty update path is not valid.');
  if (parts.includes('')) {
    throw fail('EmptyFieldName', `The update path '${path}' contains an empty field name, which is not allowed.`);
  }
};

/**
 * Splits the path of a modifier.
 * @throws CommandError 56 for an empty name, 2 for a positional part where it is not allowed
 */
export const parseUpdatePath = (path: string): readonly string[] => {
  const parts = path.split('.');
  requireNames(path, parts);
  const [first] = parts;
  if (isPositional(first!)) {
    throw fail('BadValue', `Cannot have positional (i.e. '$') element in the first position in path '${path}'`);
  }
  if (identifierOf(first!) !== undefined) {
    throw fail(
      'BadValue',
      `Cannot have array filter identifier (i.e. '$[<id>]') element in the first position in path '${path}'`,
    );
  }
  if (parts.filter(isPositional).length > 1) {
    throw fail('BadValue', `Too many positional (i.e. '$') elements found in path '${path}'`);
  }
  return parts;
};

/**
 * Compares parts of paths. Modifiers are applied, and new fields appended, in this order: names by their text, numbers
 * by value.
 */
export const compareParts = (a: string, b: string): number => {
  const left = positionOf(a);
  const right = positionOf(b);
  return left !== undefined && right !== undefined ? left - right : compareStrings(a, b);
};
