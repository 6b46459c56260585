import { Collection, Db } from '@tessera/client';
import type { ClientSession, ClusterTime } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import { optionsOf } from './arguments.js';
import { CursorEntity } from './cursor-entity.js';
import { construct } from './facade.js';
import type { EntityDescription } from './format.js';
import type { EntityLookup } from './match.js';
import { checkNames, RunnerError } from './names.js';
import { ObservedClient } from './observed-client.js';
import type { ClientContext } from './observed-client.js';
import { SessionEntity } from './session-entity.js';
import { Thread, within } from './thread.js';

/** A GridFS bucket entity. */
export interface Bucket {
  readonly bucket: object;
}

/** A value entity: a saved result or recorded events. */
export interface Saved {
  readonly saved: unknown;
}

export type Entity = ObservedClient | Db | Collection | SessionEntity | Bucket | Thread | CursorEntity | Saved;

/** The class of entities of one kind. */
type Kind<T> = abstract new (...given: never[]) => T;

/** The entities of a test by name. Rule: "Entity Map". */
export class Entities implements EntityLookup {
  readonly #context: ClientContext;
  readonly #all = new Map<string, Entity>();
  /** The cluster time after the test's data was written. Sessions start with it. */
  readonly #clusterTime: Document | undefined;

  constructor(context: ClientContext, clusterTime: Document | undefined) {
    this.#context = context;
    this.#clusterTime = clusterTime;
  }

  /**
   * Creates entities in order.
   * @throws RunnerError if a name is already used, or refers to a missing entity or one of another kind
   */
  async create(descriptions: readonly EntityDescription[]): Promise<void> {
    for (const description of descriptions) {
      const [[kind, given] = ['', {}], ...more] = Object.entries(description);
      if (more.length > 0)
        throw new RunnerError(`An entity has exactly one kind, but "${more[0]![0]}" was given as well.`);
      await this.#create(kind, given);
    }
  }

  add(name: string, entity: Entity): void {
    if (this.#all.has(name)) throw new RunnerError(`The entity "${name}" already exists.`);
    this.#all.set(name, entity);
  }

  get(name: string): Entity {
    const entity = this.#all.get(name);
    if (entity === undefined) throw new RunnerError(`There is no entity "${name}".`);
    return entity;
  }

  client(name: string): ObservedClient {
    return this.#of(name, 'client', ObservedClient);
  }

  session(name: string): SessionEntity {
    return this.#of(name, 'session', SessionEntity);
  }

  thread(name: string): Thread {
    return this.#of(name, 'thread', Thread);
  }

  value(name: string): unknown {
    const entity = this.get(name);
    if (!('saved' in entity)) throw new RunnerError(`The entity "${name}" is not a value.`);
    return entity.saved;
  }

  lsid(name: string): Document {
    return this.session(name).lsid;
  }

  get clients(): readonly ObservedClient[] {
    return [...this.#all.values()].filter(entity => entity instanceof ObservedClient);
  }

  get sessions(): readonly SessionEntity[] {
    return [...this.#all.values()].filter(entity => entity instanceof SessionEntity);
  }

  /** Closes cursors, then sessions, then clients. */
  async close(): Promise<void> {
    const all = [...this.#all.values()];
    for (const entity of all) if (entity instanceof CursorEntity) await entity.close().catch(() => undefined);
    for (const entity of all) if (entity instanceof SessionEntity) await entity.end().catch(() => undefined);
    for (const { client } of this.clients) await client.close();
  }

  #of<T extends Entity>(name: string, kind: string, type: Kind<T>): T {
    const entity = this.get(name);
    if (!(entity instanceof type)) throw new RunnerError(`The entity "${name}" is not a ${kind}.`);
    return entity;
  }

  async #create(kind: string, given: Document): Promise<void> {
    const id = given['id'] as string;
    switch (kind) {
      case 'client':
        return this.#createClient(id, given);
      case 'database':
        return this.add(id, this.#database(given));
      case 'collection':
        return this.add(id, this.#collection(given));
      case 'session':
        return this.add(id, this.#session(given));
      case 'bucket':
        return this.add(id, this.#bucket(given));
      case 'thread':
        checkNames('thread', given, ['id']);
        return this.add(id, new Thread());
      default:
        throw new RunnerError(`Unknown kind of entity: ${kind}.`);
    }
  }

  async #createClient(id: string, given: Document): Promise<void> {
    const observed = new ObservedClient(given, this.#context);
    this.add(id, observed);
    for (const [name, saved] of observed.stored) this.add(name, { saved });
    const limit = given['awaitMinPoolSizeMS'] as number | undefined;
    if (limit === undefined) return;
    const { clock } = this.#context.deployment.runtime;
    await within(clock, limit, 'filling the pool', observed.filled());
    observed.clear();
  }

  #database(given: Document): Db {
    checkNames('database', given, ['id', 'client', 'databaseName', 'databaseOptions']);
    const { client } = this.client(given['client'] as string);
    return client.db(given['databaseName'] as string, optionsOf(given['databaseOptions'] as Document | undefined));
  }

  #collection(given: Document): Collection {
    checkNames('collection', given, ['id', 'database', 'collectionName', 'collectionOptions']);
    const database = this.#of(given['database'] as string, 'database', Db);
    const options = optionsOf(given['collectionOptions'] as Document | undefined);
    return database.collection(given['collectionName'] as string, options);
  }

  #session(given: Document): SessionEntity {
    checkNames('session', given, ['id', 'client', 'sessionOptions']);
    const { client } = this.client(given['client'] as string);
    const options = optionsOf(given['sessionOptions'] as Document | undefined);
    // The snapshot time is the name of a saved value.
    if (options['snapshotTime'] !== undefined) options['snapshotTime'] = this.value(options['snapshotTime'] as string);
    const session: ClientSession = client.startSession(options);
    if (this.#clusterTime !== undefined) session.advanceClusterTime(this.#clusterTime as ClusterTime);
    return new SessionEntity(session, given['client'] as string);
  }

  #bucket(given: Document): Bucket {
    checkNames('bucket', given, ['id', 'database', 'bucketOptions']);
    const database = this.#of(given['database'] as string, 'database', Db);
    const options = optionsOf(given['bucketOptions'] as Document | undefined);
    return { bucket: construct('GridFSBucket', database, options) };
  }
}
