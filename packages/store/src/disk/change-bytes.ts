import type { Entry, TimestampValue, Value } from '@tessera/mql/engine';
import { BsonWriter, DateValue, Doc, isArray, isDoc, readInt32, toHex, validate } from '@tessera/mql/engine';
import type { Done, SessionWrites } from '../session-writes.js';
import { opTimeDoc } from '../op-time.js';
import type { OpTime } from '../op-time.js';
import type { Change } from './changes.js';
import { describedNamespace } from './described.js';

/**
 * The content of frames: a sequence of changes. Each change is a byte with its kind, followed by its data:
 *
 * ```text
 *   1 namespace   BSON: see `described.ts`
 *   2 gone        BSON { ns }
 *   3 of          16 bytes: the UUID of the collection of the following changes 4 and 5, up to the end of the frame
 *   4 put         6 bytes of the record's key, BSON of the document
 *   5 removed     6 bytes of the record's key
 *   6 session     BSON { session, txnNumber, writtenAt, transaction?, statements: [ { id, did, … } ] }
 *   7 forgotten   BSON { session }
 *   8 at          BSON { ts, t }
 * ```
 */
const kinds = { namespace: 1, gone: 2, of: 3, put: 4, removed: 5, session: 6, forgotten: 7, at: 8 } as const;

/** The content size in bytes at which a frame is closed. */
const enough = 256 * 1024;

const keyLength = 6;
const uuidLength = 16;

const doneDoc = (id: number, done: Done): Doc => {
  const entries: Entry[] = [
    ['id', id],
    ['did', done.did],
  ];
  if (done.did === 'update' && done.upserted !== undefined) entries.push(['upserted', done.upserted]);
  if (done.did !== 'insert' && done.image !== undefined) entries.push([done.image.when, done.image.doc]);
  return Doc.of(entries);
};

const sessionDoc = (session: string, { txnNumber, statements, transaction, writtenAt }: SessionWrites): Doc =>
  Doc.of([
    ['session', session],
    ['txnNumber', txnNumber],
    ['writtenAt', new DateValue(writtenAt)],
    ...(transaction === undefined ? [] : [['transaction', transaction] as const]),
    ['statements', [...statements].map(([id, done]) => doneDoc(id, done))],
  ]);

const docOf = (change: Exclude<Change, { readonly kind: 'put' | 'removed' }>): Doc => {
  switch (change.kind) {
    case 'namespace':
      return describedNamespace(change.namespace);
    case 'gone':
      return Doc.of([['ns', change.ns]]);
    case 'session':
      return sessionDoc(change.session, change.writes);
    case 'forgotten':
      return Doc.of([['session', change.session]]);
    case 'at':
      return opTimeDoc(change.at);
  }
};

class ContentWriter {
  readonly #writer = new BsonWriter(4096);
  #of = '';

  get length(): number {
    return this.#writer.length;
  }

  write(change: Change): void {
    if (change.kind !== 'put' && change.kind !== 'removed') {
      this.#writer.byte(kinds[change.kind]);
      this.#doc(docOf(change));
      return;
    }
    if (this.#of !== change.collection) {
      this.#of = change.collection;
      this.#writer.byte(kinds.of);
      for (let i = 0; i < 2 * uuidLength; i += 2)
        this.#writer.byte(Number.parseInt(change.collection.slice(i, i + 2), 16));
    }
    this.#writer.byte(kinds[change.kind]);
    for (let i = 0; i < keyLength; i++) this.#writer.byte(change.record.charCodeAt(i));
    if (change.kind === 'put') this.#doc(change.doc);
  }

  #doc(doc: Doc): void {
    const { bytes } = doc;
    this.#writer.room(bytes.length);
    this.#writer.bytes.set(bytes, this.#writer.length);
    this.#writer.length += bytes.length;
  }

  take(): Uint8Array {
    const content = this.#writer.bytes.slice(0, this.#writer.length);
    this.#writer.length = 0;
    this.#of = '';
    return content;
  }
}

