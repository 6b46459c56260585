/** Converts errors and descriptions of the driver's packages to the public classes. An error may contain descriptions, and they errors. */
import type {
  Document,
  Millis,
  Phase,
  ServerDescription as PlainServer,
  TopologyDescription as PlainTopology,
} from '@tessera/contracts';
import { MongoError as TesseraError, unsatisfiedConcernOf, writeConcernErrorOf } from '@tessera/contracts';
import { InTransactionError } from '@tessera/session';
import { ServerDescription, TopologyDescription } from './descriptions.js';
import type { MonitoringTimes } from './descriptions.js';
import {
  MongoClientClosedError,
  MongoDriverError,
  MongoError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoNetworkTimeoutError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoPoolClearedError,
  MongoPoolClosedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTransactionError,
  MongoUnexpectedServerResponseError,
  MongoWaitQueueTimeoutError,
  MongoWriteConcernError,
} from './errors.js';
import type { From, TimeoutPhase } from './errors.js';
import { withFailedFields } from './failed-validation.js';

/**
 * Converts an error of the driver's packages to the class that users of the official driver know. A signal's reason and
 * any other error are returned unchanged. Call it in the rejection handler that the caller awaits, so that the stack
 * contains the caller.
 * @param left the remaining milliseconds of `timeoutMS`; Infinity without it
 */
export const convertError = (
  error: unknown,
  topology?: PlainTopology,
  left: Millis = Infinity,
  timeoutMS?: number,
): unknown => {
  if (!TesseraError.is(error)) return error;
  const isPublic = error instanceof MongoError;
  const known = isPublic ? error : classified(error, topology);
  // MongoServerError is the only public error that can still be a timeout, because it is created from a reply.
  const isTimed = left !== Infinity && (!isPublic || error instanceof MongoServerError);
  return isTimed && isTimeout(error, left) ? timeoutError(error, known, left, timeoutMS) : known;
};

/** The error code MaxTimeMSExpired. */
const maxTimeExpired = 50;

/**
 * Returns whether the error of an operation with timeoutMS is a timeout. For a server error only the code is decisive.
 * Rule: Client Side Operations Timeout, "Error Transformations".
 */
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

/** Returns the error codes of the command, of its write concern and of its statements. */
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
  // The error of the last attempt becomes the cause of the timeout.
  const last = !(error instanceof MongoError) && TesseraError.is(error.cause) ? error.cause : undefined;
  const isInMessage = last !== undefined && error.kind === 'timeout' && error.message.includes(last.message);
  return new MongoOperationTimeoutError(`Timed out${when}${where}: ${error.message}`, {
    from: error,
    cause: isInMessage ? convertError(last) : underlying,
    phase,
    elapsedMS,
  });
};

/** Returns the public error for the error's kind and phase. */
const classified = (error: TesseraError, topology: PlainTopology | undefined): unknown => {
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
      return new MongoServerSelectionError(message, topology && describeTopology(topology), {
        from: error,
        cause: convertError(error.cause),
      });
    case 'server':
    case 'auth': {
      const reply = error.reply ?? {};
      if (unsatisfiedConcernOf(reply) !== undefined) return new MongoWriteConcernError(reply, options);
      const explained = withFailedFields(message, { code: error.code, errInfo: reply['errInfo'] });
      return new MongoServerError(
        { ...reply, message: explained, code: error.code, codeName: error.codeName },
        options,
      );
    }
    case 'protocol':
      // Users expect TLS errors, such as an untrusted certificate, as network errors.
      return error.origin?.phase === 'tls'
        ? new MongoNetworkError(message, options)
        : new MongoUnexpectedServerResponseError(message, options);
    case 'usage':
      return error instanceof InTransactionError
        ? new MongoTransactionError(message, options)
        : new MongoInvalidArgumentError(message, options);
    case 'closed':
      return new MongoClientClosedError(message, options);
  }
};

/**
 * A pool closes with its client or when its server leaves the topology. If the server is still present, no connection
 * was available.
 */
const poolError = (error: TesseraError, topology: PlainTopology | undefined): MongoError => {
  const options: From = { from: error };
  if (error.cause !== undefined) return new MongoPoolClearedError(error.message, options);
  return topology?.servers.has(error.origin?.address ?? '') === true
    ? new MongoWaitQueueTimeoutError(error.message, options)
    : new MongoPoolClosedError(error.message, options);
};

/** Returns whether a started operation failed because its client was closed. */
export const isOfClosing = (error: unknown): boolean =>
  error instanceof MongoClientClosedError || error instanceof MongoNotConnectedError;

/** The descriptions that were created. A description is immutable, so each is created once. */
const servers = new WeakMap<PlainServer, ServerDescription>();
const topologies = new WeakMap<PlainTopology, TopologyDescription>();

/** Returns the description as an instance of its class. */
export const describeServer = (plain: PlainServer): ServerDescription => {
  const known = servers.get(plain);
  if (known !== undefined) return known;
  const error = plain.error === undefined ? null : (convertError(plain.error) as MongoError);
  const made = new ServerDescription(plain, error);
  servers.set(plain, made);
  return made;
};

/** Returns the description as an instance of its class. */
export const describeTopology = (plain: PlainTopology, times?: MonitoringTimes): TopologyDescription => {
  const known = topologies.get(plain);
  if (known !== undefined) return known;
  const described = new Map([...plain.servers].map(([address, server]) => [address, describeServer(server)]));
  const made = new TopologyDescription(plain, described, times);
  topologies.set(plain, made);
  return made;
};
