export type * from './values.js';
export type * from './schema.js';
export type * from './filter.js';
export type * from './update.js';
export type * from './runtime.js';
export type * from './files.js';
export type * from './codec.js';
export type * from './wire.js';
export type * from './connection.js';
export type * from './driver-info.js';
export { secondariesWriteSince } from './deployment.js';
export type * from './deployment.js';
export type * from './events.js';
export type * from './log.js';
export { Cancellation } from './cancellation.js';
export { noLimit, stack } from './dispatch.js';
export type {
  Attempt,
  Dispatch,
  Exchange,
  Layer,
  Operation,
  Pin,
  Request,
  RetryDecision,
  RetryPolicy,
  Session,
} from './dispatch.js';
export { MongoError } from './errors.js';
export { isRetryableOverload, retryableWriteCodes } from './retryable.js';
export { serverError, writeConcernError } from './server-error.js';
export { serverSays, writeConcernErrorOf } from './server-says.js';
export type { ServerSays } from './server-says.js';
export type { AttemptRecord, ErrorKind, MongoErrorOptions, Origin, Phase } from './errors.js';
export { limitWait } from './wait.js';
export type { WaitEnd, WaitLimits } from './wait.js';
export { numberOf, objectIdOf, textOf, wholeOf } from './server-values.js';
export { nativeTls } from './native-tls.js';
