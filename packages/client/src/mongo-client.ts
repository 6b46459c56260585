import type { BsonOptions, Clock, Document, DriverInfo, Millis, Runtime, Selection } from '@tessera/contracts';
import { MongoError as TesseraError } from '@tessera/contracts';
import { credentialOf } from '@tessera/auth';
import { checkDriverInfo } from '@tessera/connection';
import { createRequest, runCommand } from '@tessera/operations';
import type { Target } from '@tessera/operations';
import { createAttempt } from '@tessera/attempt';
import { resolveSettings } from '@tessera/uri';
import type { Settings } from '@tessera/uri';
import { assemble } from './assemble.js';
import type { Driver, Parts } from './assemble.js';
import { ChangeStream } from './change-stream.js';
import type { ChangeStreamOptions } from './change-stream.js';
import type { ChangeStreamDocument } from './change-stream-documents.js';
import { bulkWriteOfClient } from './client-bulk-write.js';
import type { ClientBulkWriteOptions } from './client-bulk-write.js';
import { ReadPreference } from './concerns.js';
import type { ReadConcern, WriteConcern } from './concerns.js';
import { convertError } from './convert-error.js';
import { Db } from './db.js';
import type { DbOptions } from './db.js';
import { defaultOptions } from './default-options.js';
import type { ClientSettings } from './default-options.js';
import { createSink, emitSafely, TypedEmitter } from './emitter.js';
import type { MongoClientEvents } from './emitter.js';
import { MongoInvalidArgumentError, MongoNotConnectedError, MongoParseError } from './errors.js';
import { Handle } from './handle.js';
import { resolveOptions, noOptions, resolvedBson } from './resolved-options.js';
import type { ResolvedOptions, InheritedOptions } from './resolved-options.js';
import { argument, checkArgument } from './operation-options.js';
import { Handles } from './handles.js';
import type { Client } from './handles.js';
import { serverApiOf, toMongoOptions } from './mongo-options.js';
import type { ClientState, MongoOptions } from './mongo-options.js';
import type { MongoClientOptions, ServerApi } from './options.js';
import { ClientSession } from './session.js';
import type { ClientSessionOptions, SessionOwner } from './session.js';
import { asPromise, rethrow } from './stack-trace.js';
import { Topology } from './topology.js';
import type { AnyClientBulkWriteModel, ClientBulkWriteModel, ClientBulkWriteResult } from './types/client-bulk.js';

/** The last argument of the constructor of `MongoClient`: its runtime and replaced parts. */
export interface ClientRuntime {
  /**
   * The services of the host, such as clock and sockets, or a function that returns them. The client calls the function
   * each time it opens, and once before if it needs the clock earlier.
   */
  readonly runtime: Runtime | ((settings: Settings) => Runtime);
  /** Replacements for parts of the driver. Default: none. */
  readonly parts?: Partial<Parts> | undefined;
}

type Life = { readonly is: 'new' } | { readonly is: 'open'; readonly driver: Driver } | { readonly is: 'closed' };

const unborn: Life = { is: 'new' };
const closed: Life = { is: 'closed' };

/**
 * Merges the options of the connection string and of code.
 * @throws MongoParseError for an invalid option, with a suggestion
 */
const settle = (url: string, options: MongoClientOptions): ClientSettings => {
  try {
    const settings = resolveSettings(url, options as Readonly<Record<string, unknown>>, defaultOptions);
    credentialOf(settings);
    return settings;
  } catch (error) {
    throw TesseraError.is(error) ? new MongoParseError(error.message, { from: error }) : error;
  }
};

/** Returns the options that databases inherit from the client. */
const resolveHandleOptions = (settings: Settings): ResolvedOptions => {
  const { w, wtimeoutMS, journal, useBigInt64, promoteLongs, promoteValues } = settings;
  if (useBigInt64 === true && (promoteLongs === false || promoteValues === false))
    throw new MongoInvalidArgumentError(
      '"useBigInt64: true" reads int64 as bigint, but "promoteLongs: false" and "promoteValues: false" read it as Long. Remove one of the options.',
    );
  const single = { w, wtimeoutMS, journal };
  const { writeConcern: given = single } = settings;
  const writeConcern = typeof given === 'object' ? { ...single, ...given } : given;
  return resolveOptions({ ...settings, writeConcern } as InheritedOptions, noOptions);
};

