import type { Doc, Entry, TimestampValue } from '@tessera/mql/engine';
import { fail, lookupPlainly } from '@tessera/mql/engine';
import type { Log, Member, Op, Origin, Past } from '@tessera/server/parts';
import { LogEvents, dbOf, isLater, isView, lookUpIn, tokenVersionOf } from '@tessera/server/parts';
import { MergedEvents } from './merged-events.js';
import type { Catalog } from './catalog.js';
import type { Shard } from './shard.js';
import { primaryOf } from './shard.js';

/** Calls `wake` once, when the first log grows. Returns a function that cancels the call. */
const onceAny = (all: readonly Pick<Past, 'onceMoved'>[], wake: () => void): (() => void) => {
  const forgetAll = (): void => {
    for (const forget of forgets) forget();
  };
  const forgets = all.map(one =>
    one.onceMoved(() => {
      forgetAll();
      wake();
    }),
  );
  return forgetAll;
};

/** The log of a shard, as its primary or another readable member has it. */
class ShardPast implements Past {
  readonly #shard: Shard;

  constructor(shard: Shard) {
    this.#shard = shard;
  }

  get #members(): readonly Member[] {
    return this.#shard.members.map(({ member }) => member);
  }

  /** @throws CommandError 133 if no member can be read */
  get #member(): Member {
    const found =
      primaryOf(this.#shard) ?? this.#shard.members.find(({ isRunning, member }) => isRunning && member.isReadable);
    if (found !== undefined) return found.member;
    throw fail('FailedToSatisfyReadPreference', `Could not find a member to read from in set ${this.#shard.name}`);
  }

  /** A crashed member or an arbiter may have a later term than the primary. */
  get isPrimary(): boolean {
    const primary = primaryOf(this.#shard)?.member;
    return primary !== undefined && this.#members.every(({ term }) => term <= primary.term);
  }

  get log(): Log {
    return this.#member.log;
  }

  get committed(): Past['committed'] {
    return this.#member.committed;
  }

  majority(): Past['committed'] {
    return this.#member.majority();
  }

  advanceClusterTime(time: TimestampValue): void {
    for (const member of this.#members) member.advanceClusterTime(time);
  }

  onceMoved(wake: () => void): () => void {
    return onceAny(this.#members, wake);
  }
}

/** Returns the fields of the shard key in a document, as `documentKey` has them. */
const keyOf =
  (catalog: Catalog) =>
  (ns: string, doc: Doc): readonly Entry[] =>
    (catalog.distributionOf(ns)?.key.fields ?? []).flatMap(({ name, path }): readonly Entry[] => {
      const value = lookupPlainly(doc, path);
      return value === undefined ? [] : [[name, value]];
    });

/**
 * Filters the log of a shard. Each shard logs DDL operations on a collection; only those of the database's primary
 * shard are reported.
 */
const isFrom =
  ({ databases }: Catalog, shard: Shard) =>
  (op: Op): boolean => {
    if (op.kind === 'insert' || op.kind === 'update' || op.kind === 'delete' || op.kind === 'noop') return true;
    const home = databases.get(op.kind === 'dropDatabase' ? op.db : dbOf(op.ns));
    return home === undefined || home === shard;
  };

/** Returns the events of all shards in the order of their times. */
export const originOfShards = (catalog: Catalog): Origin => {
  const pasts = catalog.shards.map(shard => new ShardPast(shard));
  const lastOf = (past: Past): TimestampValue => (past.log.last ?? past.committed).at.ts;
  return {
    lastTime: () => {
      const last = pasts.map(lastOf).reduce((most, one) => (isLater(one, most) ? one : most));
      // Writes after this call must have a later time than the start of the stream.
      for (const past of pasts) past.advanceClusterTime(last);
      return last;
    },
    isView: ns => pasts.some(({ committed }) => isView(committed.value.namespaces.get(ns))),
    events: (first, watch, format) =>
      new MergedEvents(
        catalog.shards.map((shard, i) => {
          const past = pasts[i]!;
          const lookUp = lookUpIn(() => past.committed.value);
          const context = { ...format, lookUp, keyOf: keyOf(catalog), isReported: isFrom(catalog, shard) };
          return new LogEvents(past, first, { watch, context });
        }),
        tokenVersionOf(format.version),
      ),
    onceMoved: wake => onceAny(pasts, wake),
  };
};
