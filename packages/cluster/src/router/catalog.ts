import { fail } from '@tessera/mql/engine';
import type { SessionKey } from '@tessera/server/parts';
import { OwnDocuments, dbOf, internalDatabases } from '@tessera/server/parts';
import type { Distribution } from './distribution.js';
import { shardsWith } from './distribution.js';
import { distributionIn, keptDoc } from './distribution-document.js';
import type { Shard } from './shard.js';
import { primaryOf } from './shard.js';

/** The collection that stores the distribution of sharded collections. */
const collection = 'config.collections';

const isInternal = (db: string): boolean => internalDatabases.has(db) || db === '$external';

/** The location of the cluster's data. All mongoses of a cluster share it, like config servers. */
export class Catalog {
  readonly shards: readonly Shard[];
  readonly #homes = new Map<string, Shard>();
  readonly #distributions = new Map<string, Distribution>();
  /** Commits of transactions on several shards that are in progress. The promises resolve when they are decided. */
  readonly deciding: Map<string, Promise<void>> = new Map<string, Promise<void>>();
  /**
   * Sessions with a retryable write that is being sent to one shard after the other. The promises resolve when it is
   * done.
   */
  readonly trying: Map<SessionKey, Promise<void>> = new Map<SessionKey, Promise<void>>();
  balancerRuns = true;

  /** @throws RangeError without shards */
  constructor(shards: readonly Shard[]) {
    if (shards.length === 0) throw new RangeError('A mongos needs at least one shard.');
    this.shards = shards;
  }

  /** The shard that stores users and settings. */
  get config(): Shard {
    return this.shards[0]!;
  }

  /** The primary shards of databases. */
  get databases(): ReadonlyMap<string, Shard> {
    return this.#homes;
  }

  /** The distributions of sharded collections by namespace. */
  get distributions(): ReadonlyMap<string, Distribution> {
    return this.#distributions;
  }

  /**
   * Returns the primary shard of a database, which stores its unsharded collections. A new database would be assigned
   * to the shard with the fewest databases.
   */
  homeOf(db: string): Shard {
    if (isInternal(db)) return this.config;
    const known = this.#homes.get(db);
    if (known !== undefined) return known;
    const countOn = (shard: Shard): number => [...this.#homes.values()].filter(one => one === shard).length;
    return this.shards.reduce((best, one) => (countOn(one) < countOn(best) ? one : best));
  }

  /**
   * Returns the primary shard of a database that is written to, and assigns it if the database is new.
   * @param home the shard of a new database
   */
  assign(db: string, home: Shard = this.homeOf(db)): Shard {
    if (isInternal(db)) return this.config;
    const known = this.#homes.get(db) ?? home;
    this.#homes.set(db, known);
    return known;
  }

  /**
   * Restores the catalog from disk. The distributions are stored in `config.collections`; the primary shard of a
   * database is the one with its other collections.
   * @throws RangeError if a shard is missing
   */
  restore(): void {
    const primaries = this.shards.map(shard => primaryOf(shard)?.state.engine);
    for (const doc of primaries[0] === undefined ? [] : new OwnDocuments(primaries[0], collection)) {
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

  /** @throws CommandError 133 if no primary can store the catalog */
  #store(): OwnDocuments {
    const primary = primaryOf(this.config);
    if (primary !== undefined) return new OwnDocuments(primary.state.engine, collection);
    throw fail(
      'FailedToSatisfyReadPreference',
      `Could not find host matching read preference { mode: "primary" } for set ${this.config.name}`,
    );
  }

  /** Returns the distribution of a collection, or undefined if it is not sharded. */
  distributionOf(ns: string): Distribution | undefined {
    return this.#distributions.get(ns);
  }

  /** Returns whether a collection of the database is on several shards. */
  isSpread(db: string): boolean {
    if (this.shards.length === 1) return false;
    return [...this.#distributions.values()].some(one => one.ns.startsWith(`${db}.`) && shardsWith(one).length > 1);
  }

  /** Returns the shards that store a collection. */
  shardsOf(db: string, name: string): readonly Shard[] {
    const distribution = this.#distributions.get(`${db}.${name}`);
    return distribution === undefined ? [this.homeOf(db)] : shardsWith(distribution);
  }

  /**
   * Stores the distribution of a collection.
   * @throws CommandError 133 if no primary can store the catalog
   */
  distribute(distribution: Distribution): void {
    const kept = this.#store();
    kept.put(keptDoc(distribution, kept.nowMs));
    this.#distributions.set(distribution.ns, distribution);
  }

  /** Removes a dropped collection. */
  forgetCollection(ns: string): void {
    if (this.#distributions.delete(ns)) this.#store().remove(ns);
  }

  /** Removes a dropped database. */
  forgetDatabase(db: string): void {
    this.#homes.delete(db);
    for (const ns of [...this.#distributions.keys()]) if (ns.startsWith(`${db}.`)) this.forgetCollection(ns);
  }
}
