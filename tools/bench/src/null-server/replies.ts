import { Binary, Long, ObjectId, serialize, Timestamp } from 'bson';
import { variedDocuments } from '../documents/varied.js';
import type { Document } from '../documents/varied.js';
import { bulkReplies } from './bulk-replies.js';
import { batchesOf, eventBatches, pageDocuments, pagesDocuments, storedFile } from './cursor-replies.js';

/** The number of documents in the collection `many`, and in each batch. */
export const manyDocuments = 10_000;
export const batchDocuments = 1000;
/** The number of documents that insertMany inserts into the collection `bulk`. */
export const bulkDocuments = 1000;

/** A prepared reply: a complete frame except for `responseTo`. */
export type Prepared = Buffer;

export interface Replies {
  /** The reply to a legacy hello, as OP_REPLY. */
  readonly legacyHello: Prepared;
  /** Replies by command name, or by `command:collection`. */
  readonly byCommand: ReadonlyMap<string, Prepared>;
  /** Replies to getMore by cursor id. */
  readonly byCursor: ReadonlyMap<bigint, Prepared>;
  /** Returns the reply to the find of the file's chunks, with batches of this size. */
  readonly chunks: (batchSize: number) => Prepared;
}

const opReply = 1;
const opMsg = 2013;

const frame = (opCode: number, between: Uint8Array, body: Uint8Array): Prepared => {
  const header = Buffer.alloc(16);
  header.writeInt32LE(16 + between.length + body.length, 0);
  header.writeInt32LE(opCode, 12);
  return Buffer.concat([header, between, body]);
};

/** Creates an OP_MSG frame without flags, with a body section. */
const message = (body: Document): Prepared => frame(opMsg, Buffer.alloc(5), serialize(body));

/** Creates an OP_REPLY frame with the flag AwaitCapable, no cursor, and one document. */
const legacyMessage = (body: Document): Prepared =>
  frame(opReply, Buffer.from([8, 0, 0, 0, ...Array<number>(12).fill(0), 1, 0, 0, 0]), serialize(body));

const time = new Timestamp({ t: 1_700_000_000, i: 1 });
const election = new ObjectId('7fffffff0000000000000001');

/** The fields that a member of a replica set adds to every reply. */
const gossip = {
  $clusterTime: {
    clusterTime: time,
    signature: { hash: new Binary(Buffer.alloc(20, 7)), keyId: Long.fromString('7300000000000000001') },
  },
  operationTime: time,
};

const hello = (address: string, compression: readonly string[]): Document => ({
  ...(compression.length > 0 ? { compression } : {}),
  helloOk: true,
  ismaster: true,
  isWritablePrimary: true,
  setName: 'rs0',
  setVersion: 1,
  secondary: false,
  hosts: [address],
  primary: address,
  me: address,
  electionId: election,
  lastWrite: { opTime: { ts: time, t: Long.fromInt(1) }, lastWriteDate: new Date(1_700_000_000_000) },
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  localTime: new Date(1_700_000_000_000),
  logicalSessionTimeoutMinutes: 30,
  connectionId: 1,
  minWireVersion: 0,
  maxWireVersion: 25,
  readOnly: false,
  ok: 1,
  ...gossip,
});

const mongosHello: Document = {
  helloOk: true,
  ismaster: true,
  isWritablePrimary: true,
  msg: 'isdbgrid',
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  logicalSessionTimeoutMinutes: 30,
  minWireVersion: 0,
  maxWireVersion: 25,
  ok: 1,
  ...gossip,
};

const written = (n: number): Prepared =>
  message({ n, electionId: election, opTime: { ts: time, t: Long.fromInt(1) }, ok: 1, ...gossip });

const batch = (
  collection: string,
  field: 'firstBatch' | 'nextBatch',
  documents: readonly Document[],
  next: bigint,
): Prepared =>
  message({ cursor: { [field]: documents, id: Long.fromBigInt(next), ns: `bench.${collection}` }, ok: 1, ...gossip });

/** Returns the cursor id for a batch. It is above 2^53, as on real servers, so that it does not fit into a double. */
const cursorOf = (index: number): bigint => (1n << 60n) + BigInt(index);

