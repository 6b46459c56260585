import type { OpenFile } from '@tessera/contracts';
import fc from 'fast-check';
import { BinaryValue, Doc, toHex } from '@tessera/mql/engine';
import type { Collection, DatabaseValue, Done, Edit, Namespace } from '../../src/index.js';
import {
  addIndex,
  emptyCollection,
  emptyDatabase,
  insertRecord,
  isView,
  parseIndexSpec,
  removeRecord,
  replaceRecord,
} from '../../src/index.js';

/** Converts a database value to plain data that can be compared, without the structure of its trees. */
export const shown = (value: DatabaseValue): unknown => ({
  namespaces: [...value.namespaces].map(([ns, namespace]) =>
    isView(namespace)
      ? { ns, viewOn: namespace.viewOn, pipeline: namespace.pipeline, options: toHex(namespace.settings.options.bytes) }
      : {
          ns,
          uuid: toHex(namespace.settings.uuid.bytes),
          options: toHex(namespace.settings.options.bytes),
          capped: namespace.settings.capped,
          validates: namespace.settings.validator !== undefined,
          bytes: namespace.bytes,
          records: [...namespace.records].map(([key, doc]) => [toHex(codesOf(key)), toHex(doc.bytes)]),
          indexes: namespace.indexes.map(({ definition, entries, multikey }) => ({
            spec: toHex(definition.spec.bytes),
            unique: definition.unique,
            expires: definition.expireAfterSeconds,
            clustered: definition.clustered,
            entries: [...entries],
            multikey,
          })),
        },
  ),
  writes: [...value.writes].map(([session, { txnNumber, statements, transaction, writtenAt }]) => ({
    session,
    txnNumber,
    transaction,
    writtenAt,
    statements: [...statements].map(([id, done]) => [id, done.did, hexOfImage(done)]),
  })),
  at: value.at,
});

const hexOfImage = (done: Done): string | undefined =>
  done.did === 'insert' || done.image === undefined ? undefined : done.image.when + toHex(done.image.doc.bytes);

const codesOf = (text: string): Uint8Array => Uint8Array.from(text, char => char.charCodeAt(0));

/** A change that a command can make. */
export type Act =
  | {
      readonly do: 'insert' | 'replace' | 'remove' | 'drop' | 'index' | 'view' | 'session';
      readonly to: number;
      readonly n: number;
    }
  | { readonly do: 'rename'; readonly to: number; readonly as: number };

const docOf = (n: number, text: string): Doc =>
  Doc.fromBytes(
    Doc.of([
      ['_id', n],
      ['text', text],
    ]).bytes,
  );

const uuidOf = (n: number): BinaryValue => {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setUint32(0, n);
  return new BinaryValue(4, bytes);
};

const onText = parseIndexSpec(
  Doc.of([
    ['key', Doc.of([['text', 1]])],
    ['name', 'text_1'],
  ]),
);

const viewOf = (ns: string): Namespace => ({ settings: { ns, options: Doc.EMPTY }, viewOn: 'c0', pipeline: [] });

const made = (ns: string, step: number): Collection =>
  emptyCollection({ ns, uuid: uuidOf(step), options: Doc.EMPTY, capped: undefined, validator: undefined });

const inserted = (collection: Collection, count: number, step: number, edit: Edit): Collection => {
  let next = collection;
  for (let i = 0; i < count; i++) next = insertRecord(next, docOf(next.nextRecord, `at ${step}`), edit);
  return next;
};

/** Replaces the document at this position, or removes it if `text` is undefined. Positions wrap around. */
const changedRow = (collection: Collection, at: number, text: string | undefined, edit: Edit): Collection => {
  const records = [...collection.records];
  const found = records[at % Math.max(1, records.length)];
  if (found === undefined) return collection;
  const [record, doc] = found;
  return text === undefined
    ? removeRecord(collection, record, doc, edit)
    : replaceRecord(collection, record, doc, docOf(doc.get('_id') as number, text), edit);
};

/** Applies a change. Returns the same value if the change does not apply. */
export const acted = (value: DatabaseValue, act: Act, step: number): DatabaseValue => {
  const edit = { for: 'a test' };
  const ns = `db.c${act.to}`;
  const known = value.namespaces.get(ns);
  const put = (namespace: Namespace): DatabaseValue => ({
    ...value,
    namespaces: value.namespaces.set(ns, namespace, edit),
  });
  if (act.do === 'session') {
    const done = { did: 'update', upserted: act.n, image: { when: 'after', doc: docOf(step, 'x') } } as const;
    const writes = {
      txnNumber: BigInt(step),
      statements: new Map([[act.n, done]]),
      transaction: act.n % 2 === 0 ? undefined : ('committed' as const),
      writtenAt: 1_700_000_000_000 + step,
    };
    return { ...value, writes: value.writes.set(`session ${act.to}`, writes, edit) };
  }
  if (act.do === 'view') return known === undefined ? put(viewOf(ns)) : value;
  if (isView(known)) return act.do === 'drop' ? { ...value, namespaces: value.namespaces.delete(ns, edit) } : value;
  if (act.do === 'insert') return put(inserted(known ?? made(ns, step), act.n, step, edit));
  if (known === undefined) return value;
  switch (act.do) {
    case 'replace':
      return put(changedRow(known, act.n, `again at ${step}`, edit));
    case 'remove':
      return put(changedRow(known, act.n, undefined, edit));
    case 'drop':
      return { ...value, namespaces: value.namespaces.delete(ns, edit) };
    case 'index':
      return known.indexes.length > 1 ? value : put(addIndex(known, onText, edit));
    case 'rename': {
      const renamed = { ...known, settings: { ...known.settings, ns: `db.c${act.as}` } };
      return {
        ...value,
        namespaces: value.namespaces.delete(ns, edit).set(renamed.settings.ns, renamed, edit),
      };
    }
  }
};

/** Arbitrary commits, each with the changes of one or several commands. */
export const anyCommits: fc.Arbitrary<readonly (readonly Act[])[]> = fc.array(
  fc.array(
    fc.oneof(
      fc.record({
        do: fc.constantFrom('insert', 'insert', 'insert', 'replace', 'remove', 'drop', 'index', 'view', 'session'),
        to: fc.nat(3),
        n: fc.nat(20),
      }),
      fc.record({ do: fc.constant('rename' as const), to: fc.nat(3), as: fc.nat(3) }),
    ),
    { minLength: 1, maxLength: 4 },
  ),
  { maxLength: 12 },
);

/** Returns the database values before the first commit and after each one. */
export const valuesAfter = (commits: readonly (readonly Act[])[]): readonly DatabaseValue[] => {
  const values = [emptyDatabase];
  let step = 0;
  for (const acts of commits) {
    let value = values.at(-1)!;
    for (const one of acts) value = acted(value, one, (step += 1));
    values.push(value);
  }
  return values;
};

/** Returns an in-memory file whose bytes a test can change. */
export const fileOf = (content: Uint8Array = new Uint8Array(0)): OpenFile & { readonly content: () => Uint8Array } => {
  let bytes = content;
  return {
    content: () => bytes,
    size: () => Promise.resolve(bytes.length),
    read: (at, length) => Promise.resolve(bytes.slice(at, at + length)),
    append: more => {
      const all = new Uint8Array(bytes.length + more.length);
      all.set(bytes);
      all.set(more, bytes.length);
      bytes = all;
      return Promise.resolve();
    },
    sync: () => Promise.resolve(),
    truncate: length => {
      bytes = bytes.slice(0, length);
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
};
