import { Binary, Long, ObjectId, serialize, Timestamp } from 'bson';
import { variedDocuments } from '../documents/varied.js';
import type { Document } from '../documents/varied.js';

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

const manyReplies = (): { first: Prepared; byCursor: ReadonlyMap<bigint, Prepared> } => {
  const documents = variedDocuments(manyDocuments);
  const batches = Array.from({ length: manyDocuments / batchDocuments }, (_, index) =>
    documents.slice(index * batchDocuments, (index + 1) * batchDocuments),
  );
  const replies = batches.map((of, index) => {
    const next = index + 1 < batches.length ? cursorOf(index + 1) : 0n;
    return batch('many', index === 0 ? 'firstBatch' : 'nextBatch', of, next);
  });
  return { first: replies[0]!, byCursor: new Map(replies.map((reply, index) => [cursorOf(index), reply])) };
};

/** Handshake commands, which are sent before compression is negotiated. */
export const greetings: readonly string[] = ['hello', 'ismaster', 'isMaster'];

/** The replies that are the same at every address. */
type Common = Pick<Replies, 'byCommand' | 'byCursor'>;

export const prepareCommon = (): Common => {
  const ok = message({ ok: 1, ...gossip });
  const { first, byCursor } = manyReplies();
  const byCommand = new Map<string, Prepared>([
    ...['ping', 'endSessions', 'record'].map((name): [string, Prepared] => [name, ok]),
    ['killCursors', message({ cursorsKilled: [], cursorsNotFound: [], cursorsAlive: [], cursorsUnknown: [], ok: 1 })],
    ['insert', written(1)],
    ['insert:bulk', written(bulkDocuments)],
    ['find:one', batch('one', 'firstBatch', variedDocuments(1), 0n)],
    ['find:many', first],
  ]);
  return { byCommand, byCursor };
};

/** Returns all replies for an address. The hello reply names the address and its compressors. */
export const repliesAt = (address: string, compression: readonly string[], common: Common): Replies => {
  const helloReply = hello(address, compression);
  const greeted = greetings.map((name): [string, Prepared] => [name, message(helloReply)]);
  return {
    legacyHello: legacyMessage(helloReply),
    byCommand: new Map([...common.byCommand, ...greeted]),
    byCursor: common.byCursor,
  };
};

/** Returns the error reply to an unknown command. */
export const refusal = (command: string): Prepared =>
  message({ ok: 0, errmsg: `no such command: '${command}'`, code: 59, codeName: 'CommandNotFound', ...gossip });

/** Returns the reply to `recorded`. */
export const recordedReply = (text: string): Prepared => message({ recorded: text, ok: 1, ...gossip });
