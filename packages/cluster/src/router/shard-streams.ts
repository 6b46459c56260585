import type { Doc, Entry, TimestampValue } from '@tessera/mql/engine';
import { fail, lookupPlainly } from '@tessera/mql/engine';
import type { Log, Member, Op, Origin, Past } from '@tessera/server/parts';
import { LogEvents, dbOf, isLater, isView, lookUpIn, tokenVersionOf } from '@tessera/server/parts';
import { MergedEvents } from './merged-events.js';
import type { Catalog } from './catalog.js';
import type { Shard } from './shard.js';
import { primaryOf } from './shard.js';

/** Calls back once, when the first of them has moved. Returns the way to take that back. */
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

/** What a shard has written, as its primary knows it, or else a member that may be read. */
class ShardPast implements Past {
  readonly #shard: Shard;

  constructor(shard: Shard) {
    this.#shard = shard;
  }

  get #members(): readonly Member[] {
    return this.#shard.members.map(({ member }) => member);
  }

  /** @throws CommandError 133 */
  get #member(): Member {
    const found =
      primaryOf(this.#shard) ?? this.#shard.members.find(({ isRunning, member }) => isRunning && member.isReadable);
    if (found !== undefined) return found.member;
    throw fail('FailedToSatisfyReadPreference', `Could not find a member to read from in set ${this.#shard.name}`);
  }

  /** A crashed member or a voter may know of a later primary. */
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

  hear(time: TimestampValue): void {
    for (const member of this.#members) member.hear(time);
  }

  onceMoved(wake: () => void): () => void {
    return onceAny(this.#members, wake);
  }
}

/** The shard key's part of a document, as `documentKey` has it. */
const keyOf =
  (catalog: Catalog) =>
  (ns: string, doc: Doc): readonly Entry[] =>
    (catalog.distributionOf(ns)?.key.fields ?? []).flatMap(({ name, path }): readonly Entry[] => {
      const value = lookupPlainly(doc, path);
      return value === undefined ? [] : [[name, value]];
    });

/** What happens to a collection happens on each shard that has it: the database's own tells of it. */
const isFrom =
  ({ databases }: Catalog, shard: Shard) =>
  (op: Op): boolean => {
    if (op.kind === 'insert' || op.kind === 'update' || op.kind === 'delete' || op.kind === 'noop') return true;
    const home = databases.get(op.kind === 'dropDatabase' ? op.db : dbOf(op.ns));
    return home === undefined || home === shard;
  };

/** The events of all shards, in the order of their times. */
export const originOfShards = (catalog: Catalog): Origin => {
  const pasts = catalog.shards.map(shard => new ShardPast(shard));
  const lastOf = (past: Past): TimestampValue => (past.log.last ?? past.committed).at.ts;
  return {
    lastTime: () => {
      const last = pasts.map(lastOf).reduce((most, one) => (isLater(one, most) ? one : most));
      // Whoever is asked for a stream from now on writes later than this.
      for (const past of pasts) past.hear(last);
      return last;
    },
    isView: ns => pasts.some(({ committed }) => isView(committed.value.namespaces.get(ns))),
    events: (first, watch, voice) =>
      new MergedEvents(
        catalog.shards.map((shard, i) => {
          const past = pasts[i]!;
          const lookUp = lookUpIn(() => past.committed.value);
          const teller = { ...voice, lookUp, keyOf: keyOf(catalog), tellsOf: isFrom(catalog, shard) };
          return new LogEvents(past, first, { watch, teller });
        }),
        tokenVersionOf(voice.version),
      ),
    onceMoved: wake => onceAny(pasts, wake),
  };
};
