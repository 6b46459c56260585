import { fail } from '../../errors.js';
import { hashKey } from '../../value/compare.js';
import { show } from '../../value/show.js';
import type { Value } from '../../value/value.js';
import { isArray, isDoc, typeName } from '../../value/value.js';
import { spend } from '../../work/meter.js';
import type { Place } from '../place.js';
import { nameOf } from '../place.js';
import type { Modifier } from '../tree.js';

const readValues = (argument: Value): readonly Value[] => {
  if (!isDoc(argument) || argument.entries()[0]?.[0] !== '$each') return [argument];
  const each = argument.get('$each')!;
  if (!isArray(each)) {
    throw fail(
      'TypeMismatch',
      `The argument to $each in $addToSet must be an array but it was of type ${typeName(each)}`,
    );
  }
  if (argument.size > 1) {
    throw fail('BadValue', `Found unexpected fields after $each in $addToSet: ${show(argument)}`);
  }
  return each;
};

/**
 * Creates `$addToSet`. It appends the values that the array does not contain, each once; `{ $each: […] }` gives several
 * values.
 */
export const addToSet = (argument: Value): Modifier => {
  const values = readValues(argument);
  const missing = (existing: readonly Value[], { run }: Place): readonly Value[] => {
    spend(existing.length + values.length);
    const keys = new Set(existing.map(item => hashKey(item, run.collation)));
    return values.filter(value => {
      const key = hashKey(value, run.collation);
      return !keys.has(key) && keys.add(key);
    });
  };
  return {
    appends: true,
    update: (existing, place) => {
      if (!isArray(existing)) {
        throw fail(
          'BadValue',
          `Cannot apply $addToSet to non-array field. Field named '${nameOf(place)}' has non-array type ${typeName(existing)}`,
        );
      }
      const added = missing(existing, place);
      return added.length === 0 ? existing : [...existing, ...added];
    },
    create: place => missing([], place),
  };
};
