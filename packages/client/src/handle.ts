import type {
  BsonCodec,
  BsonOptions,
  Document,
  Elements,
  Operation,
  Selection,
  Session,
  Shape,
  Signal,
} from '@tessera/contracts';
import { createFindOne, createWrite, run, runCommand, writable } from '@tessera/operations';
import type { Call, MakeFindOne, MakeWrite, NewId, Target, WriteCommand } from '@tessera/operations';
import { ReadPreference } from './concerns.js';
import { resolveForOperation, noOptions, overrides } from './resolved-options.js';
import type { ResolvedOptions, InheritedOptions, Origin } from './resolved-options.js';
import { argument, checkArgument, checkOptions, isGiven } from './operation-options.js';
import { asPromise } from './stack-trace.js';
import { checkInTransaction, differsInTransaction, inTransaction } from './transaction-options.js';
import type { ClientSession } from './session.js';
import { checkTimeoutMS, timedCall } from './time-limit.js';

/** Options that every operation takes. */
export interface OperationOptions extends InheritedOptions {
  readonly session?: ClientSession | undefined;
  /** Ends the operation at once with the signal's reason; the connection is kept. */
  readonly signal?: Signal | undefined;
}

/** Options of those operations that are one command. */
export interface CommandOptions extends OperationOptions {
  /** Stands in the server's logs. */
  readonly comment?: unknown;
  /** How long the server may work on it. */
  readonly maxTimeMS?: number | undefined;
}

/** Those of them that stand in the command itself. */
export const commandFields = (options: CommandOptions | null | undefined): Document => {
  const { comment, maxTimeMS } = options ?? {};
  return {
    ...(comment === undefined ? {} : { comment }),
    ...(maxTimeMS === undefined ? {} : { maxTimeMS }),
  };
};

const emptyCall: Call = {};

/** A database or collection under one set of options: the target of its operations. What is encoded for it is encoded once. */
export class Handle implements Target {
  readonly origin: Origin;
  readonly db: string;
  readonly collection: string;
  readonly resolved: ResolvedOptions;
  readonly forceServerObjectId: boolean;
  readonly selection: Selection;
  readonly readConcern: Document | undefined;
  readonly writeConcern: Document | undefined;
  #bson: BsonCodec | undefined;
  #database: Elements | undefined;
  #documents: Shape | undefined;
  #arguments: Shape | undefined;
  readonly #heads: Record<string, Elements> = {};
  #findOne: MakeFindOne | undefined;
  readonly #writes: Partial<Record<WriteCommand, MakeWrite>> = {};
  readonly #like: Handle | undefined;

  /** @param like another handle of the same collection and BSON options, whose knowledge of the documents it shares */
  constructor(
    origin: Origin,
    db: string,
    collection: string,
    resolved: ResolvedOptions,
    forceServerObjectId = false,
    like?: Handle,
  ) {
    this.origin = origin;
    this.db = db;
    this.collection = collection;
    this.resolved = resolved;
    this.forceServerObjectId = forceServerObjectId;
    this.selection = resolved.readPreference ?? writable;
    this.readConcern = resolved.readConcern?.toJSON();
    this.writeConcern = resolved.writeConcern?.toDocument();
    this.#like = like;
  }

