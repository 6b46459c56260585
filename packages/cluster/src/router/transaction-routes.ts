import { CommandError, Doc, fail, isDoc } from '@tessera/mql/engine';
import type { Call, Fields } from '@tessera/server/parts';
import { noSuchTransaction, transientTransactionError } from '@tessera/server/parts';
import { commitTogether } from './decision.js';
import type { Mongos } from './mongos.js';
import { abortOf } from './mongos.js';
import { primary } from './preference.js';
import { checked, fieldsIn } from './replies.js';
import type { Route } from './routes.js';
import { withToken } from './routes.js';
import type { Shard } from './shard.js';
import { nameOf, recoveryToken } from './transactions.js';
import type { RoutedTransaction } from './transactions.js';
import { waitFor } from './wait-for.js';

/** Removes the recovery token, which shards do not accept. */
const plain = ({ body }: Call): Doc => body.without('recoveryToken');

const committedAlready = 256;

const sendTo = async (mongos: Mongos, call: Call, shard: Shard, body: Doc): Promise<Fields> => {
  const command = {
    db: call.db,
    body,
    preference: primary,
    retries: 'always',
    signal: call.client.peer.signal,
  } as const;
  const { reply } = await mongos.shards.send(shard, command);
  return fieldsIn(checked(reply));
};

const abortOn = (mongos: Mongos, call: Call, shards: readonly Shard[]): Promise<unknown> =>
  Promise.allSettled(shards.map(shard => sendTo(mongos, call, shard, abortOf(call.body))));

/**
 * Commits on all shards or on none. Concurrent commits, also through another mongos, wait for the same decision. The
 * decision continues even if no client waits for it.
 */
const decide = (mongos: Mongos, call: Call, transaction: RoutedTransaction): Promise<void> => {
  const { deciding } = mongos.catalog;
  const name = nameOf(call);
  const known = deciding.get(name);
  if (known !== undefined) return known;
  const shards = [...transaction.participants.keys()];
  const decision = commitTogether(mongos, call, shards)
    .then(() => {
      transaction.isDecided = true;
    })
    .catch(async (error: unknown) => {
      await abortOn(mongos, call, shards);
      throw error;
    })
    .finally(() => deciding.delete(name));
  deciding.set(name, decision);
  return decision;
};

/**
 * The error of an aborted transaction. It is not transient if the majority has not confirmed the abort, because the
 * transaction may turn out to be committed.
 */
const abortedError = (fields: Fields): Error => {
  const concern = fields.filter(([name]) => name === 'writeConcernError');
  return fail(
    'NoSuchTransaction',
    'Transaction was aborted',
    concern,
    concern.length === 0 ? [transientTransactionError] : [],
  );
};

/** Aborts with write concern majority, because a stale primary may lack a later commit. */
const recoveringAbort = (call: Call): Doc => {
  const given = call.generic.writeConcern ?? Doc.EMPTY;
  return Doc.of(
    plain(call)
      .entries()
      .map(([key, value], i) => [i === 0 ? 'abortTransaction' : key, value]),
  ).with('writeConcern', given.with('w', 'majority'));
};

/**
 * Returns the outcome of a transaction that another mongos ran, and aborts it if it has not ended. Rule: Transactions,
 * "Recovering".
 */
const recover = async (mongos: Mongos, call: Call, token: Doc): Promise<Fields> => {
  const name = token.get('recoveryShardId');
  if (name === undefined) throw fail(50940, 'cannot commit with no participants');
  const shard = mongos.catalog.shards.find(one => one.name === name);
  if (shard === undefined) throw fail('ShardNotFound', `Could not find shard ${typeof name === 'string' ? name : ''}`);
  const decision = mongos.catalog.deciding.get(nameOf(call));
  // Waits for the decision. If the command's time limit ends earlier, the transaction is not aborted.
  if (decision !== undefined)
    await waitFor(
      call,
      decision.catch(() => undefined),
    );
  try {
    throw abortedError(await sendTo(mongos, call, shard, recoveringAbort(call)));
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    if (error.code === committedAlready) return sendTo(mongos, call, shard, plain(call));
    throw error.code === noSuchTransaction ? abortedError(error.extra) : error;
  }
};

const writersOf = ({ participants }: RoutedTransaction): readonly Shard[] =>
  [...participants].filter(([, { wrote }]) => wrote).map(([shard]) => shard);

/** Commits on the shards and returns the reply with a write concern error, if there is one. */
const commitOn = async (mongos: Mongos, call: Call, shards: readonly Shard[]): Promise<Fields> => {
  const all = await Promise.all(shards.map(shard => sendTo(mongos, call, shard, plain(call))));
  return all.find(fields => fields.some(([name]) => name === 'writeConcernError')) ?? all[0] ?? [];
};

/**
 * Commits a transaction. With at most one shard that wrote, the shards that were only read commit first, because their
 * failure has no effect on data. With more, all shards commit atomically, and then the write concern is awaited.
 */
const commitAll = async (mongos: Mongos, call: Call, transaction: RoutedTransaction): Promise<Fields> => {
  const writers = writersOf(transaction);
  const readers = [...transaction.participants.keys()].filter(shard => !writers.includes(shard));
  if (writers.length === 0) return commitOn(mongos, call, readers);
  if (!transaction.isDecided) {
    if (writers.length > 1) await waitFor(call, decide(mongos, call, transaction));
    else await commitOn(mongos, call, readers);
    transaction.isDecided = true;
  }
  return commitOn(mongos, call, writers);
};

export const commitTransaction: Route = async (mongos, call) => {
  const known = mongos.transactions.find(call);
  if (known !== undefined) return withToken(mongos, call, await commitAll(mongos, call, known));
  const token = call.body.get('recoveryToken');
  if (!isDoc(token)) throw mongos.transactions.unknown(call);
  return [...(await recover(mongos, call, token)), ['recoveryToken', token]];
};

export const abortTransaction: Route = async (mongos, call) => {
  const known = mongos.transactions.find(call);
  if (known === undefined) throw mongos.transactions.unknown(call);
  const shards = [...known.participants.keys()];
  if (shards.length === 0)
    throw fail('NoSuchTransaction', 'no known command has been sent by this router for this transaction');
  await Promise.all(shards.map(shard => sendTo(mongos, call, shard, plain(call))));
  return [recoveryToken(known)];
};

/**
 * Aborts the transaction of a disconnected client on all reachable shards. A primary that has stepped down has already
 * aborted it.
 */
export const abortAbandoned = async (mongos: Mongos, statement: Call): Promise<void> => {
  const shards = [...(mongos.transactions.find(statement)?.participants.keys() ?? [])];
  const members = shards.flatMap(({ members: some }) => some).filter(({ isRunning }) => isRunning);
  const { signal } = statement.client.peer;
  await Promise.allSettled(members.map(one => mongos.shards.sendTo(one, 'admin', abortOf(statement.body), signal)));
};
