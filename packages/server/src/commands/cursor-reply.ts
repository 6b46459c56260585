import { Batches } from '../engine/batch.js';
import type { Batch, Source } from '../engine/batch.js';
import type { Cursor, Tail } from '../engine/cursors.js';
import type { Entry } from '../value/doc.js';
import { Doc } from '../value/doc.js';
import type { Call, Reply } from './command.js';

/** Documents of a first batch when the client does not say. */
export const defaultBatchSize = 101;

const cursorOf = (
  name: 'firstBatch' | 'nextBatch',
  docs: readonly Doc[],
  id: bigint,
  ns: string,
): readonly [Entry, Entry, Entry] => [
  [name, docs],
  ['id', id],
  ['ns', ns],
];

const reply = (entries: readonly Entry[], { docs, bytes }: Batch): Reply => ({
  fields: [['cursor', Doc.of(entries)]],
  size: bytes + 8 * docs.length + 128,
});

const firstReply = ({ snapshot }: Call, batch: Batch, id: bigint, ns: string): Reply => {
  const entries = cursorOf('firstBatch', batch.docs, id, ns);
  return reply(snapshot === undefined ? entries : [...entries, ['atClusterTime', snapshot.at]], batch);
};

export interface CursorOptions {
  readonly batchSize: number | undefined;
  readonly singleBatch?: boolean;
  readonly noTimeout?: boolean;
  readonly tail?: Tail | undefined;
}

/** The first batch, and a cursor if there may be more. */
export const openCursor = (call: Call, ns: string, source: Source, options: CursorOptions): Reply => {
  const { batchSize = defaultBatchSize, singleBatch = false, noTimeout = false, tail } = options;
  const batches = new Batches(source);
  const batch = batches.take(batchSize);
  if (singleBatch || (batches.exhausted && tail === undefined)) return firstReply(call, batch, 0n, ns);
  const timed = (call.generic.maxTimeMS ?? 0) > 0;
  const { id } = call.engine.cursors.open({ ns, session: call.session, batches, tail, noTimeout, timed });
  return firstReply(call, batch, id, ns);
};

/** The next batch of a cursor; it is closed when nothing is left. */
export const continueCursor = (call: Call, cursor: Cursor, batch: Batch): Reply => {
  const { cursors } = call.engine;
  const done = cursor.batches.exhausted && cursor.tail === undefined;
  if (done) cursors.kill(cursor.id);
  else cursors.used(cursor);
  return reply(cursorOf('nextBatch', batch.docs, done ? 0n : cursor.id, cursor.ns), batch);
};