/**
 * A client of a MongoDB deployment. The constructor only validates its options; the first operation, or `connect`,
 * opens connections.
 * @throws MongoParseError for an invalid connection string or option
 * @throws MongoInvalidArgumentError for an invalid or contradictory write concern, read preference or set of BSON options
 */
export class MongoClient extends TypedEmitter<MongoClientEvents> implements Client, SessionOwner {
  readonly #url: string;
  readonly #settings: ClientSettings;
  readonly #runtime: ClientRuntime;
  readonly #resolved: ResolvedOptions;
  readonly #handles: Handles;
  #options: MongoOptions | undefined;
  #topology: Topology | undefined;
  #life: Life = unborn;
  #clock: Clock | undefined;
  #connecting: Promise<this> | undefined;
  #closing: Promise<void> = Promise.resolve();

  /**
   * Reads the connection string and validates the options. Opens no connection.
   * @throws MongoParseError for an invalid connection string or option
   * @throws MongoInvalidArgumentError for an invalid or contradictory write concern, read preference or set of BSON options
   */
  constructor(url: string, options: MongoClientOptions, runtime: ClientRuntime) {
    super();
    this.#url = url;
    this.#settings = settle(url, options);
    this.#runtime = runtime;
    this.#resolved = resolveHandleOptions(this.#settings);
    this.#handles = new Handles(this, this.#resolved, this.#settings.forceServerObjectId ?? false);
  }

