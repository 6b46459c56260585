import { MongoError } from '@tessera/contracts';
import type { Document, Millis } from '@tessera/contracts';

/** Since MongoDB 4.4 the server itself says by a label which errors are passing ones. */
const labelledSince = 9;
/** MongoDB 4.0: the first that knows startAtOperationTime. */
const operationTimeSince = 7;

const cursorNotFound = 43;
const maxTimeExpired = 50;

/** HostUnreachable, HostNotFound, StaleShardVersion, NetworkTimeout and so on, in the specification's table. */
const resumableCodes: ReadonlySet<number | undefined> = new Set([
  6, 7, 63, 89, 91, 133, 150, 189, 234, 262, 9001, 10107, 11600, 11602, 13388, 13435, 13436,
]);

/** What came of a command of the stream that failed. */
export interface Failure {
  readonly error: unknown;
  readonly command: 'aggregate' | 'getMore';
  /** Of the connection on which it failed; undefined where there was none yet. */
  readonly wireVersion: number | undefined;
  /** The time of the call is over. Rule: Client Side Operations Timeout. */
  readonly isTimeout: boolean;
}

/**
 * What is to be done now: `resume` opens a cursor anew at once, `later` tells the caller and resumes with its next call,
 * `end` tells the caller and ends the stream.
 */
export type Reaction = 'resume' | 'later' | 'end';

/**
 * Rules: Change Streams, "Resumable Error": of a getMore only; Client Side Operations Timeout, "Change Streams": a
 * timeout ends no stream.
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
 * How long a resumption waits. The first one after a success does not wait; later ones wait for a random part of a limit
 * that doubles up to 10 seconds, so that a server which fails every getMore is not asked without pause.
 * @param earlier resumptions since a command last succeeded
 * @param unit in [0, 1)
 */
export const pauseBefore = (earlier: number, unit: number): Millis =>
  earlier === 0 ? 0 : unit * Math.min(longestPause, basePause * 2 ** (earlier - 1));

/** Whether the time that the caller gave is over; without a deadline a timeout is a failure like any other. */
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

/** Where the caller wants the stream to begin; the server judges what goes together. */
export interface StartOptions {
  readonly resumeAfter?: unknown;
  readonly startAfter?: unknown;
  readonly startAtOperationTime?: unknown;
}

/** How far a change stream has come: where it would go on if it lost its cursor now. */
export interface Position {
  /** The cached resume token. */
  readonly token: unknown;
  /** The token that came with the batch that is being read. */
  readonly batchToken: unknown;
  /** Given, or that of the first answer. */
  readonly operationTime: unknown;
  /** Begun by startAfter, and no change was handed out yet. */
  readonly isAfterStart: boolean;
}

/** Rule: Change Streams, "Updating the Cached Resume Token": when the stream is started. */
export const startingPosition = ({ startAfter, resumeAfter, startAtOperationTime }: StartOptions): Position => ({
  token: startAfter ?? resumeAfter ?? undefined,
  batchToken: undefined,
  operationTime: startAtOperationTime ?? undefined,
  isAfterStart: startAfter !== undefined && startAfter !== null,
});

/** A batch as it came, before anything of it was read. */
export interface ReceivedBatch {
  readonly length: number;
  /** Since MongoDB 4.0.7. */
  readonly postBatchResumeToken: unknown;
  readonly operationTime: unknown;
  readonly wireVersion: number;
  /** It answers the aggregate with which the stream began. */
  readonly isFirst: boolean;
}

/** Rules: the same, when a command returns; "startAtOperationTime". */
export const afterBatch = (position: Position, batch: ReceivedBatch): Position => {
  const { length, postBatchResumeToken: batchToken } = batch;
  const { token, operationTime, isAfterStart } = position;
  const isUntold = token === undefined && operationTime === undefined && batchToken === undefined;
  const savesTime = batch.isFirst && isUntold && length === 0 && batch.wireVersion >= operationTimeSince;
  return {
    token: length === 0 && batchToken !== undefined ? batchToken : token,
    batchToken,
    operationTime: savesTime ? batch.operationTime : operationTime,
    isAfterStart,
  };
};

/** Rule: the same, when a document is returned to the user; `left` are those of its batch that come after it. */
export const afterChange = ({ batchToken, operationTime }: Position, id: unknown, left: number): Position => ({
  token: left === 0 && batchToken !== undefined ? batchToken : id,
  batchToken,
  operationTime,
  isAfterStart: false,
});

/** What the stage says instead of what the caller said at first. Rule: Change Streams, "Resume Process". */
export const resumeOptions = (position: Position, wireVersion: number): Document => {
  const { token, operationTime, isAfterStart } = position;
  if (token !== undefined) return isAfterStart ? { startAfter: token } : { resumeAfter: token };
  return operationTime !== undefined && wireVersion >= operationTimeSince
    ? { startAtOperationTime: operationTime }
    : {};
};
