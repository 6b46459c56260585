import { MongoError } from '@tessera/contracts';
import type { Document, Millis } from '@tessera/contracts';

/** The wire version of MongoDB 4.4, the first server version that labels resumable errors. */
const labelledSince = 9;
/** The wire version of MongoDB 4.0, the first that supports startAtOperationTime. */
const operationTimeSince = 7;

const cursorNotFound = 43;
const maxTimeExpired = 50;

/** The resumable error codes of the specification's table, for servers before MongoDB 4.4. */
const resumableCodes: ReadonlySet<unknown> = new Set([
  6, 7, 63, 89, 91, 133, 150, 189, 234, 262, 9001, 10107, 11600, 11602, 13388, 13435, 13436,
]);

/** A failed command of a change stream. */
export interface Failure {
  readonly error: unknown;
  readonly command: 'aggregate' | 'getMore';
  /** The wire version of the connection on which it failed; undefined before a connection. */
  readonly wireVersion: number | undefined;
  /** Whether the deadline of the call caused the failure. Rule: Client Side Operations Timeout. */
  readonly isTimeout: boolean;
}

/**
 * The reaction to a failure. `resume`: open a new cursor. `later`: throw, and resume at the next call. `end`: throw and end the
 * stream.
 */
export type Reaction = 'resume' | 'later' | 'end';

/**
 * Returns the reaction to a failure. Only errors of getMore are resumable, and a timeout of the call does not end the stream.
 * Rule: Change Streams, "Resumable Error"; Client Side Operations Timeout, "Change Streams".
 */
export const reactionTo = ({ error, command, wireVersion, isTimeout }: Failure): Reaction => {
  if (isTimeout) return 'later';
  return command === 'getMore' && MongoError.is(error) && isResumable(error, wireVersion) ? 'resume' : 'end';
};

const isResumable = (error: MongoError, wireVersion: number | undefined): boolean => {
  switch (error.kind) {
    case 'network':
    case 'timeout':
    case 'selection':
    case 'protocol':
    case 'pool':
      return true;
    case 'server':
    case 'auth':
      if (error.code === cursorNotFound) return true;
      return (wireVersion ?? 0) >= labelledSince
        ? error.labels.includes('ResumableChangeStreamError')
        : resumableCodes.has(error.code);
    case 'usage':
    case 'closed':
    case 'aborted':
      return false;
  }
};

const basePause: Millis = 100;
const longestPause: Millis = 10_000;

/**
 * Returns the backoff before a resumption. The first resumption after a success does not wait. Later ones wait a random part of a
 * limit that doubles up to 10 seconds, in case the server fails every getMore.
 * @param earlier the number of resumptions since the last successful command
 * @param unit a random number in [0, 1)
 */
export const pauseBefore = (earlier: number, unit: number): Millis =>
  earlier === 0 ? 0 : unit * Math.min(longestPause, basePause * 2 ** (earlier - 1));

/** Returns whether the deadline of the call caused an error. False without a deadline. */
export const isTimeout = (error: unknown, deadline: Millis, now: Millis): boolean => {
  if (deadline === Infinity || !MongoError.is(error)) return false;
  switch (error.kind) {
    case 'timeout':
      return error.origin === undefined || error.origin.phase === 'command' || now >= deadline;
    case 'server':
      return error.code === maxTimeExpired;
    case 'aborted':
    case 'closed':
    case 'usage':
      return false;
    default:
      return now >= deadline;
  }
};

/** Where a change stream starts. The server rejects invalid combinations. */
export interface StartOptions {
  readonly resumeAfter?: unknown;
  readonly startAfter?: unknown;
  readonly startAtOperationTime?: unknown;
}

/** The position at which a change stream would resume. */
export interface Position {
  /** The cached resume token. */
  readonly token: unknown;
  /** The postBatchResumeToken of the current batch. */
  readonly batchToken: unknown;
  /** The option startAtOperationTime, or the operationTime of the first reply. */
  readonly operationTime: unknown;
  /** Whether the stream started with startAfter and no change was returned yet. */
  readonly isAfterStart: boolean;
}

/** Returns the position at the start of a stream. Rule: Change Streams, "Updating the Cached Resume Token". */
export const startingPosition = ({ startAfter, resumeAfter, startAtOperationTime }: StartOptions): Position => ({
  token: startAfter ?? resumeAfter ?? undefined,
  batchToken: undefined,
  operationTime: startAtOperationTime ?? undefined,
  isAfterStart: startAfter !== undefined && startAfter !== null,
});

/** A received batch, before any of its documents was read. */
export interface ReceivedBatch {
  readonly length: number;
  /** Since MongoDB 4.0.7. */
  readonly postBatchResumeToken: unknown;
  readonly operationTime: unknown;
  readonly wireVersion: number;
  /** Whether this is the reply to the first aggregate of the stream. */
  readonly isFirst: boolean;
}

/**
 * Returns the position after a batch was received.
 * Rule: Change Streams, "Updating the Cached Resume Token", "startAtOperationTime".
 */
export const afterBatch = (position: Position, batch: ReceivedBatch): Position => {
  const { length, postBatchResumeToken: batchToken } = batch;
  const { token, operationTime, isAfterStart } = position;
  const isUnset = token === undefined && operationTime === undefined && batchToken === undefined;
  const savesTime = batch.isFirst && isUnset && length === 0 && batch.wireVersion >= operationTimeSince;
  return {
    token: length === 0 && batchToken !== undefined ? batchToken : token,
    batchToken,
    operationTime: savesTime ? batch.operationTime : operationTime,
    isAfterStart,
  };
};

/**
 * Returns the position after a change was returned to the caller.
 * @param left the number of documents after it in its batch
 */
export const afterChange = ({ batchToken, operationTime }: Position, id: unknown, left: number): Position => ({
  token: left === 0 && batchToken !== undefined ? batchToken : id,
  batchToken,
  operationTime,
  isAfterStart: false,
});

/** Returns the start options of the stage when the stream resumes. Rule: Change Streams, "Resume Process". */
export const resumeOptions = (position: Position, wireVersion: number): Document => {
  const { token, operationTime, isAfterStart } = position;
  if (token !== undefined) return isAfterStart ? { startAfter: token } : { resumeAfter: token };
  return operationTime !== undefined && wireVersion >= operationTimeSince
    ? { startAtOperationTime: operationTime }
    : {};
};
