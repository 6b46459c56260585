import { fail } from '@tessera/mql/engine';
import type { SessionKey } from '@tessera/server/parts';
import { OwnDocuments, dbOf, internalDatabases } from '@tessera/server/parts';
import type { Distribution } from './distribution.js';
import { shardsWith } from './distribution.js';
import { distributionIn, keptDoc } from './distribution-document.js';
import type { Shard } from './shard.js';
import { primaryOf } from './shard.js';

/** Where it is written down what is sharded, and how. */
const keptIn = 'config.collections';

const isSettings = (db: string): boolean => internalDatabases.has(db) || db === '$external';

/** What the cluster knows of where its data is: all mongos of a cluster share it, as they do config servers. */
export class Catalog {
  readonly shards: readonly Shard[];
  readonly #homes = new Map<string, Shard>();
  readonly #distributions = new Map<string, Distribution>();
  /** The transactions on several shards about which is being decided, with what says that it is over. */
  readonly deciding: Map<string, Promise<void>> = new Map<string, Promise<void>>();
  /** The sessions of which a retryable write is on its way from shard to shard, with what says that it is over. */
  readonly trying: Map<SessionKey, Promise<void>> = new Map<SessionKey, Promise<void>>();
  balancerRuns = true;

  /** @throws RangeError without shards */
  constructor(shards: readonly Shard[]) {
    if (shards.length === 0) throw new RangeError('A mongos needs at least one shard');
    this.shards = shards;
  }

  /** Where users and settings live. */
  get config(): Shard {
    return this.shards[0]!;
  }

  /** Databases that have a place, with it. */
  get databases(): ReadonlyMap<string, Shard> {
    return this.#homes;
  }

  /** Collections that are sharded, by their namespaces. */
  get distributions(): ReadonlyMap<string, Distribution> {
    return this.#distributions;
  }

  /** The primary shard of a database: where its collections are that are not sharded. A new one would go where the fewest are. */
  homeOf(db: string): Shard {
    if (isSettings(db)) return this.config;
    const known = this.#homes.get(db);
    if (known !== undefined) return known;
    const crowd = (shard: Shard): number => [...this.#homes.values()].filter(one => one === shard).length;
    return this.shards.reduce((best, one) => (crowd(one) < crowd(best) ? one : best));
  }

  /** The same, of a database that is written to: from now on it is there. @param home where a new one goes */
  settle(db: string, home: Shard = this.homeOf(db)): Shard {
    if (isSettings(db)) return this.config;
    const known = this.#homes.get(db) ?? home;
    this.#homes.set(db, known);
    return known;
  }

  /**
   * Begins with what a disk has: which collections are sharded is written down, and a database's home is where its other collections are.
   * @throws RangeError if a shard is missing
   */
  restore(): void {
    const primaries = this.shards.map(shard => primaryOf(shard)?.state.engine);
    for (const doc of primaries[0] === undefined ? [] : new OwnDocuments(primaries[0], keptIn)) {
      const found = distributionIn(doc, this.shards);
      if (found !== undefined) this.#distributions.set(found.ns, found);
    }
    for (const [i, shard] of this.shards.entries()) {
      for (const [ns] of primaries[i]?.value.namespaces ?? []) {
        const db = dbOf(ns);
        const isWhole = !internalDatabases.has(db) && !this.#distributions.has(ns);
        if (isWhole && !this.#homes.has(db)) this.#homes.set(db, shard);
      }
    }
  }

  /** @throws CommandError 133 while nobody can write it down */
  #kept(): OwnDocuments {
    const primary = primaryOf(this.config);
    if (primary !== undefined) return new OwnDocuments(primary.state.engine, keptIn);
    throw fail(
      'FailedToSatisfyReadPreference',
      `Could not find host matching read preference { mode: "primary" } for set ${this.config.name}`,
    );
  }

  /** Undefined if the collection is not sharded. */
  distributionOf(ns: string): Distribution | undefined {
    return this.#distributions.get(ns);
  }

  /** Whether any collection of the database is on several shards. */
  isSpread(db: string): boolean {
    if (this.shards.length === 1) return false;
    return [...this.#distributions.values()].some(one => one.ns.startsWith(`${db}.`) && shardsWith(one).length > 1);
  }

  /** Where a collection is. */
  shardsOf(db: string, name: string): readonly Shard[] {
    const distribution = this.#distributions.get(`${db}.${name}`);
    return distribution === undefined ? [this.homeOf(db)] : shardsWith(distribution);
  }

  /** @throws CommandError 133 while nobody can write it down */
  distribute(distribution: Distribution): void {
    const kept = this.#kept();
    kept.put(keptDoc(distribution, kept.nowMs));
    this.#distributions.set(distribution.ns, distribution);
  }

  /** The collection is gone. */
  forgetCollection(ns: string): void {
    if (this.#distributions.delete(ns)) this.#kept().remove(ns);
  }

  /** The database is gone. */
  forgetDatabase(db: string): void {
    this.#homes.delete(db);
    for (const ns of [...this.#distributions.keys()]) if (ns.startsWith(`${db}.`)) this.forgetCollection(ns);
  }
}
