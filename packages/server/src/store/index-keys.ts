import { fail } from '../errors.js';
import type { Collation } from '../value/compare.js';
import type { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc, UNDEFINED } from '../value/value.js';
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

/** A field whose value is known (undefined: missing), or one that goes on from the document of this level. */
type Part = { readonly value: Value | undefined } | { readonly rest: readonly string[] };

/** What a path meets first: its end, or an array with some of the path left. */
type Met =
  | { readonly value: Value | undefined }
  | { readonly array: readonly Value[]; readonly at: string; readonly rest: readonly string[] };

const isPosition = (part: string): boolean => /^(?:0|[1-9]\d*)$/.test(part);

const walk = (from: Value | undefined, parts: readonly string[]): Met => {
  let value = from;
  for (let i = 0; i < parts.length; i++) {
    if (isArray(value)) {
      const position = isPosition(parts[i]!) ? Number(parts[i]) : value.length;
      if (position >= value.length) return { array: value, at: parts.slice(0, i).join('.'), rest: parts.slice(i) };
      value = value[position];
    } else if (isDoc(value)) {
      value = value.get(parts[i]!);
    } else {
      return { value: undefined };
    }
  }
  return isArray(value) ? { array: value, at: parts.join('.'), rest: [] } : { value };
};

/** One entry of an index: the values in the order of its fields. Missing ones are undefined. */
export type Emit = (values: readonly (Value | undefined)[]) => void;

/** All combinations that a document has in an index. mongod: BtreeKeyGenerator. */
const expand = (base: Value | undefined, parts: readonly Part[], emit: Emit): boolean => {
  const met = parts.map(part => ('rest' in part ? walk(base, part.rest) : part));
  const arrays = met.filter(one => 'array' in one);
  const first = arrays[0];
  if (first === undefined) {
    emit(met.map(one => (one as { readonly value: Value | undefined }).value));
    return false;
  }
  const other = arrays.find(one => one.at !== first.at);
  if (other !== undefined) {
    throw fail(171, `cannot index parallel arrays [${other.at}] [${first.at}]`);
  }
  const items: readonly (Value | undefined)[] = first.array.length > 0 ? first.array : [undefined];
  for (const item of items) {
    const next = met.map((one): Part => {
      if (!('array' in one)) return one;
      // An empty array stands in the index as undefined where the path ends, and as null where it would go on.
      if (one.rest.length === 0) return { value: item === undefined ? UNDEFINED : item };
      return isDoc(item) ? { rest: one.rest } : { value: undefined };
    });
    expand(item, next, emit);
  }
  return true;
};

/** Hands on the values of every entry that the document has in an index of these fields. Returns whether it met an array. */
export const eachEntry = (fields: readonly IndexField[], doc: Doc, emit: Emit): boolean =>
  expand(
    doc,
    fields.map(field => ({ rest: field.parts })),
    emit,
  );

const join = ({ fields, collation }: IndexShape, values: readonly (Value | undefined)[]): string => {
  let key = '';
  for (let i = 0; i < fields.length; i++) key += fieldKey(values[i] ?? null, fields[i]!.direction, collation?.order);
  return key;
};

/** The key without any array on the way, the common case; undefined where it is not so simple. */
const simpleKey = ({ fields, sparse, collation }: IndexShape, doc: Doc): string | undefined => {
  let key = '';
  let missing = 0;
  for (const field of fields) {
    if (field.parts.length > 1) return undefined;
    const value = doc.get(field.path);
    if (isArray(value)) return undefined;
    if (value === undefined) missing += 1;
    key += fieldKey(value ?? null, field.direction, collation?.order);
  }
  return sparse && missing === fields.length ? undefined : key;
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
