import type { Millis, Soon } from '@tessera/contracts';
import type { Pause } from '@tessera/mql/engine';
import { fail, metered } from '@tessera/mql/engine';
import { namespaceNamed } from '../auth/need.js';
import { allows, cluster } from '../auth/privilege.js';
import { keyOf } from '../auth/user.js';
import type { Batch } from '@tessera/store';
import type { Cursor } from '../engine/cursors.js';
import { waitUntil } from '../engine/wait.js';
import { asResumable } from '../streams/resumable.js';
import type { Call, Command, Reply } from './command.js';
import { command, namespaceOf } from './command.js';
import { continueCursor } from './cursor-reply.js';
import { inTurns } from './turns.js';
import { integer, long, longs, object, required, string } from './schema.js';

/** How long a getMore of an `awaitData` cursor waits for documents without `maxTimeMS`, in milliseconds. */
const defaultAwait = 1000;

/** Checks that the cursor belongs to the command's transaction. @throws CommandError 50739, 50740, 50741 */
const checkTransaction = ({ generic: { transaction, txnNumber } }: Call, cursor: Cursor): void => {
  const asking = transaction === undefined ? undefined : txnNumber;
  if (cursor.txnNumber === asking) return;
  const which = `Cannot run getMore on cursor ${cursor.id}, which was`;
  if (cursor.txnNumber === undefined)
    throw fail(50739, `${which} not created in a transaction, in transaction ${asking!}`);
  if (asking === undefined)
    throw fail(50740, `${which} created in transaction ${cursor.txnNumber}, without a transaction number`);
  throw fail(50741, `${which} created in transaction ${cursor.txnNumber}, in transaction ${asking}`);
};

/**
 * Checks that the cursor belongs to the client's user, session and namespace.
 * @throws CommandError 13, 50736, 50737, 50738
 */
export const checkOwner = (call: Call, cursor: Cursor, ns: string): void => {
  if (cursor.users.length > 0 && !call.client.login.users.some(user => cursor.users.includes(keyOf(user)))) {
    throw fail('Unauthorized', `cursor id ${cursor.id} was not created by the authenticated user`);
  }
  if (cursor.ns !== ns) {
    throw fail(
      'Unauthorized',
      `Requested getMore on namespace '${ns}', but cursor belongs to a different namespace ${cursor.ns}`,
    );
  }
  if (cursor.session === call.session) return checkTransaction(call, cursor);
  const which = `Cannot run getMore on cursor ${cursor.id}, which was`;
  if (cursor.session === undefined) throw fail(50736, `${which} not created in a session, in session ${call.session!}`);
  if (call.session === undefined) throw fail(50737, `${which} created in session ${cursor.session}, without an lsid`);
  throw fail(50738, `${which} created in session ${cursor.session}, in session ${call.session}`);
};

/**
 * Checks that the client may kill the cursor: its users opened it, or they may kill any cursor.
 * @throws CommandError 13
 */
const checkKiller = ({ server: { auth }, client: { login } }: Call, { users, ns }: Cursor): void => {
  if (users.length === 0 || login.users.some(user => users.includes(keyOf(user)))) return;
  const { privileges } = login.present(auth);
  if ([cluster, namespaceNamed(ns)].some(on => allows(privileges, 'killAnyCursor', on))) return;
  throw fail('Unauthorized', `not authorized to kill cursor on ${ns}`);
};

/** Returns the call with the deadline that remains from the `maxTimeMS` of the cursor's first command. */
const withinTime = (call: Call, { timeLeft }: Cursor): Call =>
  timeLeft === Number.POSITIVE_INFINITY ? call : { ...call, deadline: call.engine.clock.now() + timeLeft };

/** Takes a batch from the cursor. @throws CommandError 50, 237, and errors of the documents' evaluation */
const filled = (call: Call, cursor: Cursor, count: number): Soon<Batch> => {
  const { clock, cursors } = call.engine;
  const timed = withinTime(call, cursor);
  const left = (): void => {
    cursor.isBusy = false;
    if (timed !== call) cursor.timeLeft = Math.max(0, timed.deadline - clock.now());
  };
  const step = (): Batch | Pause => {
    if (!cursors.has(cursor.id)) throw fail('CursorKilled', 'operation was interrupted');
    return cursor.batches.take(count);
  };
  cursor.isBusy = true;
  try {
    const batch = timed === call ? inTurns(call, step) : metered(clock, timed.deadline, () => inTurns(timed, step));
    if (batch instanceof Promise) return batch.finally(left);
    left();
    return batch;
  } catch (error) {
    left();
    throw error;
  }
};

