/** The error classes that users of the official driver know, over the one error of all packages. */
import type { Document, ErrorKind, TopologyDescription } from '@tessera/contracts';
import { MongoError as TesseraError, errorFieldsOf, writeConcernErrorOf } from '@tessera/contracts';

export interface ErrorInit {
  readonly message?: string | undefined;
  readonly errmsg?: string | undefined;
  readonly code?: number | undefined;
  readonly codeName?: string | undefined;
  readonly errorLabels?: readonly string[] | undefined;
  readonly [field: string]: unknown;
}

/** What an error is made from. */
export interface From {
  readonly kind?: ErrorKind;
  readonly cause?: unknown;
  readonly from?: TesseraError | undefined;
}

/** The root of all errors that this driver raises. */
export class MongoError extends TesseraError {
  constructor(message: string | ErrorInit, options: From = {}) {
    const init: ErrorInit = typeof message === 'string' ? { message } : message;
    const from = options.from;
    super(options.kind ?? from?.kind ?? 'usage', init.message ?? init.errmsg ?? 'no message', {
      cause: options.cause ?? from?.cause,
      // The driver adds labels of its own to those of the server's answer.
      labels: from?.labels ?? init.errorLabels,
      code: init.code ?? from?.code,
      codeName: init.codeName ?? from?.codeName,
      reply: from?.reply,
      origin: from?.origin,
    });
    if (from !== undefined) this.attempts = from.attempts;
  }

  override get name(): string {
    return 'MongoError';
  }

  /** The message, under the server's name for it. */
  get errmsg(): string {
    return this.message;
  }

  get errorLabels(): string[] {
    return [...this.labels];
  }

  hasErrorLabel(label: string): boolean {
    return this.labels.includes(label);
  }

  addErrorLabel(label: string): void {
    this.addLabel(label);
  }
}

/** The server said no. Every field of its answer is a property too. */
export class MongoServerError extends MongoError {
  readonly #errorResponse: Document;
  declare readonly ok?: number;
  declare readonly errInfo?: Document;
  declare readonly keyPattern?: Document;
  declare readonly keyValue?: Document;
  declare readonly writeConcernError?: Document;
  readonly [field: string]: unknown;

  constructor(message: ErrorInit, options: From = {}) {
    super(
      { ...message, message: message.message ?? message.errmsg ?? 'the server gave no message' },
      { kind: options.from?.kind ?? 'server', ...options },
    );
    this.#errorResponse = options.from?.reply ?? message;
    for (const [field, value] of Object.entries(message))
      if (value !== undefined && !(field in this))
        Object.defineProperty(this, field, { value, enumerable: true, configurable: true });
  }

  get errorResponse(): Document {
    return this.#errorResponse;
  }

  override get name(): string {
    return 'MongoServerError';
  }
}

/** The writes were done, but not as safely as was asked. */
export class MongoWriteConcernError extends MongoServerError {
  readonly result: Document;

  constructor(result: Document, options: From = {}) {
    const { message, code, codeName, labels } = errorFieldsOf(result, writeConcernErrorOf(result));
    super({ ...result, ...writeConcernErrorOf(result), message, code, codeName, errorLabels: labels }, options);
    this.result = result;
  }

  override get name(): string {
    return 'MongoWriteConcernError';
  }
}

/** The connection failed. */
export class MongoNetworkError extends MongoError {
  override get name(): string {
    return 'MongoNetworkError';
  }
}
export class MongoNetworkTimeoutError extends MongoNetworkError {
  override get name(): string {
    return 'MongoNetworkTimeoutError';
  }
}
/** The pool was cleared because another operation failed; the operation was not sent. */
export class MongoPoolClearedError extends MongoNetworkError {
  override get name(): string {
    return 'MongoPoolClearedError';
  }
}

/** No suitable server. */
export class MongoSystemError extends MongoError {
  readonly #reason: TopologyDescription | undefined;

  constructor(message: string, reason: TopologyDescription | undefined, options: From = {}) {
    super(message, { kind: 'selection', ...options });
    this.#reason = reason;
  }

  /** The topology as it was known. */
  get reason(): TopologyDescription | undefined {
    return this.#reason;
  }