interface CursorReplies {
  readonly first: Prepared;
  readonly byCursor: readonly (readonly [bigint, Prepared])[];
}

/**
 * Returns the replies of a cursor with these batches. Cursors begin at different indexes.
 * @param last the id in the last reply; 0 if the cursor ends
 */
const cursorReplies = (
  collection: string,
  from: number,
  batches: readonly (readonly Document[])[],
  last: bigint,
): CursorReplies => {
  const replies = batches.map((of, index) => {
    const next = index + 1 < batches.length ? cursorOf(from + index + 1) : last;
    return batch(collection, index === 0 ? 'firstBatch' : 'nextBatch', of, next);
  });
  return { first: replies[0]!, byCursor: replies.map((reply, index) => [cursorOf(from + index), reply] as const) };
};

/** Handshake commands, which are sent before compression is negotiated. */
export const greetings: readonly string[] = ['hello', 'ismaster', 'isMaster'];

/** The replies that are the same at every address. */
type Common = Omit<Replies, 'legacyHello'>;

/** @param fileBytes the length of the file in the default bucket */
export const prepareCommon = (fileBytes: number): Common => {
  const ok = message({ ok: 1, ...gossip });
  const many = cursorReplies('many', 0, batchesOf(manyDocuments, batchDocuments), 0n);
  const pages = cursorReplies('pages', 2000, batchesOf(pagesDocuments, pageDocuments), 0n);
  // A change stream stays open after its last event.
  const changes = cursorReplies('changes', 1000, [[], ...eventBatches()], cursorOf(1999));
  const { file, batches } = storedFile(fileBytes);
  const cursors = new Map([many, pages, changes].flatMap(({ byCursor }) => byCursor));
  const chunksBySize = new Map<number, Prepared>();
  const chunks = (size: number): Prepared => {
    const known = chunksBySize.get(size);
    if (known !== undefined) return known;
    const { first, byCursor } = cursorReplies('fs.chunks', 10_000 * size, batches(size), 0n);
    for (const [id, reply] of byCursor) cursors.set(id, reply);
    chunksBySize.set(size, first);
    return first;
  };
  const byCommand = new Map<string, Prepared>([
    ...['ping', 'endSessions', 'record', 'createIndexes'].map((name): [string, Prepared] => [name, ok]),
    ['killCursors', message({ cursorsKilled: [], cursorsNotFound: [], cursorsAlive: [], cursorsUnknown: [], ok: 1 })],
    ['insert', written(1)],
    ['insert:bulk', written(bulkDocuments)],
    ['find:one', batch('one', 'firstBatch', variedDocuments(1), 0n)],
    ['find:many', many.first],
    ['find:pages', pages.first],
    ...bulkReplies(message, gossip),
    ['aggregate:changes', changes.first],
    ['find:fs.files', batch('fs.files', 'firstBatch', [file], 0n)],
    ['listIndexes', batch('fs.files', 'firstBatch', [{ v: 2, key: { _id: 1 }, name: '_id_' }], 0n)],
  ]);
  return { byCommand, byCursor: cursors, chunks };
};

/**
 * Returns all replies for an address. The hello reply names the address and its compressors. Without an address, it is
 * that of a mongos.
 */
export const repliesAt = (address: string | undefined, compression: readonly string[], common: Common): Replies => {
  const helloReply = address === undefined ? mongosHello : hello(address, compression);
  const greeted = greetings.map((name): [string, Prepared] => [name, message(helloReply)]);
  return {
    legacyHello: legacyMessage(helloReply),
    byCommand: new Map([...common.byCommand, ...greeted]),
    byCursor: common.byCursor,
    chunks: common.chunks,
  };
};

/** Returns the error reply to an unknown command. */
export const refusal = (command: string): Prepared =>
  message({ ok: 0, errmsg: `no such command: '${command}'`, code: 59, codeName: 'CommandNotFound', ...gossip });

/** Returns the reply to `recorded`. */
export const recordedReply = (text: string): Prepared => message({ recorded: text, ok: 1, ...gossip });
