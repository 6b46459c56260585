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
import type { Answered, Dispatch, Retries } from './shard-client.js';
import { ShardClient } from './shard-client.js';
import type { RoutedTransaction } from './transactions.js';
import { isInTransaction, RoutedTransactions } from './transactions.js';

/** How a command is handed on. */
export interface Passage {
  readonly body: Doc;
  /** In which database, if it is another than the command's. */
  readonly db?: string;
  readonly writes: boolean;
}

/** What one mongos has of its own: everything else is in the catalog, and in the shards. */
export class Mongos {
  readonly runtime: ServerRuntime;
  readonly catalog: Catalog;
  readonly time: ClusterTime;
  readonly shards: ShardClient;
  readonly cursors: RemoteCursors = new RemoteCursors();
  readonly transactions: RoutedTransactions = new RoutedTransactions();
  readonly balanced: BalancedClients = new BalancedClients();

  /** @param runtime also of what it makes for a moment, to work on what several shards have given */
  constructor(runtime: ServerRuntime, catalog: Catalog) {
    this.runtime = runtime;
    this.catalog = catalog;
    this.time = new ClusterTime(() => this.#lookAtTime());
    this.shards = new ShardClient(runtime.clock, runtime.random, this.time);
  }

  #lookAtTime(): void {
    for (const { members } of this.catalog.shards)
      for (const { state } of members)
        for (const [name, value] of state.role.gossip())
          if (name === '$clusterTime') this.time.hear((value as Doc).get('clusterTime'));
  }

  /** A snapshot over several shards is one of one time: where none is named it is now. */
  atOneTime(concern: Value | undefined): Value | undefined {
    if (this.catalog.shards.length === 1 || !isDoc(concern) || concern.get('level') !== 'snapshot') return concern;
    if (concern.has('atClusterTime')) return concern;
    this.#lookAtTime();
    this.time.hear(concern.get('afterClusterTime'));
    return concern.without('afterClusterTime').with('atClusterTime', this.time.now);
  }

  /** Another process. */
  forget(): void {
    this.time.forget();
    this.transactions.clear();
  }

  /** Hands a command on to a shard. @throws CommandError that the shard has answered, or 6 or 133 */
  async pass(call: Call, shard: Shard, { body, db = call.db, writes }: Passage): Promise<Answered> {
    const { login, peer } = call.client;
    if (!isInTransaction(call)) {
      const preference = writes ? primary : preferenceIn(body);
      const answered = await this.shards.send(shard, {
        ...{ db, body, preference, signal: peer.signal },
        asking: () => login.present(call.server.auth),
        retries: retriesOf(call, writes),
      });
      checked(answered.reply);
      return answered;
    }
    return this.#passInTransaction(call, shard, body, db);
  }

  /** A statement has failed: its own shard has ended its part, and the others are told. */
  async #abort(
    { participants }: RoutedTransaction,
    { body, signal }: Pick<Dispatch, 'body' | 'signal'>,
    failed: Shard,
  ) {
    const others = [...participants.keys()].filter(shard => shard !== failed);
    const errand = { db: 'admin', body: abortOf(body), preference: primary, retries: 'always', signal } as const;
    await Promise.allSettled(others.map(shard => this.shards.send(shard, errand)));
  }

  async #passInTransaction(call: Call, shard: Shard, body: Doc, db: string): Promise<Answered> {
    const transaction = this.transactions.of(call, concern => this.atOneTime(concern));
    const errand = { db, body: joined(transaction, shard, body), signal: call.client.peer.signal };
    const part = transaction.participants.get(shard) ?? { wrote: false };
    transaction.participants.set(shard, part);
    try {
      const answered = await this.shards.send(shard, { ...errand, preference: primary, retries: 'never' });
      if (checked(answered.reply).get('readOnly') === false) {
        part.wrote = true;
        transaction.recovery ??= shard;
      }
      return answered;
    } catch (error) {
      await this.#abort(transaction, { ...errand, body }, shard);
      throw labelled(error);
    }
  }
}

/** What ends the transaction of a statement, as a shard is told. */
export const abortOf = (body: Doc): Doc =>
  Doc.of([
    ['abortTransaction', 1],
    ...body.entries().filter(([name]) => ['lsid', 'txnNumber'].includes(name)),
    ['autocommit', false],
    ['$db', 'admin'],
  ]);

const retriesOf = ({ generic: { txnNumber } }: Call, writes: boolean): Retries =>
  writes && txnNumber === undefined ? 'undone' : 'always';

/** Each shard is told of a transaction by its first statement there. */
const joined = ({ participants, readConcern }: RoutedTransaction, shard: Shard, body: Doc): Doc => {
  if (participants.has(shard)) return body.without('startTransaction').without('readConcern');
  const more: Entry[] = [['startTransaction', true]];
  if (readConcern !== undefined) more.push(['readConcern', readConcern]);
  return body.withAll(more);
};

/** Of a transaction whose shard is gone nothing is left. */
const labelled = (error: unknown): unknown => {
  if (!(error instanceof CommandError) || (error.labels !== undefined && error.labels.length > 0)) return error;
  if (error.code !== 6 && error.code !== 133) return error;
  return new CommandError(error.code, error.message, error.extra, [transientTransactionError]);
};
