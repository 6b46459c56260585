/** The error classes that users of the official driver know. They extend the common error class of all packages. */
import type { Document, ErrorKind, Long, ObjectId } from '@tessera/contracts';
import { MongoError as TesseraError, errorFieldsOf, writeConcernErrorOf } from '@tessera/contracts';
import type { TopologyDescription } from './descriptions.js';

/** The fields of an error reply of a server. */
export interface ErrorInit {
  /** The message. Default: `errmsg`. */
  readonly message?: string | undefined;
  /** The message of the server. */
  readonly errmsg?: string | undefined;
  /** The server's code, such as 11000 for a duplicate key. */
  readonly code?: number | string | undefined;
  /** The server's name of the code, such as `DuplicateKey`. */
  readonly codeName?: string | undefined;
  /** The labels, such as `RetryableWriteError`. */
  readonly errorLabels?: readonly string[] | undefined;
  /** Every other field of the reply. */
  readonly [field: string]: unknown;
}

/** The kind, cause and original of a new error. */
export interface From {
  readonly kind?: ErrorKind;
  readonly cause?: unknown;
  readonly from?: TesseraError | undefined;
  /** The reply, or the part of it that describes the error. Default: the reply of `from`, or the fields of the error. */
  readonly response?: Document | undefined;
}

/** Returns whether a value is an error of the class with the same name in another copy of this package. */
function isOfCopy(wanted: MongoError, value: unknown): boolean {
  if (!TesseraError.is(value) || !Object.hasOwn(wanted, 'name')) return false;
  let each: object | null = value;
  while ((each = Object.getPrototypeOf(each) as object | null) !== null)
    // Only the classes of this file have addErrorLabel. The base class of all packages also has the name MongoError.
    if (Object.hasOwn(each, 'name') && (each as MongoError).name === wanted.name && 'addErrorLabel' in each)
      return true;
  return false;
}

/** The version of a server's state, which increases with each change. Rule: Server Discovery and Monitoring. */
export interface TopologyVersion {
  /** The id of the server's process. */
  processId: ObjectId;
  /** The number of the change. */
  counter: Long;
}

/** The base class of all errors that this driver throws. */
export class MongoError extends TesseraError {
  /** The method that failed, such as `insertOne`, or its command. Undefined if no command was created. */
  declare operation?: string;
  /** The collection or database of the failed method, such as `shop.films`. */
  declare namespace?: string;
  /** The server's code, such as 11000 for a duplicate key. The type also admits the codes of errors that other libraries make. */
  declare code: number | string | undefined;
  /** The version of the server's state. Set on a MongoServerError if the reply contains it. */
  declare topologyVersion?: TopologyVersion;
  /** The error that led to this one. */
  declare cause?: Error;
  /** Never set. For compatibility. */
  declare connectionGeneration?: number;

  /** Creates an error. Applications create errors only in tests. */
  constructor(message: string | ErrorInit, options: From = {}) {
    const init: ErrorInit = typeof message === 'string' ? { message } : message;
    const from = options.from;
    super(options.kind ?? from?.kind ?? 'usage', init.message ?? init.errmsg ?? 'no message', {
      cause: options.cause ?? from?.cause,
      // `from` has the labels of the server's reply and the driver's own labels.
      labels: from?.labels ?? init.errorLabels,
      code: init.code ?? from?.code,
      codeName: init.codeName ?? from?.codeName,
      reply: from?.reply,
      origin: from?.origin,
    });
    if (from !== undefined) this.attempts = from.attempts;
  }

  /**
   * Returns whether a value is an error of this class, also if another copy of this package created it. An application has
   * two copies if it uses the package as an ES module and as a CommonJS module.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return Function.prototype[Symbol.hasInstance].call(this, value) || isOfCopy(this.prototype, value);
  }

  /** The name of the class. */
  override get name(): string {
    return 'MongoError';
  }

  /** The message, under the name of the field in the server's reply. */
  get errmsg(): string {
    return this.message;
  }

  /** The labels, such as `TransientTransactionError`. Each access returns a new array. */
  get errorLabels(): string[] {
    return [...this.labels];
  }

  /**
   * Returns whether the error has the label.
   * @example if (error instanceof MongoError && error.hasErrorLabel('TransientTransactionError')) console.log('again');
   */
  hasErrorLabel(label: string): boolean {
    return this.labels.includes(label);
  }

