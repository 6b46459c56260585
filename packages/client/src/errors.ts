/** The error classes that users of the official driver know, over the one error of all packages. */
import type { Document, ErrorKind, Millis, Phase, TopologyDescription } from '@tessera/contracts';
import { MongoError as TesseraError, serverSays, writeConcernErrorOf } from '@tessera/contracts';

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
    const { message, code, codeName, labels } = serverSays(result, writeConcernErrorOf(result));
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

/**
 * The error as users of the official driver know it: made in the rejection handler that the caller awaits, so that its
 * stack names the caller's own function. An aborted signal's reason is thrown as it is.
 * @param left of the time of an operation under timeoutMS; Infinity without it.
 */
export const publicError = (
  error: unknown,
  topology?: TopologyDescription,
  left: Millis = Infinity,
  timeoutMS?: number,
): unknown => {
  if (!TesseraError.is(error)) return error;
  const isTimed = left !== Infinity;
  if (!(error instanceof MongoError)) {
    const known = classified(error, topology);
    return isTimed && isTimeout(error, left) ? timeoutError(error, known, left, timeoutMS) : known;
  }
  // What was made of a reply: an error of one statement, or of many with what was done before.
  return isTimed && error instanceof MongoServerError && isTimeout(error, left)
    ? timeoutError(error, error, left, timeoutMS)
    : error;
};

/** Where the engine of the host can leave out the frames of whoever made an error. */
const { captureStackTrace } = Error as { readonly captureStackTrace?: (error: object, above: unknown) => void };

/**
 * Throws what {@link publicError} made of an error; its stack begins with the line that called.
 * @param above the function whose frame and all within it are left out.
 */
export const throwPublic = (error: unknown, told: unknown, above: (...given: never) => unknown): never => {
  const isNew = told instanceof MongoError && told !== error && told !== (error as Error | undefined)?.cause;
  if (isNew) captureStackTrace?.(told, above);
  throw told;
};

/**
 * The same error; its stack begins with the line that waits for the function. Where nobody waits it stays as it is.
 * @param above that function, which is running, or waits for what failed. Not a public one: programs put others in their place.
 */
export const retold = (error: unknown, above: (...given: never) => unknown): unknown => {
  const waiting: { stack?: string } = {};
  if (error instanceof MongoError) captureStackTrace?.(waiting, above);
  if (/^ +at /m.test(waiting.stack ?? '')) captureStackTrace?.(error as MongoError, above);
  return error;
};

/** For a promise to reject with: the stack begins with the line that waits for it. */
export const retell = (error: unknown): never => {
  throw retold(error, retell);
};

/** A rejection with what was thrown before anything was waited for: its stack, too, begins with the line that waits. */
export const refused = (error: unknown): Promise<never> => Promise.reject(error as Error).catch(retell);

/** An error thrown before anything is sent is a rejection like any other. */
export const attempt = <T>(start: () => Promise<T>): Promise<T> => {
  try {
    return start();
  } catch (error) {
    return refused(publicError(error));
  }
};

/** MaxTimeMSExpired. */
const maxTimeExpired = 50;

/** Of an operation under timeoutMS. Rule: Client Side Operations Timeout, "Error Transformations": by the code alone. */
const isTimeout = (error: TesseraError, left: Millis): boolean => {
  switch (error.kind) {
    case 'timeout':
      return true;
    case 'selection':
      return left <= 0 || error.origin?.waited !== undefined;
    case 'server':
      return codesOf(error).includes(maxTimeExpired);
    default:
      return false;
  }
};

/** Of the command, of its write concern, and of its statements. */
const codesOf = (error: TesseraError): readonly unknown[] => {
  const unsafe = writeConcernErrorOf(error.reply);
  const { writeErrors } = error as { readonly writeErrors?: Iterable<unknown> };
  const statements = writeErrors instanceof Map ? writeErrors.values() : (writeErrors ?? []);
  return [
    error.code,
    unsafe?.['code'],
    ...[...statements].map(statement => (statement as Document)['code'] as unknown),
  ];
};

const timeoutPhases: Readonly<Record<Phase, TimeoutPhase>> = {
  select: 'selection',
  checkOut: 'checkout',
  resolve: 'connect',
  proxy: 'connect',
  connect: 'connect',
  tls: 'connect',
  hello: 'connect',
  auth: 'auth',
  command: 'command',
  backoff: 'backoff',
};

const timeoutError = (
  error: TesseraError,
  underlying: unknown,
  left: Millis,
  timeoutMS: number | undefined,
): MongoOperationTimeoutError => {
  const phase = error.origin === undefined ? undefined : timeoutPhases[error.origin.phase];
  const elapsedMS = timeoutMS === undefined || timeoutMS === 0 ? undefined : timeoutMS - left;
  const when = elapsedMS === undefined ? '' : ` after ${Math.round(elapsedMS)} ms (timeoutMS: ${timeoutMS})`;
  const where = phase === undefined ? '' : `, in the phase ${phase}`;
  // What the last attempts had ended with stands below the timeout that ended them all.
  const last = !(error instanceof MongoError) && TesseraError.is(error.cause) ? error.cause : undefined;
  const isTold = last !== undefined && error.kind === 'timeout' && error.message.includes(last.message);
  return new MongoOperationTimeoutError(`Timed out${when}${where}: ${error.message}`, {
    from: error,
    cause: isTold ? publicError(last) : underlying,
    phase,
    elapsedMS,
  });
};

/** By its kind, and by where it happened. */
const classified = (error: TesseraError, topology: TopologyDescription | undefined): unknown => {
  const { message } = error;
  const options: From = { from: error };
  switch (error.kind) {
    case 'aborted':
      return error.cause === undefined ? new MongoDriverError(message, options) : error.cause;
    case 'network':
      return new MongoNetworkError(message, options);
    case 'timeout':
      return error.origin?.phase === 'checkOut'
        ? new MongoWaitQueueTimeoutError(message, options)
        : new MongoNetworkTimeoutError(message, options);
    case 'pool':
      return poolError(error, topology);
    case 'selection':
      return new MongoServerSelectionError(message, topology, { from: error, cause: publicError(error.cause) });
    case 'server':
    case 'auth': {
      const reply = error.reply ?? {};
      if (Number(reply['ok']) === 1 && writeConcernErrorOf(reply) !== undefined)
        return new MongoWriteConcernError(reply, options);
      return new MongoServerError({ ...reply, message, code: error.code, codeName: error.codeName }, options);
    }
    case 'protocol':
      // TLS is the network's concern to users: a certificate that is not trusted.
      return error.origin?.phase === 'tls'
        ? new MongoNetworkError(message, options)
        : new MongoUnexpectedServerResponseError(message, options);
    case 'usage':
      return new MongoInvalidArgumentError(message, options);
    case 'closed':
      return new MongoClientClosedError(message, options);
  }
};

/** A pool is closed with its client, or when its server leaves: while the server is there, the pool was busy. */
const poolError = (error: TesseraError, topology: TopologyDescription | undefined): MongoError => {
  const options: From = { from: error };
  if (error.cause !== undefined) return new MongoPoolClearedError(error.message, options);
  return topology?.servers.has(error.origin?.address ?? '') === true
    ? new MongoWaitQueueTimeoutError(error.message, options)
    : new MongoPoolClosedError(error.message, options);
};
