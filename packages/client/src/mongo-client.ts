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
import { MongoNotConnectedError, MongoParseError } from './errors.js';
import { Handle } from './handle.js';
import { resolveOptions, noOptions, resolvedBson } from './resolved-options.js';
import type { ResolvedOptions, InheritedOptions } from './resolved-options.js';
import { argument, checkArgument } from './operation-options.js';
import { Handles } from './handles.js';
import type { Client } from './handles.js';
import type { MongoClientOptions, ServerApi } from './options.js';
import { ClientSession } from './session.js';
import type { ClientSessionOptions, SessionOwner } from './session.js';
import { asPromise, rethrow } from './stack-trace.js';
import type { AnyClientBulkWriteModel, ClientBulkWriteModel, ClientBulkWriteResult } from './types/client-bulk.js';

/** What a client needs beside its options: the world it lives in. */
export interface ClientRuntime {
  /** Made when the client opens, or given. */
  readonly runtime: Runtime | ((settings: Settings) => Runtime);
  /** Parts of the driver that are to be replaced. */
  readonly parts?: Partial<Parts> | undefined;
}

type Life = { readonly is: 'new' } | { readonly is: 'open'; readonly driver: Driver } | { readonly is: 'closed' };

const unborn: Life = { is: 'new' };
const closed: Life = { is: 'closed' };

/** The options of a connection string and of code together. @throws MongoParseError: what is wrong, and what was meant. */
const settle = (url: string, options: MongoClientOptions): ClientSettings => {
  try {
    const settings = resolveSettings(url, options as Readonly<Record<string, unknown>>, defaultOptions);
    credentialOf(settings);
    return settings;
  } catch (error) {
    throw TesseraError.is(error) ? new MongoParseError(error.message, { from: error }) : error;
  }
};

/** What databases inherit of the client's settings. */
const resolveHandleOptions = (settings: Settings): ResolvedOptions => {
  const { w, wtimeoutMS, journal, writeConcern = { w, wtimeoutMS, journal } } = settings;
  return resolveOptions({ ...settings, writeConcern } as InheritedOptions, noOptions);
};

/**
 * A deployment of MongoDB. The constructor only reads its options; the first operation, or `connect`, opens it.
 * @throws MongoParseError for a malformed connection string or option.
 */
export class MongoClient extends TypedEmitter<MongoClientEvents> implements Client, SessionOwner {
  static {
    // Printed by Node.js, it says where it leads and how it is: its options are many, and not for every log.
    Object.defineProperty(this.prototype, Symbol.for('nodejs.util.inspect.custom'), {
      value(this: MongoClient): string {
        const { srvHost, hosts, dbName } = this.options;
        const where = srvHost === undefined ? `mongodb://${hosts.join(',')}` : `mongodb+srv://${srvHost}`;
        return `MongoClient { ${where}/${dbName}, ${this.#life.is} }`;
      },
    });
  }

  readonly options: ClientSettings;
  readonly #runtime: ClientRuntime;
  readonly #resolved: ResolvedOptions;
  /** What it knows of its databases and collections. */
  readonly handles: Handles;
  #life: Life = unborn;
  #clock: Clock | undefined;
  #connecting: Promise<this> | undefined;
  #closing: Promise<void> = Promise.resolve();

