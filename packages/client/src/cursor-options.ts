import { MongoInvalidArgumentError } from './errors.js';
import type { CommandOptions } from './handle.js';
import { isGiven } from './operation-options.js';
import { checkTimeoutMS } from './time-limit.js';

/** The scope of timeoutMS: each call that reads documents, or the whole life of the cursor. */
export const CursorTimeoutMode = { ITERATION: 'iteration', LIFETIME: 'cursorLifetime' } as const;
/** One of the two scopes of `timeoutMS`. */
export type CursorTimeoutMode = (typeof CursorTimeoutMode)[keyof typeof CursorTimeoutMode];

/** Options of every cursor. */
export interface AbstractCursorOptions extends Omit<CommandOptions, 'writeConcern' | 'collation' | 'explain'> {
  /** The number of documents per batch. Default: the server's default. */
  batchSize?: number | undefined;
  /**
   * The time in milliseconds that the server waits for new documents before it returns an empty batch. Applies only to
   * change streams, to cursors with `tailable` and `awaitData`, and to the getMores of `runCursorCommand`.
   */
  maxAwaitTimeMS?: number | undefined;
  /** Keeps the cursor of a capped collection open at the end, for documents that are inserted later. Default: false. */
  tailable?: boolean | undefined;
  /** Lets the server wait for new documents before it returns an empty batch. Requires `tailable`. Default: false. */
  awaitData?: boolean | undefined;
  /** Keeps an idle cursor open on the server. Default: false; the server closes it after 10 minutes. */
  noCursorTimeout?: boolean | undefined;
  /**
   * Whether `timeoutMS` limits each call that reads documents (`iteration`) or the whole life of the cursor
   * (`cursorLifetime`). Default: `cursorLifetime`; tailable cursors support only `iteration`.
   */
  timeoutMode?: CursorTimeoutMode | undefined;
}

/** Options of the cursors of `find` and `aggregate`. */
export interface PrefetchOptions {
  /**
   * Requests the next batch while the application reads the documents of the last one. At most one batch is requested
   * ahead, on a connection of its own. `toArray` requests each batch when it needs it. Has no effect with a `session`,
   * whose operations must not overlap. An error of a batch is thrown when reading reaches the batch. With the
   * `timeoutMode` `iteration`, the time of a batch begins when it is requested. Not allowed for tailable cursors and
   * change streams. Default: false.
   */
  prefetch?: boolean | undefined;
}

/**
 * Returns whether a cursor requests batches ahead.
 * @param awaits whether its getMores wait for documents
 * @throws MongoInvalidArgumentError for a cursor whose next batch may come much later
 */
export const prefetchOf = (
  { prefetch, tailable }: AbstractCursorOptions & PrefetchOptions,
  awaits: boolean,
): boolean => {
  if (prefetch === true && (awaits || tailable === true))
    throw new MongoInvalidArgumentError(
      'The option "prefetch" cannot be combined with a tailable cursor or a change stream, which wait for their next batch.',
    );
  return prefetch === true;
};

/** The events of a cursor. */
export type AbstractCursorEvents = {
  /** The server has sent all documents, or the cursor was closed. Emitted once, and again only after `rewind`. */
  close(): void;
};

/** A function that converts each document of a cursor. */
export type Transform<From, To> = (document: From) => To;

const modes: readonly string[] = Object.values(CursorTimeoutMode);

/**
 * Returns the scope of timeoutMS, or undefined without it.
 * @param inherited the timeoutMS of the cursor's collection or database
 * @throws MongoInvalidArgumentError for contradictory options. Rule: CSOT, "Cursors".
 */
export const timeoutModeOf = (
  options: AbstractCursorOptions,
  inherited: number | undefined,
): CursorTimeoutMode | undefined => {
  const { timeoutMode, timeoutMS = inherited, tailable, maxAwaitTimeMS } = options;
  if (timeoutMS === undefined && timeoutMode === undefined) return undefined;
  if (timeoutMS === undefined) throw new MongoInvalidArgumentError('"timeoutMode" requires "timeoutMS".');
  if (timeoutMode !== undefined && !modes.includes(timeoutMode))
    throw new MongoInvalidArgumentError(`Unknown "timeoutMode" '${timeoutMode}'. Use one of ${modes.join(', ')}.`);
  // Without maxAwaitTimeMS, the first call validates timeoutMS.
  if (maxAwaitTimeMS !== undefined) checkTimeoutMS(timeoutMS);
  if (maxAwaitTimeMS !== undefined && timeoutMS > 0 && maxAwaitTimeMS >= timeoutMS)
    throw new MongoInvalidArgumentError(
      `"maxAwaitTimeMS" (${maxAwaitTimeMS}) must be less than "timeoutMS" (${timeoutMS}), or every wait would time out.`,
    );
  if (tailable === true && timeoutMode === 'cursorLifetime')
    throw new MongoInvalidArgumentError(
      'The "timeoutMode" of a tailable cursor must be "iteration", because such a cursor has no end.',
    );
  return tailable === true ? 'iteration' : (timeoutMode ?? 'cursorLifetime');
};

/**
 * Checks that getMores of a change stream end before its calls time out. Without maxAwaitTimeMS, the first call
 * validates timeoutMS. Rule: Client Side Operations Timeout.
 * @throws MongoInvalidArgumentError
 */
export const checkWait = (maxAwaitTimeMS: number | null | undefined, timeoutMS: number): void => {
  if (!isGiven(maxAwaitTimeMS)) return;
  checkTimeoutMS(timeoutMS);
  if (timeoutMS > 0 && maxAwaitTimeMS >= timeoutMS)
    throw new MongoInvalidArgumentError(
      `"maxAwaitTimeMS" (${maxAwaitTimeMS}) must be less than "timeoutMS" (${timeoutMS}), or every call would time out.`,
    );
};
