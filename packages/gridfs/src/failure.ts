/** What went wrong, as whoever makes the error needs to know it. */
export type FailureReason =
  /** There is no such file, or no such revision of it. */
  | 'notFound'
  /** A chunk is missing, is one too many or has the wrong size; or the file's own document cannot be right. */
  | 'chunk'
  /** The stream has begun, so that it cannot be told anything else. */
  | 'stream'
  /** The caller asked for what cannot be. */
  | 'argument'
  /** The upload was ended by its user. */
  | 'aborted'
  /** `timeoutMS` passed. */
  | 'timeout';

/** Makes the error that users know. */
export type Failure = (reason: FailureReason, message: string) => Error;