/** Waits until there may be new documents, the cursor is killed, the client disconnects, or the time is over. */
const woken = ({ engine, client }: Call, cursor: Cursor, within: Millis): Soon<unknown> => {
  let isWoken = false;
  const once = (wake: () => void): (() => void) => {
    const rouse = (): void => {
      isWoken = true;
      wake();
    };
    const forget = cursor.tail?.kind === 'changes' ? cursor.tail.onceMore(rouse) : engine.onceChanged(rouse);
    cursor.interrupt = rouse;
    return () => {
      forget();
      cursor.interrupt = undefined;
    };
  };
  return waitUntil(() => isWoken, { clock: engine.clock, signal: client.peer.signal, within, once });
};

/**
 * Returns the documents that are available. Without any, waits for documents until the time is over or the client
 * disconnects.
 */
const awaitBatch = async (call: Call, cursor: Cursor, count: number): Promise<Batch> => {
  const { engine, client } = call;
  const until = engine.clock.now() + (call.generic.maxTimeMS ?? defaultAwait);
  for (;;) {
    const taken = filled(call, cursor, count);
    const batch = taken instanceof Promise ? await taken : taken;
    const left = until - engine.clock.now();
    if (batch.docs.length > 0 || cursor.batches.exhausted || left <= 0 || client.peer.signal.aborted) return batch;
    // The batch was built in turns with other commands. Writes in between have woken no waiter, so look again.
    if (taken instanceof Promise) continue;
    await woken(call, cursor, left);
    if (!engine.cursors.has(cursor.id)) throw fail('CursorKilled', 'operation was interrupted');
  }
};

/** Closes a cursor that has failed, and rethrows its error. */
const abandoned = (call: Call, cursor: Cursor, error: unknown): never => {
  call.engine.cursors.kill(cursor.id);
  throw cursor.isStream ? asResumable(error, call.engine.version) : error;
};

const take = (call: Call, cursor: Cursor, count: number): Soon<Reply> => {
  if (cursor.isBusy) throw fail('CursorInUse', `cursor id ${cursor.id} is already in use`);
  if (cursor.invalidated !== undefined) abandoned(call, cursor, cursor.invalidated);
  if (cursor.tail?.awaitData === true) {
    return awaitBatch(call, cursor, count).then(
      batch => continueCursor(call, cursor, batch),
      (error: unknown) => abandoned(call, cursor, error),
    );
  }
  try {
    const batch = filled(call, cursor, count);
    if (!(batch instanceof Promise)) return continueCursor(call, cursor, batch);
    return batch
      .then(done => continueCursor(call, cursor, done))
      .catch((error: unknown) => abandoned(call, cursor, error));
  } catch (error) {
    return abandoned(call, cursor, error);
  }
};

const getMore = command({
  name: 'getMore',
  target: long(),
  schema: { collection: required(string()), batchSize: integer(0), term: long(), lastKnownCommittedOpTime: object() },
  stable: true,
  help: 'Returns the next batch of a cursor.',
  run: (call, { collection, batchSize }): Soon<Reply> => {
    const { cursors } = call.engine;
    if (collection === '') throw fail('InvalidNamespace', 'Collection names cannot be empty');
    const ns = `${call.db}.${collection}`;
    const cursor = cursors.get(call.target as bigint);
    checkOwner(call, cursor, ns);
    if (cursor.interrupt !== undefined) throw fail('CursorInUse', `cursor id ${cursor.id} is already in use`);
    if (call.generic.maxTimeMS !== undefined && cursor.tail?.awaitData !== true) {
      throw fail('BadValue', 'cannot set maxTimeMS on getMore command for a non-awaitData cursor');
    }
    const count = batchSize === undefined || batchSize === 0 ? Number.POSITIVE_INFINITY : batchSize;
    const step = (): Soon<Reply> => {
      const reply = take(call, cursor, count);
      return reply instanceof Promise ? reply.then(withNext) : withNext(reply);
    };
    const withNext = (reply: Reply): Reply =>
      call.exhaust && cursors.has(cursor.id) ? { ...reply, next: step } : reply;
    return step();
  },
});

const killCursors = command({
  name: 'killCursors',
  schema: { cursors: required(longs()) },
  stable: true,
  help: 'Closes cursors.',
  run: (call, { cursors: ids }) => {
    const ns = namespaceOf(call);
    const { cursors } = call.engine;
    const killed: bigint[] = [];
    const missing: bigint[] = [];
    for (const id of ids) if (cursors.has(id)) checkKiller(call, cursors.get(id));
    for (const id of ids) {
      const isThere = cursors.has(id) && cursors.get(id).ns === ns;
      if (isThere) cursors.kill(id);
      (isThere ? killed : missing).push(id);
    }
    return [
      ['cursorsKilled', killed],
      ['cursorsNotFound', missing],
      ['cursorsAlive', []],
      ['cursorsUnknown', []],
    ];
  },
});

export const cursorCommands: readonly Command[] = [getMore, killCursors];