  /** Adds a label. */
  addErrorLabel(label: string): void {
    this.addLabel(label);
  }

  /** Sets `operation` and `namespace`, unless they are set. A printed error omits them. @internal */
  describeCall(operation: string, namespace: string): void {
    for (const [name, value] of Object.entries({ operation, namespace }))
      if (!Object.hasOwn(this, name)) Object.defineProperty(this, name, { value, writable: true, configurable: true });
  }
}

/** The server rejected a command. Every field of its reply is also a property of the error. */
export class MongoServerError extends MongoError {
  readonly #errorResponse: Document;
  /** The `ok` of the reply: 0 for a rejected command. */
  declare readonly ok?: number;
  /** Details of the server, such as the failed rules of a validator. */
  declare readonly errInfo?: Document;
  /** For a duplicate key: the keys of the index. */
  declare readonly keyPattern?: Document;
  /** For a duplicate key: the values that exist already. */
  declare readonly keyValue?: Document;
  /** The write concern error of the reply. */
  declare readonly writeConcernError?: Document;
  // oxlint-disable-next-line typescript/no-explicit-any -- as in the official driver: fields of the reply
  readonly [field: string]: any;

  /** Creates an error of a reply. Applications create errors only in tests. */
  constructor(message: ErrorInit, options: From = {}) {
    super(
      { ...message, message: message.message ?? message.errmsg ?? 'the server gave no message' },
      { kind: options.from?.kind ?? 'server', ...options },
    );
    this.#errorResponse = options.response ?? options.from?.reply ?? message;
    for (const [field, value] of Object.entries(message))
      if (value !== undefined && !(field in this))
        Object.defineProperty(this, field, { value, enumerable: true, configurable: true });
  }

  /** The whole reply of the server. */
  get errorResponse(): Document {
    return this.#errorResponse;
  }

  /** The name of the class. */
  override get name(): string {
    return 'MongoServerError';
  }
}

/** The server applied the writes, but did not satisfy their write concern. */
export class MongoWriteConcernError extends MongoServerError {
  /** The whole reply of the server. */
  readonly result: Document;

  /** Creates an error of a reply. Applications create errors only in tests. */
  constructor(result: Document, options: From = {}) {
    const { message, code, codeName, labels } = errorFieldsOf(result, writeConcernErrorOf(result));
    const unsafe = writeConcernErrorOf(result);
    const response = { ...unsafe, ...result };
    super({ ...result, ...unsafe, message, code, codeName, errorLabels: labels }, { response, ...options });
    this.result = result;
  }

  /** The name of the class. */
  override get name(): string {
    return 'MongoWriteConcernError';
  }
}

/** The connection failed. */
export class MongoNetworkError extends MongoError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoNetworkError';
  }
}
/** Without `timeoutMS`: a connection attempt exceeded `connectTimeoutMS`, or a reply exceeded `socketTimeoutMS`. */
export class MongoNetworkTimeoutError extends MongoNetworkError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoNetworkTimeoutError';
  }
}
/** The pool was cleared because of another operation's error. This operation was not sent. */
export class MongoPoolClearedError extends MongoNetworkError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoPoolClearedError';
  }
}

/** The base class of errors of server selection. */
export class MongoSystemError extends MongoError {
  /** The description of the deployment at the time of the failure. */
  declare readonly reason: TopologyDescription | undefined;

  /** Creates an error. Applications create errors only in tests. */
  constructor(message: string, reason: TopologyDescription | undefined, options: From = {}) {
    const cause = options.cause ?? options.from?.cause ?? reason?.error;
    super(message, { kind: 'selection', ...options, cause });
    // A property of the error itself, because libraries copy those. An accessor, because a printed error then omits it.
    Object.defineProperty(this, 'reason', { get: () => reason, enumerable: true, configurable: true });
  }

  /** The name of the class. */
  override get name(): string {
    return 'MongoSystemError';
  }
}
/** No suitable server was found within `serverSelectionTimeoutMS`. */
export class MongoServerSelectionError extends MongoSystemError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoServerSelectionError';
  }
}

/** The base class of errors that the driver itself creates, as opposed to error replies and network errors. */
export class MongoDriverError extends MongoError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoDriverError';
  }
}
/** The connection string or an option is invalid. */
export class MongoParseError extends MongoDriverError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoParseError';
  }
}
/**
 * The step of an operation that timed out. `connect` includes DNS, proxy, TLS and `hello`, which `origin.phase`
 * distinguishes. `backoff` is the wait before a retry.
 */
