/** The reason for an error. */
export type FailureReason =
  /** The file or the revision does not exist. */
  | 'notFound'
  /** A chunk is missing, superfluous or of the wrong size, or the file's document is invalid. */
  | 'chunk'
  /** The stream has started, so its options cannot be changed. */
  | 'stream'
  /** An argument is invalid. */
  | 'argument'
  /** The user aborted the upload. */
  | 'aborted'
  /** `timeoutMS` has passed. */
  | 'timeout';

/** Creates the error class that users know. */
export type Failure = (reason: FailureReason, message: string) => Error;
