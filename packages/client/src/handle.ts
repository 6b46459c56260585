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
import type { OptionTable } from './operation-options.js';
import type { ResolvedOptions, InheritedOptions, Origin } from './resolved-options.js';
import {
  argument,
  checkArgument,
  checkOptions,
  explainableOptions,
  isGiven,
  operationOptions,
} from './operation-options.js';
import { asPromise } from './stack-trace.js';
import type { Above } from './stack-trace.js';
import { checkInTransaction, differsInTransaction, inTransaction } from './transaction-options.js';
import type { ExplainCommandOptions, ExplainVerbosityLike } from './explain-verbosity.js';
import type { ClientSession } from './session.js';
import { checkTimeoutMS, timedCall } from './time-limit.js';
import { withoutUndefined } from './undefined-in-filters.js';
import type { CollationOptions } from './types/documents.js';

/** Options of every operation. */
export interface OperationOptions extends InheritedOptions {
  /** The session in which the operation runs. Default: an implicit session. */
  session?: ClientSession | undefined;
  /** Aborts the operation at once with the signal's reason. The connection stays in the pool. */
  signal?: Signal | undefined;
  /** Has no effect: `retryWrites` of the client decides about retries. For compatibility. */
  willRetryWrite?: boolean | undefined;
}

/** Options of operations that send a single command. */
export interface CommandOptions extends OperationOptions {
  /** A comment that the server writes to its logs and profiler. */
  comment?: unknown;
  /** The time in milliseconds that the server may spend on the command. Default: no limit. Ignored with `timeoutMS`. */
  maxTimeMS?: number | undefined;
  /** The collation, of commands that accept one. */
  collation?: CollationOptions | undefined;
  /** Has no effect. For compatibility. */
  dbName?: string | undefined;
  /** Has no effect. For compatibility. */
  authdb?: string | undefined;
  /** Returns the server's plan. An operation that the driver does not explain rejects the option. Default: none. */
  explain?: ExplainVerbosityLike | ExplainCommandOptions | undefined;
}

/** Returns the options that are fields of the command. */
export const commandFields = (options: CommandOptions | null | undefined): Document => {
  const { comment, maxTimeMS } = options ?? {};
  return {
    ...(comment === undefined ? {} : { comment }),
    ...(maxTimeMS === undefined ? {} : { maxTimeMS }),
  };
};

const emptyCall: Call = {};

const unchanged = (value: unknown): unknown => value;

