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

/** All documents of a cursor. @param more answers a getMore for that cursor */
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

/** In whose name a cursor was opened. */
const owner = ['lsid', 'txnNumber', 'autocommit', 'apiVersion', 'apiStrict', 'apiDeprecationErrors'];

export const moreOf = ({ body, db }: Call, id: Value, collection: string): Doc => {
  const own = body.entries().filter(([name]) => owner.includes(name));
  const fields: Entry[] = [['getMore', id], ['collection', collection], ...own, ['$db', db]];
  return Doc.of(fields);
};

/** All that a command with a cursor has for its caller on one shard. @param collection of its cursor */
export const pull = async (
  mongos: Mongos,
  call: Call,
  shard: Shard,
  { body, collection }: { readonly body: Doc; readonly collection: string },
): Promise<readonly Doc[]> => {
  const { member, reply } = await mongos.pass(call, shard, { body, writes: false });
  const { signal } = call.client.peer;
  return wholeOf(reply, async id =>
    checked(await mongos.shards.tell(member, call.db, moreOf(call, id, collection), signal)),
  );
};
