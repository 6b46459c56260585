import { CommandError, fail } from '../errors.js';
import { eachEntry } from './entries.js';
import { spend } from '../work/meter.js';
import type { Collation } from '../value/compare.js';
import { compare } from '../value/compare.js';
import type { Doc } from '../value/doc.js';
import { lookupPlainly, splitPath } from '../value/path.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc } from '../value/value.js';

/** One field of a sort. */
export interface SortField {
  /** The path of the field. `$natural` alone means the order in which documents are stored. */
  readonly path: string;
  readonly direction: 1 | -1;
  /** Returns a computed value that is compared instead of the field. */
  readonly of?: ((doc: Doc) => Value) | undefined;
}

/** The values by which a document is compared: one per field of the sort, null where a field is missing. */
export type SortKey = readonly Value[];

export interface SortKeys {
  /** @throws CommandError BadValue if two fields lead through different arrays */
  readonly of: (doc: Doc) => SortKey;
  readonly compare: (a: SortKey, b: SortKey) => number;
}

interface PartedField extends SortField {
  readonly parts: readonly string[];
}

/** Returns whether a path meets an array, at its end or before. */
const meetsArray = (doc: Doc, { path, parts }: PartedField): boolean => {
  if (parts.length === 1) return isArray(doc.get(path));
  for (let i = 1; i <= parts.length; i++) if (isArray(lookupPlainly(doc, parts.slice(0, i)))) return true;
  return false;
};

const compareBy =
  (fields: readonly SortField[], collation: Collation | undefined) =>
  (a: SortKey, b: SortKey): number => {
    for (let i = 0; i < fields.length; i++) {
      const order = compare(a[i], b[i], collation);
      if (order !== 0) return fields[i]!.direction === 1 ? order : -order;
    }
    return 0;
  };

const elementAt = (doc: Doc, parts: readonly string[]): Value => {
  let value: Value | undefined = doc;
  for (const part of parts) {
    if (isDoc(value)) value = value.get(part);
    else if (isArray(value) && /^\d+$/.test(part)) value = value[Number(part)];
    else return null;
  }
  return value ?? null;
};

/**
 * Creates the keys by which `$push` and `$sortArray` sort the elements of an array. An array among the values is
 * compared as a whole, and a number in a path is a position. mongod: PatternValueCmp.
 */
export const createElementKeys = (pattern: readonly SortField[], collation?: Collation): SortKeys => {
  const paths = pattern.map(({ path }) => splitPath(path));
  return { of: doc => paths.map(parts => elementAt(doc, parts)), compare: compareBy(pattern, collation) };
};

/** Creates the keys of a sort that has computed fields. */
const computedKeys = (pattern: readonly SortField[], collation: Collation | undefined): SortKeys => {
  const parts = pattern.map(field => ({
    field,
    keys: field.of === undefined ? createSortKeys([field], collation) : undefined,
  }));
  return {
    of: doc => parts.map(({ field, keys }) => (keys === undefined ? field.of!(doc) : (keys.of(doc)[0] ?? null))),
    compare: compareBy(pattern, collation),
  };
};

/**
 * Creates the keys of a sort. A document sorts by the least of the keys that it would have in an index of the fields.
 * For an array, an ascending field uses the least element, a descending field the greatest. Fields within the same
 * array are combined per element. An empty array sorts before null.
 */
export const createSortKeys = (pattern: readonly SortField[], collation?: Collation): SortKeys => {
  if (pattern.some(({ of }) => of !== undefined)) return computedKeys(pattern, collation);
  const fields: readonly PartedField[] = pattern.map(field => ({ ...field, parts: splitPath(field.path) }));
  const compareKeys = compareBy(fields, collation);

  const leastKey = (doc: Doc): SortKey => {
    let least: SortKey | undefined;
    eachEntry(fields, doc, values => {
      spend(4);
      const key = values.map(value => value ?? null);
      if (least === undefined || compareKeys(key, least) < 0) least = key;
    });
    return least ?? [];
  };

  const keyThroughArrays = (doc: Doc): SortKey => {
    try {
      return leastKey(doc);
    } catch (error) {
      if (!(error instanceof CommandError) || error.code !== 171) throw error;
      throw fail('BadValue', 'cannot sort with keys that are parallel arrays');
    }
  };

  if (fields.every(({ parts }) => parts.length === 1)) {
    const paths = fields.map(({ path }) => path);
    const [path] = paths;
    return {
      of:
        paths.length === 1
          ? doc => {
              const value = doc.get(path!);
              return isArray(value) ? keyThroughArrays(doc) : [value ?? null];
            }
          : doc => {
              const key: Value[] = [];
              for (let i = 0; i < paths.length; i++) {
                const value = doc.get(paths[i]!);
                if (isArray(value)) return keyThroughArrays(doc);
                key.push(value ?? null);
              }
              return key;
            },
      compare: compareKeys,
    };
  }
  return {
    of: doc =>
      fields.some(field => meetsArray(doc, field))
        ? keyThroughArrays(doc)
        : fields.map(field => lookupPlainly(doc, field.parts) ?? null),
    compare: compareKeys,
  };
};