export type TimeoutPhase = 'selection' | 'checkout' | 'connect' | 'auth' | 'command' | 'backoff';

interface TimeoutFrom extends From {
  readonly phase?: TimeoutPhase | undefined;
  readonly elapsedMS?: number | undefined;
}

/**
 * The operation exceeded `timeoutMS`, or the remaining time was shorter than a round trip to the server. The cause is
 * the error that occurred, with the class that it has without timeoutMS. `attempts` describes all attempts if there
 * were several. Rule: Client Side Operations Timeout, "Errors".
 */
export class MongoOperationTimeoutError extends MongoDriverError {
  /** The step that timed out. `origin.phase` has other names: `select` for `selection`, `checkOut` for `checkout`. */
  readonly phase: TimeoutPhase | undefined;
  /** The duration of the whole operation in milliseconds, if it is known. */
  readonly elapsedMS: number | undefined;

  /** Creates an error. Applications create errors only in tests. */
  constructor(message: string, { phase, elapsedMS, ...options }: TimeoutFrom = {}) {
    super(message, { kind: 'timeout', ...options });
    this.phase = phase;
    this.elapsedMS = elapsedMS;
  }

  /** The name of the class. */
  override get name(): string {
    return 'MongoOperationTimeoutError';
  }
}
/** No connection of the pool became available within the time limit, such as `waitQueueTimeoutMS`. */
export class MongoWaitQueueTimeoutError extends MongoDriverError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoWaitQueueTimeoutError';
  }
}
/** The connection pool was closed, because its server left the deployment. */
export class MongoPoolClosedError extends MongoDriverError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoPoolClosedError';
  }
}

/** The application called the driver with invalid arguments or in an invalid state. */
export class MongoAPIError extends MongoDriverError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoAPIError';
  }
}
/** An argument or option is invalid. The message names it. */
export class MongoInvalidArgumentError extends MongoAPIError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoInvalidArgumentError';
  }
}
/** A transaction was started in a snapshot session. The driver throws this class for no other reason. */
export class MongoCompatibilityError extends MongoAPIError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoCompatibilityError';
  }
}
/** The client was closed before the operation was called. */
export class MongoNotConnectedError extends MongoAPIError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoNotConnectedError';
  }
}
/** The client was closed during the operation. */
export class MongoClientClosedError extends MongoAPIError {
  /** Sets `operation` and `namespace`, and adds them to the message. @internal */
  override describeCall(operation: string, namespace: string): void {
    if (this.operation === undefined) this.message += ` It interrupted ${operation} on ${namespace}.`;
    super.describeCall(operation, namespace);
  }
  /** The name of the class. */
  override get name(): string {
    return 'MongoClientClosedError';
  }
}
/** The call is invalid in the current state of the transaction. */
export class MongoTransactionError extends MongoAPIError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoTransactionError';
  }
}
/** The session has ended. */
export class MongoExpiredSessionError extends MongoAPIError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoExpiredSessionError';
  }
}
/** The cursor has started and its options can no longer change. */
export class MongoCursorInUseError extends MongoAPIError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoCursorInUseError';
  }
}
/** The cursor was closed before the server had sent all documents. */
export class MongoCursorExhaustedError extends MongoAPIError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoCursorExhaustedError';
  }
}
/** Never thrown. For compatibility. */
export class MongoTailableCursorError extends MongoAPIError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoTailableCursorError';
  }
}

/** The operation failed in the driver, for example because it cannot interpret a reply. */
export class MongoRuntimeError extends MongoDriverError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoRuntimeError';
  }
}
/** A chunk of a GridFS file is missing, unexpected or of the wrong size. */
export class MongoGridFSChunkError extends MongoRuntimeError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoGridFSChunkError';
  }
}
/** A GridFS stream cannot run the call in its current state. */
export class MongoGridFSStreamError extends MongoRuntimeError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoGridFSStreamError';
  }
}
/** The server sent an invalid reply. */
export class MongoUnexpectedServerResponseError extends MongoRuntimeError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoUnexpectedServerResponseError';
  }
}

/**
 * A change has no resume token, or `stream()` was called on a closed change stream. After `close`, `next` throws a
 * MongoAPIError. After the server has ended the stream, `next` throws a MongoRuntimeError.
 */
export class MongoChangeStreamError extends MongoRuntimeError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoChangeStreamError';
  }
}