/** Returns the contents of the frames that encode the changes; at least one. */
export const contentsOf = function* (changes: Iterable<Change>): Generator<Uint8Array> {
  const writer = new ContentWriter();
  for (const change of changes) {
    if (writer.length >= enough) yield writer.take();
    writer.write(change);
  }
  yield writer.take();
};

/** A decoded change. A namespace is restored after all changes have been read. */
export type ReadChange =
  | Exclude<Change, { readonly kind: 'namespace' }>
  | { readonly kind: 'namespace'; readonly described: Doc };

/**
 * The error for content that cannot be decoded although its checksum is correct: another version of this package wrote
 * it.
 */
export class UnknownContent extends Error {
  constructor(what: string) {
    super(`the file contains ${what}, which this version does not support`);
  }
}

const needed = (doc: Doc, name: string): Value => {
  const value = doc.get(name);
  if (value === undefined) throw new UnknownContent(`a change without the field "${name}"`);
  return value;
};

const doneOf = (doc: Doc): Done => {
  const did = needed(doc, 'did');
  if (did === 'insert') return { did };
  const before = doc.get('before');
  const after = doc.get('after');
  const image = isDoc(before)
    ? ({ when: 'before', doc: before } as const)
    : isDoc(after)
      ? ({ when: 'after', doc: after } as const)
      : undefined;
  if (did === 'update') return { did, upserted: doc.get('upserted'), image };
  if (did === 'delete') return { did, image };
  throw new UnknownContent('an unknown result of a statement');
};

const writesOf = (doc: Doc): SessionWrites => {
  const statements = needed(doc, 'statements');
  const writtenAt = needed(doc, 'writtenAt');
  const transaction = doc.get('transaction');
  if (transaction !== undefined && transaction !== 'begun' && transaction !== 'committed')
    throw new UnknownContent('an unknown state of a transaction');
  if (!isArray(statements) || !(writtenAt instanceof DateValue))
    throw new UnknownContent('an unknown record of a session');
  const done = statements.filter(isDoc).map(one => [needed(one, 'id') as number, doneOf(one)] as const);
  return {
    txnNumber: needed(doc, 'txnNumber') as bigint,
    statements: new Map(done),
    transaction,
    writtenAt: writtenAt.ms,
  };
};

const opTimeOf = (doc: Doc): OpTime => ({
  ts: needed(doc, 'ts') as TimestampValue,
  term: needed(doc, 't') as bigint,
});

const readDoc = (kind: number, doc: Doc): ReadChange => {
  switch (kind) {
    case kinds.namespace:
      return { kind: 'namespace', described: doc };
    case kinds.gone:
      return { kind: 'gone', ns: needed(doc, 'ns') as string };
    case kinds.session:
      return { kind: 'session', session: needed(doc, 'session') as string, writes: writesOf(doc) };
    case kinds.forgotten:
      return { kind: 'forgotten', session: needed(doc, 'session') as string };
    case kinds.at:
      return { kind: 'at', at: opTimeOf(doc) };
    default:
      throw new UnknownContent(`a change of kind ${kind}`);
  }
};

const textOf = (bytes: Uint8Array): string => String.fromCharCode(...bytes);

/**
 * Decodes the changes in a frame's content. The content is copied once, and all documents share the copy.
 * @throws UnknownContent, CommandError 22
 */
export const changesIn = function* (borrowed: Uint8Array): Generator<ReadChange> {
  const content = borrowed.slice();
  let collection = '';
  for (let at = 0; at < content.length;) {
    const kind = content[at]!;
    at += 1;
    if (kind === kinds.of) {
      collection = toHex(content.subarray(at, at + uuidLength));
      at += uuidLength;
      continue;
    }
    let record = '';
    if (kind === kinds.put || kind === kinds.removed) {
      record = textOf(content.subarray(at, at + keyLength));
      at += keyLength;
      if (kind === kinds.removed) {
        yield { kind: 'removed', collection, record };
        continue;
      }
    }
    const end = validate(content, at, at + readInt32(content, at));
    const doc = Doc.fromBytes(content, at);
    at = end;
    yield kind === kinds.put ? { kind: 'put', collection, record, doc } : readDoc(kind, doc);
  }
};
