import type { Doc, SearchableCollation, Value } from '@tessera/mql/engine';
import { eachEntry, isArray } from '@tessera/mql/engine';
import { fieldKey } from './key.js';

export interface IndexField {
  readonly path: string;
  readonly parts: readonly string[];
  readonly direction: 1 | -1;
}

/** The parts of an index definition that determine its keys. */
export interface IndexShape {
  readonly fields: readonly IndexField[];
  /** Whether documents without any of the fields have no entry. */
  readonly sparse: boolean;
  /** The collation with its document; undefined for binary comparison. */
  readonly collation: { readonly spec: Doc; readonly order: SearchableCollation } | undefined;
}

export interface IndexKeys {
  /** The distinct keys. */
  readonly keys: readonly string[];
  /** Whether any path leads through an array. */
  readonly multikey: boolean;
}

const join = ({ fields, collation }: IndexShape, values: readonly (Value | undefined)[]): string => {
  let key = '';
  for (let i = 0; i < fields.length; i++) key += fieldKey(values[i] ?? null, fields[i]!.direction, collation?.order);
  return key;
};

/** Returns the key of a document without dotted paths and arrays, the most frequent case, else undefined. */
const simpleKey = ({ fields, sparse, collation }: IndexShape, doc: Doc): string | undefined => {
  const keys: string[] = [];
  let missing = 0;
  for (const field of fields) {
    if (field.parts.length > 1) return undefined;
    const value = doc.get(field.path);
    if (isArray(value)) return undefined;
    if (value === undefined) missing += 1;
    keys.push(fieldKey(value ?? null, field.direction, collation?.order));
  }
  if (sparse && missing === fields.length) return undefined;
  return keys.length === 1 ? keys[0]! : keys.join('');
};

/**
 * Returns the keys of a document in an index.
 * @throws CommandError 171 if two of the fields lead through different arrays
 */
export const indexKeys = (shape: IndexShape, doc: Doc): IndexKeys => {
  const simple = simpleKey(shape, doc);
  if (simple !== undefined) return { keys: [simple], multikey: false };
  const keys = new Set<string>();
  const multikey = eachEntry(shape.fields, doc, values => {
    if (!shape.sparse || values.some(value => value !== undefined)) keys.add(join(shape, values));
  });
  return { keys: [...keys], multikey };
};

/** Returns the values of one key of a document, for error messages. */
export const valuesOfKey = (shape: IndexShape, doc: Doc, key: string): readonly Value[] => {
  let found: readonly Value[] = [];
  eachEntry(shape.fields, doc, values => {
    if (join(shape, values) === key) found = values.map(value => value ?? null);
  });
  return found;
};
