import type { Doc, Value } from '@tessera/mql/engine';
import {
  RegexValue,
  compare,
  fail,
  hashOf,
  isArray,
  isDoc,
  isNumber,
  lookup,
  show,
  splitPath,
  toDouble,
} from '@tessera/mql/engine';

interface KeyField {
  readonly name: string;
  readonly path: readonly string[];
  readonly isHashed: boolean;
}

/** The shard key of a collection. */
export interface ShardKey {
  readonly doc: Doc;
  readonly fields: readonly KeyField[];
}

/** A point in the key space, with one value per field of the key. */
export type KeyPoint = readonly Value[];

/**
 * Parses a shard key.
 * @throws CommandError 2
 */
export const parseShardKey = (doc: Doc): ShardKey => {
  const fields = doc.entries().map(([name, value]): KeyField => {
    const isHashed = value === 'hashed';
    if (name === '' || (!isHashed && !(isNumber(value) && toDouble(value) === 1)))
      throw fail('BadValue', `Field ${name} can only be 1 or 'hashed'`);
    return { name, path: splitPath(name), isHashed };
  });
  if (fields.length === 0) throw fail('BadValue', 'Shard key is empty');
  if (fields.filter(({ isHashed }) => isHashed).length > 1)
    throw fail('BadValue', 'A shard key may have one hashed field at most');
  return { doc, fields };
};

export const compareKeys = (a: KeyPoint, b: KeyPoint): number => {
  for (const [i, value] of a.entries()) {
    const order = compare(value, b[i]);
    if (order !== 0) return order;
  }
  return 0;
};

const placed = ({ isHashed }: KeyField, value: Value | undefined): Value =>
  isHashed ? hashOf(value ?? null) : (value ?? null);

/**
 * Returns the key of a document. Missing fields count as null.
 * @throws CommandError 61 for an array
 */
export const keyOf = ({ fields }: ShardKey, doc: Doc): KeyPoint =>
  fields.map(field => {
    const value = lookup(doc, field.path);
    if (isArray(value)) throw fail('ShardKeyNotFound', `Shard key cannot contain array values: ${show(value)}`);
    return placed(field, value);
  });

const isOperators = (value: Value): value is Doc => isDoc(value) && value.keys()[0]?.startsWith('$') === true;

/** Returns the values to which a query restricts a field, or undefined if it does not. */
const valuesFor = (filter: Doc, name: string): readonly Value[] | undefined => {
  for (const [key, value] of filter) {
    if (key === '$and' && isArray(value)) {
      const found = value.map(one => (isDoc(one) ? valuesFor(one, name) : undefined)).find(one => one !== undefined);
      if (found !== undefined) return found;
    }
    if (key !== name || value instanceof RegexValue) continue;
    if (!isOperators(value)) return [value];
    const equal = value.get('$eq');
    if (equal !== undefined) return [equal];
    const among = value.get('$in');
    if (isArray(among) && !among.some(one => one instanceof RegexValue)) return among;
  }
  return undefined;
};

/** Returns the keys of documents that may match a query, or undefined for any key. */
export const keysFor = ({ fields }: ShardKey, filter: Doc): readonly KeyPoint[] | undefined => {
  let points: readonly KeyPoint[] = [[]];
  for (const field of fields) {
    const values = valuesFor(filter, field.name);
    if (values === undefined || values.some(value => isArray(value))) return undefined;
    points = points.flatMap(point => values.map(value => [...point, placed(field, value)]));
  }
  return points;
};