  constructor(url: string, options: MongoClientOptions, runtime: ClientRuntime) {
    super();
    this.options = settle(url, options);
    this.#runtime = runtime;
    this.#resolved = resolveHandleOptions(this.options);
    this.handles = new Handles(this, this.#resolved, this.options.forceServerObjectId ?? false);
  }

  get readPreference(): ReadPreference {
    return this.#resolved.readPreference ?? ReadPreference.primary;
  }
  get readConcern(): ReadConcern | undefined {
    return this.#resolved.readConcern;
  }
  get writeConcern(): WriteConcern | undefined {
    return this.#resolved.writeConcern;
  }
  get bsonOptions(): BsonOptions {
    return resolvedBson(this.#resolved);
  }
  get serverApi(): ServerApi | undefined {
    const { serverApi } = this.options;
    return typeof serverApi === 'string' ? { version: serverApi } : serverApi && { ...serverApi };
  }
  get timeoutMS(): number | undefined {
    return this.#resolved.timeoutMS;
  }

  /** @throws MongoNotConnectedError once the client was closed. */
  get driver(): Driver {
    const life = this.#life;
    switch (life.is) {
      case 'open':
        return life.driver;
      case 'new':
        return this.#open();
      case 'closed':
        throw new MongoNotConnectedError('The client is closed; call connect() to open it again, or close it later.');
    }
  }

  get clock(): Clock {
    return (this.#clock ??= this.#world().clock);
  }

  /**
   * Opens the client, again after `close`, and waits until a server answers. If none does, nothing is left running: the
   * next operation opens the client anew. @throws MongoServerSelectionError.
   */
  connect(): Promise<this> {
    if (this.#connecting === undefined) {
      const connecting = this.#connect().finally(() => {
        if (this.#connecting === connecting) this.#connecting = undefined;
      });
      this.#connecting = connecting;
    }
    // Each caller has a promise of its own, so that the stack names the caller.
    return this.#connecting.catch(rethrow);
  }

  /**
   * Operations under way fail at once with a MongoClientClosedError; the server may still finish those that were sent. Then
   * the sessions end on the server, and the cursors with them, which takes 500 ms at most, and after them every connection.
   * Never fails; further calls wait for the first.
   */
  close(_force?: boolean): Promise<void> {
    const life = this.#life;
    this.#life = closed;
    // A later connect() opens the client again; it does not share the outcome of one that this call ends.
    this.#connecting = undefined;
    if (life.is === 'open') this.#closing = this.#close(life.driver, this.#closing);
    return this.#closing;
  }

  /** By default that of the options or of the connection string, else `test`. */
  db(name?: string | null, options?: DbOptions): Db {
    const { dbName, forceServerObjectId: force } = this.options;
    return new Db(this, (name ?? '') || dbName, this.#resolved, {
      ...(force === undefined ? {} : { forceServerObjectId: force }),
      ...options,
    });
  }

  /**
   * Names who is built on this client, to all connections that are opened from now on; those that are open stay.
   * Rule: MongoDB Handshake, "Supporting Wrapping Libraries".
   * @throws MongoInvalidArgumentError if a part contains `|`.
   */
  appendMetadata(driverInfo: DriverInfo): void {
    try {
      checkDriverInfo(driverInfo);
    } catch (error) {
      throw convertError(error);
    }
    this.options.driverInfo.push(driverInfo);
  }

  /** The changes of every database but `admin`, `config` and `local`. */
  watch<Schema extends object = Document, Change extends object = ChangeStreamDocument<Schema>>(
    pipeline?: readonly Document[],
    options?: ChangeStreamOptions,
  ): ChangeStream<Schema, Change> {
    const handle = this.handles.of('admin', '');
    return new ChangeStream<Schema, Change>({ parent: this, handle, isCluster: true }, pipeline ?? [], options ?? {});
  }

  /**
   * Many writes to many collections in as few commands as can be. Needs MongoDB 8.0. Rule: Bulk Write.
   * @throws MongoClientBulkWriteError with what was done.
   */
  bulkWrite<SchemaMap extends Record<string, Document> = Record<string, Document>>(
    models: readonly ClientBulkWriteModel<SchemaMap>[],
    options?: ClientBulkWriteOptions | null,
  ): Promise<ClientBulkWriteResult> {
    return asPromise(() =>
      bulkWriteOfClient(this.handles.of('admin', ''), models as readonly AnyClientBulkWriteModel[], options),
    );
  }

  /** @throws MongoInvalidArgumentError for options that contradict each other. */
  startSession(options?: ClientSessionOptions): ClientSession {
    return new ClientSession(this, options ?? {});
  }

  /** A session for the duration of the function. */
  withSession<T>(use: (session: ClientSession) => Promise<T>): Promise<T>;
  withSession<T>(options: ClientSessionOptions, use: (session: ClientSession) => Promise<T>): Promise<T>;
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

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #connect(): Promise<this> {
    const opened = this.#life.is === 'open' ? undefined : this.#open();
    const { driver } = this;
    // The last call of connect() and close() decides: the client is open from here on, and a close() under way ends first.
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

  /** @param earlier the end of the driver that this one replaced */
  async #close(driver: Driver, earlier: Promise<void>): Promise<void> {
    const deadline = driver.clock.now() + 500;
    driver.kills.hold();
    driver.deployment.interrupt();
    // One after the other: two commands at a time would open a second connection.
    await endSessions(driver, new Handle({ driver, clock: driver.clock }, 'admin', '', noOptions), deadline);
    await driver.kills.close(deadline);
    await driver.deployment.close();
    await earlier;
    emitSafely(this, driver, 'close');
  }

  /** Its monitors would keep the process alive, and nobody might hold the client to close it. */
  async #abandon(driver: Driver): Promise<void> {
    if (this.#isOpenWith(driver)) this.#life = unborn;
    await driver.deployment.close();
  }

  #isOpenWith(driver: Driver): boolean {
    return this.#life.is === 'open' && this.#life.driver === driver;
  }

  #world(): Runtime {
    const { runtime } = this.#runtime;
    return typeof runtime === 'function' ? runtime(this.options) : runtime;
  }

  #open(): Driver {
    try {
      const world = this.#world();
      const { parts } = this.#runtime;
      const driver = assemble(world, createSink(this, world), this.options, parts ?? {});
      this.#clock = world.clock;
      this.#life = { is: 'open', driver };
      return driver;
    } catch (error) {
      throw convertError(error);
    }
  }
}

/** Rule: Driver Sessions, "endSessions": sent once, its answer passed over, and never waited for long. */
const endSessions = async (driver: Driver, target: Target, deadline: Millis): Promise<void> => {
  const batches = driver.sessions.close();
  if (driver.deployment.description.type === 'Unknown') return;
  // Past the layers: the command itself must not begin a session.
  const once = createAttempt({ deployment: driver.deployment });
  for (const ids of batches)
    await once(
      createRequest(runCommand(target, { endSessions: ids }, nearest), driver.newOperationId(), { deadline }),
    ).catch(() => undefined);
};

const nearest: Selection = { mode: 'primaryPreferred' };