  override get name(): string {
    return 'MongoSystemError';
  }
}
export class MongoServerSelectionError extends MongoSystemError {
  override get name(): string {
    return 'MongoServerSelectionError';
  }
}

/** The driver itself refused or could not go on. */
export class MongoDriverError extends MongoError {
  override get name(): string {
    return 'MongoDriverError';
  }
}
export class MongoParseError extends MongoDriverError {
  override get name(): string {
    return 'MongoParseError';
  }
}
/** Where the time went: `backoff` is the wait before another attempt. */
export type TimeoutPhase = 'selection' | 'checkout' | 'connect' | 'auth' | 'command' | 'backoff';

interface TimeoutFrom extends From {
  readonly phase?: TimeoutPhase | undefined;
  readonly elapsedMS?: number | undefined;
}

/**
 * The time of `timeoutMS` was up, or what was left was too short for the way to the server and back. The cause is what was
 * thrown at that moment, with the class that it has without timeoutMS; where there were several attempts, `attempts` tells
 * them all. Rule: Client Side Operations Timeout, "Errors".
 */
export class MongoOperationTimeoutError extends MongoDriverError {
  /** What was being done. */
  readonly phase: TimeoutPhase | undefined;
  /** How long the operation took in all, if it is known. */
  readonly elapsedMS: number | undefined;

  constructor(message: string, { phase, elapsedMS, ...options }: TimeoutFrom = {}) {
    super(message, { kind: 'timeout', ...options });
    this.phase = phase;
    this.elapsedMS = elapsedMS;
  }

  override get name(): string {
    return 'MongoOperationTimeoutError';
  }
}
export class MongoWaitQueueTimeoutError extends MongoDriverError {
  override get name(): string {
    return 'MongoWaitQueueTimeoutError';
  }
}
export class MongoPoolClosedError extends MongoDriverError {
  override get name(): string {
    return 'MongoPoolClosedError';
  }
}

/** The caller asked for what cannot be. */
export class MongoAPIError extends MongoDriverError {
  override get name(): string {
    return 'MongoAPIError';
  }
}
export class MongoInvalidArgumentError extends MongoAPIError {
  override get name(): string {
    return 'MongoInvalidArgumentError';
  }
}
export class MongoCompatibilityError extends MongoAPIError {
  override get name(): string {
    return 'MongoCompatibilityError';
  }
}
export class MongoNotConnectedError extends MongoAPIError {
  override get name(): string {
    return 'MongoNotConnectedError';
  }
}
/** `close` was called while the operation was under way. */
export class MongoClientClosedError extends MongoAPIError {
  override get name(): string {
    return 'MongoClientClosedError';
  }
}
/** A transaction is not in a state for what was asked, or an operation does not fit into one. */
export class MongoTransactionError extends MongoAPIError {
  override get name(): string {
    return 'MongoTransactionError';
  }
}
export class MongoExpiredSessionError extends MongoAPIError {
  override get name(): string {
    return 'MongoExpiredSessionError';
  }
}
export class MongoCursorInUseError extends MongoAPIError {
  override get name(): string {
    return 'MongoCursorInUseError';
  }
}
export class MongoCursorExhaustedError extends MongoAPIError {
  override get name(): string {
    return 'MongoCursorExhaustedError';
  }
}
export class MongoTailableCursorError extends MongoAPIError {
  override get name(): string {
    return 'MongoTailableCursorError';
  }
}

/** What came could not be understood or used. */
export class MongoRuntimeError extends MongoDriverError {
  override get name(): string {
    return 'MongoRuntimeError';
  }
}
/** A file of GridFS, read: a chunk is missing, is one too many or has the wrong size. */
export class MongoGridFSChunkError extends MongoRuntimeError {
  override get name(): string {
    return 'MongoGridFSChunkError';
  }
}
/** A stream of GridFS was asked for what it cannot do any more. */
export class MongoGridFSStreamError extends MongoRuntimeError {
  override get name(): string {
    return 'MongoGridFSStreamError';
  }
}
export class MongoUnexpectedServerResponseError extends MongoRuntimeError {
  override get name(): string {
    return 'MongoUnexpectedServerResponseError';
  }
}

/** A change stream cannot go on, or is closed. */
export class MongoChangeStreamError extends MongoRuntimeError {
  override get name(): string {
    return 'MongoChangeStreamError';
  }
}