/** A database or collection with one set of options: the target of operations. It caches what is encoded for it. */
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

  /** @param like another handle of the same collection and BSON options, whose cached document shapes it shares */
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

  /** The first use opens the client. The codec stays usable after the client is closed. */
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

  /** Returns whether undefined values are omitted from documents instead of sent as null. */
  ignoresUndefined(options?: BsonOptions): boolean {
    return (options?.ignoreUndefined ?? this.resolved.bson.ignoreUndefined) === true;
  }

  /**
   * Returns the filter, with its undefined values treated as `undefinedInFilters` says.
   * @throws MongoInvalidArgumentError if the rule is `error` and the filter contains undefined
   */
  filter<Filter>(filter: Filter, options?: InheritedOptions | null): Filter {
    const rule = options?.undefinedInFilters ?? this.resolved.undefinedInFilters;
    return rule === undefined ? filter : withoutUndefined(filter, rule);
  }

  get findOne(): MakeFindOne {
    return (this.#findOne ??= createFindOne(this));
  }

  write(command: WriteCommand): MakeWrite {
    return (this.#writes[command] ??= createWrite({ newId: this.#newId }, this, command));
  }

  /**
   * Returns this handle, or a new one if the options of the operation differ from those of the handle.
   * @throws MongoInvalidArgumentError if an option has a wrong type
   */
  with(options: OperationOptions | null | undefined, forceServerObjectId?: boolean): Handle {
    if (!isGiven(options)) return this;
    checkOptions(options, operationOptions);
    return this.withChecked(options, forceServerObjectId);
  }

  /** Like `with`, for an operation that can be explained. */
  withExplainable(options: OperationOptions | null | undefined, forceServerObjectId?: boolean): Handle {
    if (!isGiven(options)) return this;
    checkOptions(options, explainableOptions);
    return this.withChecked(options, forceServerObjectId);
  }

  /** Like `with`, for options that were validated before. */
  withChecked(options: OperationOptions, forceServerObjectId?: boolean): Handle {
    const resolved = options.session?.inTransaction() === true ? this.#inTransaction(options) : this.#own(options);
    return this.as(resolved, forceServerObjectId ?? this.forceServerObjectId);
  }

  /** Returns this handle, or one of the same collection with the given options. */
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

  /**
   * Returns the settings of the call: session, signal, deadline.
   * @throws MongoExpiredSessionError, MongoInvalidArgumentError
   */
  call(options: OperationOptions | null | undefined): Call {
    if (options?.timeoutMS !== undefined) checkTimeoutMS(options.timeoutMS);
    const timeoutMS = options?.timeoutMS ?? this.resolved.timeoutMS;
    if (!isGiven(options) && timeoutMS === undefined) return emptyCall;
    if (isGiven(options)) this.origin.driver.checkNames?.(options);
    const own = options?.session ?? undefined;
    const signal = options?.signal ?? undefined;
    const session = own === undefined ? undefined : this.#session(own);
    const shared = own?.sharedDeadline(options?.timeoutMS);
    if (timeoutMS === undefined && shared === undefined) return { session, signal };
    return timedCall(this.origin.driver, { session, signal }, timeoutMS, shared);
  }

  /** Runs a command unchanged. Only the read preference and BSON options in `options` apply. Rule: Run Command. */
  command(command: Document, options: OperationOptions | undefined): Promise<Document> {
    return this.bare().#send(command, options, explainableOptions);
  }

  /** Runs a command that the driver created. The handle's BSON options apply, too. */
  ownCommand(command: Document, options: OperationOptions | undefined): Promise<Document> {
    return this.#send(command, options, operationOptions);
  }

  #send(command: Document, options: OperationOptions | undefined, table: OptionTable): Promise<Document> {
    return asPromise(() => {
      checkArgument('command', command, argument.document);
      checkOptions(options, table);
      if (options?.session?.inTransaction() === true) checkInTransaction(options);
      const own = isGiven(options) ? { ...options, readConcern: undefined, writeConcern: undefined } : undefined;
      const handle = own === undefined ? this : this.withChecked(own);
      const selection = ReadPreference.fromOptions(options) ?? ReadPreference.primary;
      return handle.run(runCommand(handle, command, selection), options);
    });
  }

  /**
   * Runs the operation. Errors have their public class, the method and namespace, and a stack with the caller.
   * @param shape converts the result, and may throw the error of a statement
   * @param method the public method, if it is not named like the command
   */
  run<T, R = T>(
    operation: Operation<T>,
    options: OperationOptions | undefined,
    shape: (value: T) => R = unchanged as (value: T) => R,
    method: string = operation.name,
  ): Promise<R> {
    const { driver } = this.origin;
    const call = this.call(options);
    const running = run(driver, operation, call);
    const caller = driver.callers.take();
    const failed: (error: unknown, above?: Above) => never = (error, above = failed) =>
      driver.rethrow(error, { method, namespace: this.namespace, caller, call }, above);
    const done = (value: T): R => {
      try {
        return shape(value);
      } catch (error) {
        return failed(error, done);
      }
    };
    return running.then(done, failed);
  }

  /** The names of the database and the collection, such as `shop.films`, or of the database. */
  get namespace(): string {
    return this.collection === '' ? this.db : `${this.db}.${this.collection}`;
  }

  /** Returns this handle, or one without BSON options, for replies whose types are fixed. */
  bare(): Handle {
    const { bson } = noOptions;
    return this.resolved.bson === bson ? this : this.as({ ...this.resolved, bson }, this.forceServerObjectId);
  }

  #session(session: ClientSession): Session {
    return session.use(this.origin);
  }
}
