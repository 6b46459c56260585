import { hashKey } from '../value/compare.js';
import type { Entry } from '../value/doc.js';
import { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc } from '../value/value.js';
import { spend } from '../work/meter.js';

const byName = ([a]: Entry, [b]: Entry): number => (a < b ? -1 : a > b ? 1 : 0);

const sorted = (value: Value): Value => {
  if (isArray(value)) return value.map(sorted);
  if (!isDoc(value)) return value;
  spend(2 * value.size);
  return Doc.of(
    value
      .entries()
      .map(([name, item]): Entry => [name, sorted(item)])
      .sort(byName),
  );
};

/** Returns a string that is the same for two values exactly if a schema considers them equal: in any order of fields. */
export const schemaKey = (value: Value): string => hashKey(isDoc(value) || isArray(value) ? sorted(value) : value);
