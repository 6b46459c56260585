import type { Soon } from '@tessera/contracts';
import type { Entry } from '@tessera/mql/engine';
import { Doc } from '@tessera/mql/engine';
import { keyOf } from '../auth/user.js';
import { Batches, listed } from '@tessera/store';
import type { Batch, Source } from '@tessera/store';
import type { Cursor, Tail } from '../engine/cursors.js';
import type { Call, Reply } from './command.js';
import { inTurns } from './turns.js';

/** The size of the first batch without `batchSize`. */
export const defaultBatchSize = 101;

interface Shown {
  readonly id: bigint;
  readonly ns: string;
  /** `postBatchResumeToken` */
  readonly token: Doc | undefined;
}

const cursorOf = (
  name: 'firstBatch' | 'nextBatch',
  docs: readonly Doc[],
  { id, ns, token }: Shown,
): readonly Entry[] => [
  [name, docs],
  ...(token === undefined ? [] : [['postBatchResumeToken', token] as const]),
  ['id', id],
  ['ns', ns],
];

/**
 * Returns the resume token after a batch. If the batch was full, a later event may be pending, so the token is that of
 * the batch's last event.
 */
const tokenAfter = ({ docs }: Batch, batches: Batches, tail: Tail | undefined): Doc | undefined => {
  if (tail?.kind !== 'changes') return undefined;
  return batches.isFull ? (docs.at(-1)!.get('_id') as Doc) : tail.token();
};

const isDone = ({ batches, tail }: Pick<Cursor, 'batches' | 'tail'>): boolean =>
  batches.exhausted && tail?.kind !== 'capped';

const reply = (entries: readonly Entry[], { docs, bytes }: Batch): Reply => ({
  fields: [['cursor', Doc.of(entries)]],
  size: bytes + 8 * docs.length + 128,
});

const firstReply = ({ snapshot, engine }: Call, batch: Batch, shown: Shown): Reply => {
  engine.documents.returned += batch.docs.length;
  const entries = cursorOf('firstBatch', batch.docs, shown);
  return reply(snapshot === undefined ? entries : [...entries, ['atClusterTime', snapshot.at]], batch);
};

export interface CursorOptions {
  readonly batchSize: number | undefined;
  readonly singleBatch?: boolean;
  readonly noTimeout?: boolean;
  readonly tail?: Tail | undefined;
}

interface First {
  readonly batches: Batches;
  readonly batch: Batch;
}

const opened = (call: Call, ns: string, { batches, batch }: First, options: CursorOptions): Reply => {
  const { singleBatch = false, noTimeout = false, tail } = options;
  const token = tokenAfter(batch, batches, tail);
  if (singleBatch || isDone({ batches, tail })) return firstReply(call, batch, { id: 0n, ns, token });
  const txnNumber = call.generic.transaction === undefined ? undefined : call.generic.txnNumber;
  const { session, engine } = call;
  const isStream = tail?.kind === 'changes';
  const owned = { users: call.client.login.users.map(keyOf), timeLeft: call.deadline - engine.clock.now() };
  const { id } = engine.cursors.open({ ...owned, ns, session, txnNumber, batches, tail, isStream, noTimeout });
  return firstReply(call, batch, { id, ns, token });
};

/** Returns the first batch, and opens a cursor unless it has all documents. */
export const openCursor = (call: Call, ns: string, source: Source, options: CursorOptions): Soon<Reply> => {
  const { batchSize = defaultBatchSize } = options;
  const batches = new Batches(source);
  const filled = inTurns(call, () => batches.take(batchSize));
  return filled instanceof Promise
    ? filled.then(batch => opened(call, ns, { batches, batch }, options))
    : opened(call, ns, { batches, batch: filled }, options);
};

/** Returns the first batch of documents in memory, and opens a cursor unless it has all of them. */
export const openList = (call: Call, ns: string, docs: readonly Doc[], options: CursorOptions): Reply => {
  const batches = new Batches(listed(docs));
  return opened(call, ns, { batches, batch: batches.takeNow(options.batchSize ?? defaultBatchSize) }, options);
};

/** Returns the next batch of a cursor. Closes the cursor if no documents are left. */
export const continueCursor = (call: Call, cursor: Cursor, batch: Batch): Reply => {
  const { cursors, documents } = call.engine;
  documents.returned += batch.docs.length;
  const done = isDone(cursor);
  if (done) cursors.kill(cursor.id);
  else cursors.used(cursor);
  const { ns, batches, tail } = cursor;
  const shown: Shown = { id: done ? 0n : cursor.id, ns, token: tokenAfter(batch, batches, tail) };
  return reply(cursorOf('nextBatch', batch.docs, shown), batch);
};
