import type { Entry, Value } from '@tessera/mql/engine';
import { CommandError, Doc, isDoc } from '@tessera/mql/engine';
import type { Call, ServerRuntime } from '@tessera/server/parts';
import { transientTransactionError } from '@tessera/server/parts';
import { BalancedClients } from './balanced-clients.js';
import type { Catalog } from './catalog.js';
import { ClusterTime } from './cluster-time.js';
import { preferenceIn, primary } from './preference.js';
import { RemoteCursors } from './remote-cursors.js';
import { checked } from './replies.js';
import type { Shard } from './shard.js';
import type { MemberReply, Dispatch, Retries } from './shard-client.js';
import { ShardClient } from './shard-client.js';
import type { RoutedTransaction } from './transactions.js';
import { isInTransaction, RoutedTransactions } from './transactions.js';

/** A command that is passed to a shard. */
export interface PassedCommand {
  readonly body: Doc;
  /** The database, if it differs from that of the command. */
  readonly db?: string;
  readonly writes: boolean;
}

/** The state of one mongos. All other state is in the catalog and in the shards. */
export class Mongos {
  readonly runtime: ServerRuntime;
  readonly catalog: Catalog;
  readonly time: ClusterTime;
  readonly shards: ShardClient;
  readonly cursors: RemoteCursors = new RemoteCursors();
  readonly transactions: RoutedTransactions = new RoutedTransactions();
  readonly balanced: BalancedClients = new BalancedClients();

  /** @param runtime also used for scratch servers, which merge the results of shards */
  constructor(runtime: ServerRuntime, catalog: Catalog) {
    this.runtime = runtime;
    this.catalog = catalog;
    this.time = new ClusterTime(() => this.#readTime());
    this.shards = new ShardClient(runtime.clock, runtime.random, this.time);
  }

  #readTime(): void {
    for (const { members } of this.catalog.shards)
      for (const { state } of members)
        for (const [name, value] of state.role.gossip())
          if (name === '$clusterTime') this.time.advanceClusterTime((value as Doc).get('clusterTime'));
  }

  /** Returns the read concern for a snapshot over several shards, which needs one cluster time. The default is now. */
  atOneTime(concern: Value | undefined): Value | undefined {
    if (this.catalog.shards.length === 1 || !isDoc(concern) || concern.get('level') !== 'snapshot') return concern;
    if (concern.has('atClusterTime')) return concern;
    this.#readTime();
    this.time.advanceClusterTime(concern.get('afterClusterTime'));
    return concern.without('afterClusterTime').with('atClusterTime', this.time.now);
  }

  /** Resets the state for a new process. */
  forget(): void {
    this.time.forget();
    this.transactions.clear();
  }

  /**
   * Passes a command to a shard.
   * @throws CommandError the shard's error, or 6 or 133
   */
  async pass(call: Call, shard: Shard, { body, db = call.db, writes }: PassedCommand): Promise<MemberReply> {
    const { login, peer } = call.client;
    if (!isInTransaction(call)) {
      const preference = writes ? primary : preferenceIn(body);
      const answered = await this.shards.send(shard, {
        ...{ db, body, preference, signal: peer.signal },
        present: () => login.present(call.server.auth),
        retries: retriesOf(call, writes),
      });
      checked(answered.reply);
      return answered;
    }
    return this.#passInTransaction(call, shard, body, db);
  }

  /**
   * Aborts a transaction on the other shards after a statement failed. The statement's own shard has already aborted
   * its part.
   */
  async #abort(
    { participants }: RoutedTransaction,
    { body, signal }: Pick<Dispatch, 'body' | 'signal'>,
    failed: Shard,
  ) {
    const others = [...participants.keys()].filter(shard => shard !== failed);
    const command = { db: 'admin', body: abortOf(body), preference: primary, retries: 'always', signal } as const;
    await Promise.allSettled(others.map(shard => this.shards.send(shard, command)));
  }

  async #passInTransaction(call: Call, shard: Shard, body: Doc, db: string): Promise<MemberReply> {
    const transaction = this.transactions.of(call, concern => this.atOneTime(concern));
    const command = { db, body: withStart(transaction, shard, body), signal: call.client.peer.signal };
    const part = transaction.participants.get(shard) ?? { wrote: false };
    transaction.participants.set(shard, part);
    try {
      const answered = await this.shards.send(shard, { ...command, preference: primary, retries: 'never' });
      if (checked(answered.reply).get('readOnly') === false) {
        part.wrote = true;
        transaction.recovery ??= shard;
      }
      return answered;
    } catch (error) {
      await this.#abort(transaction, { ...command, body }, shard);
      throw withTransientLabel(error);
    }
  }
}

/** Returns the command that aborts the transaction of a statement on a shard. */
export const abortOf = (body: Doc): Doc =>
  Doc.of([
    ['abortTransaction', 1],
    ...body.entries().filter(([name]) => ['lsid', 'txnNumber'].includes(name)),
    ['autocommit', false],
    ['$db', 'admin'],
  ]);

const retriesOf = ({ generic: { txnNumber } }: Call, writes: boolean): Retries =>
  writes && txnNumber === undefined ? 'undone' : 'always';

/** Adds the fields that start a transaction to its first statement on a shard. */
const withStart = ({ participants, readConcern }: RoutedTransaction, shard: Shard, body: Doc): Doc => {
  if (participants.has(shard)) return body.without('startTransaction').without('readConcern');
  const more: Entry[] = [['startTransaction', true]];
  if (readConcern !== undefined) more.push(['readConcern', readConcern]);
  return body.withAll(more);
};

/** Adds the label TransientTransactionError if the transaction's shard is not reachable. */
const withTransientLabel = (error: unknown): unknown => {
  if (!(error instanceof CommandError) || (error.labels !== undefined && error.labels.length > 0)) return error;
  if (error.code !== 6 && error.code !== 133) return error;
  return new CommandError(error.code, error.message, error.extra, [transientTransactionError]);
};