  /** The options of the connection string and of the constructor, with their defaults. */
  get options(): MongoOptions {
    return (this.#options ??= toMongoOptions(this.#settings, this.#resolved));
  }
  /** The connection string and the options, where libraries look for them. Prefer {@link MongoClient.options}. */
  get s(): ClientState {
    return { url: this.#url, options: this.options };
  }
  /** The deployment, for libraries that read its description. Undefined before the client opens and after it closes. */
  get topology(): Topology | undefined {
    return this.#topology;
  }
  /**
   * The cached handles of the client's databases and collections.
   * @internal
   */
  get handles(): Handles {
    return this.#handles;
  }

  /** Returns only the address and state. The options are long, and not meant for every log. */
  override toString(): string {
    const { srvHost, hosts, dbName } = this.#settings;
    const where = srvHost === undefined ? `mongodb://${hosts.join(',')}` : `mongodb+srv://${srvHost}`;
    return `MongoClient { ${where}/${dbName}, ${this.#life.is} }`;
  }

  /** The servers that reads use by default. */
  get readPreference(): ReadPreference {
    return this.#resolved.readPreference ?? ReadPreference.primary;
  }
  /** The default read concern. Undefined means the server's default. */
  get readConcern(): ReadConcern | undefined {
    return this.#resolved.readConcern;
  }
  /** The default write concern. Undefined means the server's default. */
  get writeConcern(): WriteConcern | undefined {
    return this.#resolved.writeConcern;
  }
  /** The options that convert documents to BSON and back, including defaults. */
  get bsonOptions(): BsonOptions {
    return resolvedBson(this.#resolved);
  }
  /** The Stable API version that commands declare. Undefined if they declare none. */
  get serverApi(): ServerApi | undefined {
    return serverApiOf(this.#settings);
  }
  /** The timeout in milliseconds of each operation. Undefined means no limit for the whole operation. */
  get timeoutMS(): number | undefined {
    return this.#resolved.timeoutMS;
  }

  /**
   * The assembled driver; the first access opens the client.
   * @throws MongoNotConnectedError if the client was closed
   */
  get driver(): Driver {
    const life = this.#life;
    switch (life.is) {
      case 'open':
        return life.driver;
      case 'new':
        return this.#open();
      case 'closed':
        throw new MongoNotConnectedError(
          'The client is closed. Create a new MongoClient, or call connect() to open this one again.',
        );
    }
  }

  /** The clock of the client's runtime. */
  get clock(): Clock {
    return (this.#clock ??= this.#world().clock);
  }

  /**
   * Opens the client and waits until a server replies. A closed client can be opened again. If this call opened the
   * client and fails, the client has no connections or timers; the next operation opens it again. A client that was open
   * before stays open.
   * @throws MongoServerSelectionError if no server is available within `serverSelectionTimeoutMS`
   * @throws MongoOperationTimeoutError if `timeoutMS` of the client is shorter and expires
   * @throws MongoServerError if authentication fails, for example because the password is wrong
   * @example const client = await new MongoClient('mongodb://localhost').connect();
   */
  connect(): Promise<this> {
    if (this.#connecting === undefined) {
      const connecting = this.#connect().finally(() => {
        if (this.#connecting === connecting) this.#connecting = undefined;
      });
      this.#connecting = connecting;
    }
    // Each caller gets its own promise, so that the stack contains the caller.
    return this.#connecting.catch(rethrow);
  }

  /**
   * Closes the client. Running operations fail at once with a MongoClientClosedError; the server may still complete a
   * command that was sent. Then the client ends its sessions on the server, for 500 ms at most, and closes all
   * connections. Never rejects. Concurrent calls share one promise. Ignores the argument.
   * @example await client.close();
   */
  close(_force?: boolean): Promise<void> {
    const life = this.#life;
    this.#life = closed;
    this.#topology = undefined;
    // A later connect() opens the client again, and does not share the outcome of an attempt that this call ends.
    this.#connecting = undefined;
    if (life.is === 'open') this.#closing = this.#close(life.driver, this.#closing);
    return this.#closing;
  }

  /**
   * Returns a database. Default: the option `dbName`, else the database of the connection string, else `test`.
   * @throws MongoInvalidArgumentError for an invalid name, such as one with a dot or a space
   * @example const db = client.db('shop');
   */
  db(name?: string | null, options?: DbOptions): Db {
    const { dbName, forceServerObjectId: force } = this.#settings;
    return new Db(this, (name ?? '') || dbName, {
      ...(force === undefined ? {} : { forceServerObjectId: force }),
      ...options,
    });
  }

  /**
   * Adds the name of a library that wraps this client to the handshake of new connections. Existing connections do not
   * change.
   * Rule: MongoDB Handshake, "Supporting Wrapping Libraries".
   * @throws MongoInvalidArgumentError if a value contains `|`
   * @example client.appendMetadata({ name: 'my-odm', version: '1.2.0' });
   */
  appendMetadata(driverInfo: DriverInfo): void {
    try {
      checkDriverInfo(driverInfo);
    } catch (error) {
      throw convertError(error);
    }
    this.#settings.driverInfo.push(driverInfo);
  }

  /**
   * Returns a change stream of all databases except `admin`, `config` and `local`. It starts at its first read, at its
   * first listener for `change`, or at `open()`; it does not report earlier changes. Requires a replica set or a sharded cluster.
   * @example for await (const change of client.watch()) console.log(change);
   */
  watch<Schema extends object = Document, Change extends object = ChangeStreamDocument<Schema>>(
    pipeline?: readonly Document[],
    options?: ChangeStreamOptions,
  ): ChangeStream<Schema, Change> {
    const handle = this.handles.of('admin', '');
    return new ChangeStream<Schema, Change>({ parent: this, handle, isCluster: true }, pipeline ?? [], options ?? {});
  }

  /**
   * Executes writes to several collections in as few commands as possible. Requires MongoDB 8.0; on older servers, use
   * `collection.bulkWrite`. Rule: Bulk Write.
   * @throws MongoClientBulkWriteError with the partial result if a write fails, or another error after some writes
   * @throws MongoInvalidArgumentError for an invalid write, a server before MongoDB 8.0, or `w: 0` without
   * `ordered: false` or with `verboseResults`
   * @throws MongoClientBulkWriteExecutionError for an empty list
   * @example await client.bulkWrite([{ namespace: 'shop.films', name: 'insertOne', document: { title: 'Heat' } }]);
   */
  bulkWrite<SchemaMap extends Record<string, Document> = Record<string, Document>>(
    models: readonly ClientBulkWriteModel<SchemaMap>[],
    options?: ClientBulkWriteOptions | null,
  ): Promise<ClientBulkWriteResult> {
    return asPromise(() =>
      bulkWriteOfClient(this.handles.of('admin', ''), models as readonly AnyClientBulkWriteModel[], options),
    );
  }

  /**
   * Starts a session. End it with `endSession`.
   * @throws MongoInvalidArgumentError for `snapshot` together with `causalConsistency: true`, and for `snapshotTime` without
   * `snapshot: true`
   * @example await using session = client.startSession();
   */
  startSession(options?: ClientSessionOptions): ClientSession {
    return new ClientSession(this, options ?? {});
  }

  /* oxlint-disable typescript/no-explicit-any -- as in the official driver: a result without a type */
  /**
   * Calls the function with a new session, ends the session, and returns the function's result.
   * @example await client.withSession(session => films.insertOne(film, { session }));
   */
  withSession<T = any>(use: (session: ClientSession) => Promise<T>): Promise<T>;
  /** Calls the function with a new session of these options, ends the session, and returns the function's result. */
  withSession<T = any>(options: ClientSessionOptions, use: (session: ClientSession) => Promise<T>): Promise<T>;
  /* oxlint-enable typescript/no-explicit-any */
  async withSession<T>(
    first: ClientSessionOptions | ((session: ClientSession) => Promise<T>),
    second?: (session: ClientSession) => Promise<T>,
  ): Promise<T> {
    const [options, use] = typeof first === 'function' ? [{}, first] : [first, second];
    checkArgument('callback', use, argument.callback);
    const session = this.startSession(options);
    try {
      return await (use as (session: ClientSession) => Promise<T>)(session);
    } finally {
      await session.endSession();
    }
  }

  /**
   * Closes the client at the end of an `await using` block.
   * @example await using client = new MongoClient('mongodb://localhost');
   */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #connect(): Promise<this> {
    const opened = this.#life.is === 'open' ? undefined : this.#open();
    const { driver } = this;
    // The last call of connect() or close() decides. This call opens the client, and waits for an earlier close() to
    // end.
    await this.#closing;
    const handle = new Handle({ driver, clock: driver.clock }, 'admin', '', this.#resolved);
    try {
      await handle.run(runCommand(handle, { ping: 1 }, handle.selection), undefined);
    } catch (error) {
      if (opened !== undefined) await this.#abandon(opened);
      return rethrow(error, this.#connect);
    }
    if (opened !== undefined && this.#isOpenWith(opened)) emitSafely(this, driver, 'open', this);
    return this;
  }

  /** @param earlier the promise of an earlier driver's close */
  async #close(driver: Driver, earlier: Promise<void>): Promise<void> {
    const deadline = driver.clock.now() + 500;
    driver.kills.hold();
    driver.deployment.interrupt();
    // Sequentially, because two concurrent commands would open a second connection.
    await endSessions(driver, new Handle({ driver, clock: driver.clock }, 'admin', '', noOptions), deadline);
    await driver.kills.close(deadline);
    await driver.deployment.close();
    for (const each of driver.started) await each[Symbol.asyncDispose]();
    await earlier;
    emitSafely(this, driver, 'close');
  }

  /** Closes the driver after a failed connect. Its monitors would otherwise keep the process alive. */
  async #abandon(driver: Driver): Promise<void> {
    if (this.#isOpenWith(driver)) {
      this.#life = unborn;
      this.#topology = undefined;
    }
    await driver.deployment.close();
  }

  #isOpenWith(driver: Driver): boolean {
    return this.#life.is === 'open' && this.#life.driver === driver;
  }

  #world(): Runtime {
    const { runtime } = this.#runtime;
    return typeof runtime === 'function' ? runtime(this.#settings) : runtime;
  }

  #open(): Driver {
    try {
      const world = this.#world();
      const { parts } = this.#runtime;
      const driver = assemble(world, createSink(this, world, this.#settings), this.#settings, parts ?? {});
      this.#clock = world.clock;
      this.#life = { is: 'open', driver };
      this.#topology = new Topology(driver.deployment, this.#settings);
      return driver;
    } catch (error) {
      throw convertError(error);
    }
  }
}

/** Sends endSessions once, ignores the reply, and waits for a limited time. Rule: Driver Sessions, "endSessions". */
const endSessions = async (driver: Driver, target: Target, deadline: Millis): Promise<void> => {
  const batches = driver.sessions.close();
  if (driver.deployment.description.type === 'Unknown') return;
  // Without layers, because the command must not start a session.
  const once = createAttempt({ deployment: driver.deployment });
  for (const ids of batches)
    await once(
      createRequest(runCommand(target, { endSessions: ids }, nearest), driver.newOperationId(), { deadline }),
    ).catch(() => undefined);
};

const nearest: Selection = { mode: 'primaryPreferred' };
