import type { Entry, Value } from '@tessera/mql/engine';
import { Doc, isArray, isDoc } from '@tessera/mql/engine';
import type { Call } from '@tessera/server/parts';
import type { Mongos } from './mongos.js';
import { checked } from './replies.js';
import type { Shard } from './shard.js';

interface Drawn {
  readonly docs: readonly Doc[];
  readonly id: Value;
}

const batchIn = (reply: Doc, name: 'firstBatch' | 'nextBatch'): Drawn => {
  const cursor = reply.get('cursor');
  const docs = isDoc(cursor) ? cursor.get(name) : undefined;
  return { docs: isArray(docs) ? docs.filter(isDoc) : [], id: (isDoc(cursor) ? cursor.get('id') : undefined) ?? 0n };
};

/**
 * Reads all documents of a cursor.
 * @param more runs a getMore for the cursor
 */
export const wholeOf = async (reply: Doc, more: (id: Value) => Promise<Doc>): Promise<readonly Doc[]> => {
  const first = batchIn(reply, 'firstBatch');
  const all = [...first.docs];
  for (let { id } = first; id !== 0n;) {
    const batch = batchIn(await more(id), 'nextBatch');
    for (const doc of batch.docs) all.push(doc);
    ({ id } = batch);
  }
  return all;
};

/** Fields that identify the owner of a cursor. */
const owner = ['lsid', 'txnNumber', 'autocommit', 'apiVersion', 'apiStrict', 'apiDeprecationErrors'];

export const moreOf = ({ body, db }: Call, id: Value, collection: string): Doc => {
  const own = body.entries().filter(([name]) => owner.includes(name));
  const fields: Entry[] = [['getMore', id], ['collection', collection], ...own, ['$db', db]];
  return Doc.of(fields);
};

/**
 * Runs a command on one shard and reads its whole cursor.
 * @param collection the collection of the cursor
 */
export const pull = async (
  mongos: Mongos,
  call: Call,
  shard: Shard,
  { body, collection }: { readonly body: Doc; readonly collection: string },
): Promise<readonly Doc[]> => {
  const { member, reply } = await mongos.pass(call, shard, { body, writes: false });
  const { signal } = call.client.peer;
  return wholeOf(reply, async id =>
    checked(await mongos.shards.sendTo(member, call.db, moreOf(call, id, collection), signal)),
  );
};
