import type { Collation, Doc, Value } from '@tessera/mql/engine';
import { eachEntry, isArray } from '@tessera/mql/engine';
import { fieldKey } from './key.js';

export interface IndexField {
  readonly path: string;
  readonly parts: readonly string[];
  readonly direction: 1 | -1;
}

/** What decides which entries a document has in an index. */
export interface IndexShape {
  readonly fields: readonly IndexField[];
  /** No entry where all fields are missing. */
  readonly sparse: boolean;
  /** How strings are found equal, and the document that says so; by their bytes if absent. */
  readonly collation: { readonly spec: Doc; readonly order: Collation } | undefined;
}

export interface IndexKeys {
  /** Each once. */
  readonly keys: readonly string[];
  /** Whether an array was met on the way. */
  readonly multikey: boolean;
}

const join = ({ fields, collation }: IndexShape, values: readonly (Value | undefined)[]): string => {
  let key = '';
  for (let i = 0; i < fields.length; i++) key += fieldKey(values[i] ?? null, fields[i]!.direction, collation?.order);
  return key;
};

/** The key without any array on the way, the common case; undefined where it is not so simple. */
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
 * The keys of a document in an index of that shape.
 * @throws CommandError 171 if two of the fields lead through different arrays.
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

/** The values behind one key of a document, for messages. */
export const valuesOfKey = (shape: IndexShape, doc: Doc, key: string): readonly Value[] => {
  let found: readonly Value[] = [];
  eachEntry(shape.fields, doc, values => {
    if (join(shape, values) === key) found = values.map(value => value ?? null);
  });
  return found;
};
