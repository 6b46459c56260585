import { fail } from '../errors.js';
import { compareStrings } from '../value/compare.js';

const position = /^(?:0|[1-9]\d*)$/;

/** A part of a path as a position in an array; undefined if it is none. */
export const positionOf = (part: string): number | undefined => (position.test(part) ? Number(part) : undefined);

/** The identifier of `$[id]`, empty for `$[]`; undefined for other parts. */
export const identifierOf = (part: string): string | undefined =>
  part.startsWith('$[') && part.endsWith(']') ? part.slice(2, -1) : undefined;

export const isPositional = (part: string): boolean => part === '$';

const requireNames = (path: string, parts: readonly string[]): void => {
  if (path === '') throw fail('EmptyFieldName', 'An empty update path is not valid.');
  if (parts.includes('')) {
    throw fail('EmptyFieldName', `The update path '${path}' contains an empty field name, which is not allowed.`);
  }
};

/** The parts of a modifier's path. @throws CommandError 56 for empty names, 2 for positional parts where they cannot be */
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

/** Modifiers are applied, and so new fields appended, in the order of their names; numbers in the order of numbers. */
export const compareParts = (a: string, b: string): number => {
  const left = positionOf(a);
  const right = positionOf(b);
  return left !== undefined && right !== undefined ? left - right : compareStrings(a, b);
};
