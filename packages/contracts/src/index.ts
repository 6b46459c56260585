export type * from './values.js';
export type * from './schema.js';
export type * from './filter.js';
export type * from './sort.js';
export type * from './update.js';
export { noLimit } from './clock.js';
export type * from './clock.js';
export { Cancellation } from './cancellation.js';
export { limitWait, waitFor } from './wait.js';
export type { WaitEnd, WaitLimits } from './wait.js';
export { nativeTls } from './native-tls.js';
export type * from './transport.js';
export type * from './streams.js';
export type * from './files.js';
export type * from './platform.js';
export * from './host.js';
export type * from './compressor.js';
export type * from './runtime.js';
export type * from './codec.js';
export { fromBase64, toBase64 } from './base64.js';
export { numberOf, objectIdOf, textOf, wholeOf } from './server-values.js';
export type * from './server-type.js';
export type { Hello } from './hello.js';
export { failedWhileConnecting, MongoError, originFrom } from './errors.js';
export type { AttemptRecord, ErrorKind, MongoErrorOptions, Origin, Phase } from './errors.js';
export {
  errorFieldsOf,
  serverError,
  unsatisfiedConcernOf,
  writeConcernError,
  writeConcernErrorOf,
} from './server-error.js';
export type { ErrorFields } from './server-error.js';
export { isOverload, isRetryableOverload, retryableWriteCodes } from './retryable.js';
export type * from './description.js';
export { secondariesWriteSince } from './selection.js';
export type * from './selection.js';
export type * from './events.js';
export type * from './message.js';
export type * from './wire.js';
export type * from './connection.js';
export type * from './driver-info.js';
export type * from './authenticator.js';
export type * from './connect.js';
export type * from './pool.js';
export type * from './operation.js';
export { forRetry, orElse, stack, withExchange } from './dispatch.js';
export type { Dispatch, Layer, Recover, Request } from './dispatch.js';
export type * from './retry-policy.js';
export type * from './deployment.js';
export type * from './log.js';
export type * from './text.js';