  /** The first use opens the client; the codec can be used after the client is closed, too. */
  get bson(): BsonCodec {
    return (this.#bson ??= this.origin.driver.bson);
  }
  get database(): Elements {
    return (this.#database ??= this.#like?.database ?? this.bson.elements({ $db: this.db }));
  }
  get documents(): Shape {
    return (this.#documents ??= this.#like?.documents ?? this.bson.shape(this.resolved.bson));
  }
  get arguments(): Shape {
    return (this.#arguments ??= this.#like?.arguments ?? this.bson.shape(this.resolved.bson));
  }
  head(command: string): Elements {
    return (this.#heads[command] ??= this.#like?.head(command) ?? this.bson.elements({ [command]: this.collection }));
  }

  /** What is undefined in documents is left out, not sent as null. */
  ignoresUndefined(options?: BsonOptions): boolean {
    return (options?.ignoreUndefined ?? this.resolved.bson.ignoreUndefined) === true;
  }

  get findOne(): MakeFindOne {
    return (this.#findOne ??= createFindOne(this));
  }

  write(command: WriteCommand): MakeWrite {
    return (this.#writes[command] ??= createWrite({ newId: this.#newId }, this, command));
  }

  /**
   * Returns this handle, or a handle of the operation's own if its options differ from those of the handle.
   * @throws MongoInvalidArgumentError for an option of a wrong type.
   */
  with(options: OperationOptions | null | undefined, forceServerObjectId?: boolean): Handle {
    if (!isGiven(options)) return this;
    checkOptions(options);
    return this.withChecked(options, forceServerObjectId);
  }

  /** The same for options that were checked before. */
  withChecked(options: OperationOptions, forceServerObjectId?: boolean): Handle {
    const resolved = options.session?.inTransaction() === true ? this.#inTransaction(options) : this.#own(options);
    return this.as(resolved, forceServerObjectId ?? this.forceServerObjectId);
  }

  /** This handle, or another one of the same collection that gives this to its operations. */
  as(resolved: ResolvedOptions, forceServerObjectId: boolean): Handle {
    if (resolved === this.resolved && forceServerObjectId === this.forceServerObjectId) return this;
    const like = resolved.bson === this.resolved.bson ? this : undefined;
    return new Handle(this.origin, this.db, this.collection, resolved, forceServerObjectId, like);
  }

  get #newId(): NewId | undefined {
    if (this.forceServerObjectId) return undefined;
    const { pkFactory } = this.resolved;
    return pkFactory === undefined ? this.origin.driver.newId : () => pkFactory.createPk();
  }

  #own(options: OperationOptions): ResolvedOptions {
    return overrides(options) ? resolveForOperation(options, this.resolved) : this.resolved;
  }

  #inTransaction(options: OperationOptions): ResolvedOptions {
    checkInTransaction(options);
    const own = this.#own(options);
    return own !== this.resolved || differsInTransaction(own) ? inTransaction(options, own) : own;
  }

  /** What the caller says beside the command. @throws MongoExpiredSessionError, MongoInvalidArgumentError. */
  call(options: OperationOptions | null | undefined): Call {
    if (options?.timeoutMS !== undefined) checkTimeoutMS(options.timeoutMS);
    const timeoutMS = options?.timeoutMS ?? this.resolved.timeoutMS;
    if (!isGiven(options) && timeoutMS === undefined) return emptyCall;
    const own = options?.session ?? undefined;
    const signal = options?.signal ?? undefined;
    const session = own === undefined ? undefined : this.#session(own);
    const shared = own?.sharedDeadline(options?.timeoutMS);
    if (timeoutMS === undefined && shared === undefined) return { session, signal };
    return timedCall(this.origin.driver, { session, signal }, timeoutMS, shared);
  }

  /** A command as it is; only the read preference and the BSON options given here apply. Rule: Run Command. */
  command(command: Document, options: OperationOptions | undefined): Promise<Document> {
    return this.#bare().ownCommand(command, options);
  }

  /** One of the driver's own, to which the handle's BSON options apply as well. */
  ownCommand(command: Document, options: OperationOptions | undefined): Promise<Document> {
    return asPromise(() => {
      checkArgument('command', command, argument.document);
      checkOptions(options);
      if (options?.session?.inTransaction() === true) checkInTransaction(options);
      const handle = this.with(options && { ...options, readConcern: undefined, writeConcern: undefined });
      const selection = ReadPreference.fromOptions(options) ?? ReadPreference.primary;
      return handle.run(runCommand(handle, command, selection), options);
    });
  }

  /** Runs the operation; errors come as users know them, with the caller's own frame. */
  run<T, R = T>(operation: Operation<T>, options: OperationOptions | undefined, shape?: (value: T) => R): Promise<R> {
    const { driver } = this.origin;
    const call = this.call(options);
    const { deadline, timeoutMS } = call;
    if (deadline === undefined) return run(driver, operation, call).then(shape, driver.rethrow);
    const fail = (error: unknown): never => driver.rethrow(error, deadline, timeoutMS, fail);
    // The error of a statement, which the shape throws, may be one of time, too.
    return run(driver, operation, call).then(shape).catch(fail);
  }

  /** This handle, or one without BSON options. */
  #bare(): Handle {
    const { bson } = noOptions;
    return this.resolved.bson === bson ? this : this.as({ ...this.resolved, bson }, this.forceServerObjectId);
  }

  #session(session: ClientSession): Session {
    return session.use(this.origin);
  }
}
