import { fail } from '../../errors.js';
import { show } from '../../value/show.js';
import type { Value } from '../../value/value.js';
import { isArray, isDoc } from '../../value/value.js';
import { identical } from '../identical.js';
import { identifierOf, isPositional, parseUpdatePath, positionOf } from '../path.js';
import type { Place, Run } from '../place.js';
import { dotted } from '../place.js';
import type { Modifier } from '../tree.js';

export interface Rename {
  readonly source: readonly string[];
  readonly target: readonly string[];
  readonly atSource: Modifier;
  readonly atTarget: Modifier;
}

const isDynamic = (part: string): boolean => isPositional(part) || identifierOf(part) !== undefined;

const inArray = (which: 'source' | 'destination', path: string, { original }: Run, array: string): Error =>
  fail(
    'BadValue',
    `The ${which} field cannot be an array element, '${path}' in doc with _id: ${show(original.get('_id'))} has an array field called '${array}'`,
  );

/**
 * Reads the value to move from the original document. No other modifier can change it, because their paths would
 * conflict.
 */
const readSource = (parts: readonly string[], run: Run): Value | undefined => {
  let value: Value | undefined = run.original;
  let array: string | undefined;
  for (const [i, part] of parts.entries()) {
    if (isDoc(value)) {
      value = value.get(part);
      continue;
    }
    if (value === undefined) return undefined;
    const position = positionOf(part);
    if (isArray(value) && position !== undefined) {
      array = parts[i - 1]!;
      value = value[position];
      continue;
    }
    const traversed = parts[i - 1]!;
    throw fail(
      'PathNotViable',
      `cannot use the part (${traversed} of ${parts.join('.')}) to traverse the element ({${traversed}: ${show(value)}})`,
    );
  }
  if (value !== undefined && array !== undefined) throw inArray('source', parts.join('.'), run, array);
  return value;
};

const requireApart = (from: string, to: string, source: readonly string[], target: readonly string[]): void => {
  const shown = `${from}: "${to}"`;
  if (from === to) throw fail('BadValue', `The source and target field for $rename must differ: ${shown}`);
  const length = Math.min(source.length, target.length);
  if (source.slice(0, length).join('.') === target.slice(0, length).join('.')) {
    throw fail('BadValue', `The source and target field for $rename must not be on the same path: ${shown}`);
  }
};

/**
 * Creates `$rename`. It moves a field; an existing target is replaced in place. A missing source changes nothing.
 * @throws CommandError 2, 56; when applied, 28 if the source runs through a scalar, 2 if it runs through an array
 */
export const rename = (from: string, to: Value): Rename => {
  const source = parseUpdatePath(from);
  if (typeof to !== 'string') {
    throw fail('BadValue', `The 'to' field for $rename must be a string: ${from}: ${show(to)}`);
  }
  if (to.includes('\0')) {
    throw fail('BadValue', `The 'to' field for $rename cannot contain an embedded null byte: ${from}: ${show(to)}`);
  }
  const target = parseUpdatePath(to);
  requireApart(from, to, source, target);
  if (source.some(isDynamic)) throw fail('BadValue', `The source field for $rename may not be dynamic: ${from}`);
  if (target.some(isDynamic)) throw fail('BadValue', `The destination field for $rename may not be dynamic: ${to}`);
  const moved = (place: Place): Value | undefined => {
    const value = readSource(source, place.run);
    if (value !== undefined && place.array !== undefined) {
      throw inArray('destination', dotted(place), place.run, place.array);
    }
    return value;
  };
  return {
    source,
    target,
    atSource: { update: () => undefined, create: () => undefined },
    atTarget: {
      update: (existing, place) => {
        const value = moved(place);
        return value === undefined || identical(value, existing) ? existing : value;
      },
      create: moved,
    },
  };
};
