import { fail } from '../../errors.js';
import type { Collation } from '../../value/compare.js';
import type { Doc } from '../../value/doc.js';
import { toExactLong } from '../../value/numbers.js';
import type { Value } from '../../value/value.js';
import { isArray, isDoc, isNumber, typeName } from '../../value/value.js';
import type { SortField } from '../../sort/sort-key.js';
import type { SortElements } from '../../sort/sort-elements.js';
import { directionOf, elementsByFields, wholeElements } from '../../sort/sort-elements.js';
import { identical } from '../identical.js';
import { nameOf, showId } from '../place.js';
import type { Modifier } from '../tree.js';

interface Push {
  readonly values: readonly Value[];
  /** The index at which values are inserted. Negative: counted from the end. Undefined: at the end. */
  readonly position: number | undefined;
  readonly sort: SortElements | undefined;
  /** The number of elements that are kept. Negative: the last elements. Undefined: all. */
  readonly slice: number | undefined;
}

const plain = (values: readonly Value[]): Push => ({
  values,
  position: undefined,
  sort: undefined,
  slice: undefined,
});

const readInteger = (clause: '$position' | '$slice', value: Value): number => {
  const integer = isNumber(value) ? toExactLong(value) : undefined;
  if (integer !== undefined) return Number(integer);
  const given = clause === '$slice' ? `but was given type: ${typeName(value)}` : `not of type: ${typeName(value)}`;
  const comma = clause === '$slice' ? ' ' : ', ';
  throw fail('BadValue', `The value for ${clause} must be an integer value${comma}${given}`);
};

const readSortField = (path: string, value: Value): SortField => {
  const direction = directionOf(value);
  if (direction === undefined) throw fail('BadValue', 'The $sort element value must be either 1 or -1');
  if (path === '') throw fail('BadValue', 'The $sort field cannot be empty');
  if (path.split('.').includes('')) {
    throw fail('BadValue', `The $sort field is a dotted field but has an empty part: ${path}`);
  }
  return { path, direction };
};

const sortByFields = (spec: Doc): SortElements => {
  const fields = spec.entries().map(([path, value]) => readSortField(path, value));
  if (fields.length === 0) {
    throw fail('BadValue', 'The $sort pattern is empty when it should be a set of fields.');
  }
  return elementsByFields(fields);
};

const readSort = (value: Value): SortElements => {
  if (isDoc(value)) return sortByFields(value);
  const direction = directionOf(value);
  if (direction !== undefined) return wholeElements(direction);
  throw fail(
    'BadValue',
    'The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields',
  );
};

const readPush = (argument: Value): Push => {
  const each = isDoc(argument) ? argument.get('$each') : undefined;
  if (!isDoc(argument) || each === undefined) return plain([argument]);
  if (!isArray(each)) {
    throw fail('BadValue', `The argument to $each in $push must be an array but it was of type: ${typeName(each)}`);
  }
  for (const name of argument.keys()) {
    if (!['$each', '$position', '$sort', '$slice'].includes(name)) {
      throw fail('BadValue', `Unrecognized clause in $push: ${name}`);
    }
  }
  const position = argument.get('$position');
  const sort = argument.get('$sort');
  const slice = argument.get('$slice');
  return {
    values: each,
    position: position === undefined ? undefined : readInteger('$position', position),
    sort: sort === undefined ? undefined : readSort(sort),
    slice: slice === undefined ? undefined : readInteger('$slice', slice),
  };
};

const insert = (items: readonly Value[], { values, position }: Push): readonly Value[] => {
  if (position === undefined) return [...items, ...values];
  const at = position < 0 ? Math.max(0, items.length + position) : Math.min(position, items.length);
  return [...items.slice(0, at), ...values, ...items.slice(at)];
};

const cut = (items: readonly Value[], slice: number | undefined): readonly Value[] => {
  if (slice === undefined || Math.abs(slice) >= items.length) return items;
  return slice < 0 ? items.slice(slice) : items.slice(0, slice);
};

/**
 * Creates `$push`, with or without `$each`. It inserts the values, then sorts, then slices.
 * @throws CommandError BadValue
 */
export const push = (argument: Value): Modifier => {
  const parsed = readPush(argument);
  const { sort, slice, position } = parsed;
  const apply = (items: readonly Value[], collation: Collation | undefined): readonly Value[] => {
    const inserted = insert(items, parsed);
    return cut(sort === undefined ? inserted : sort(inserted, collation), slice);
  };
  return {
    appends: sort === undefined && slice === undefined && position === undefined,
    update: (existing, place) => {
      if (!isArray(existing)) {
        throw fail(
          'BadValue',
          `The field '${nameOf(place)}' must be an array but is of type ${typeName(existing)} in document ${showId(place.run)}`,
        );
      }
      const result = apply(existing, place.run.collation);
      return identical(result, existing) ? existing : result;
    },
    create: ({ run }) => apply([], run.collation),
  };
};
