import type { TimestampValue, Value } from '@tessera/mql/engine';
import { Doc, identical, isDoc, showDoc } from '@tessera/mql/engine';
import type { Source } from '@tessera/store';
import { isLater } from '@tessera/store';
import type { EventFormat } from './event.js';
import { invalidationOf, tokenVersionOf } from './event.js';
import type { EventSource, StreamEvent } from './log-events.js';
import type { EventToken, Token } from './resume-token.js';
import { fatal } from './resumable.js';
import { textOf, tokenDoc } from './resume-token.js';
import type { Start } from './specification.js';
import { maxEventBytes, splitEvent } from './split-event.js';

export interface ChangeStreamOptions {
  readonly format: EventFormat;
  /** Applies the stages after `$changeStream`. */
  readonly transform: (event: Doc) => Iterable<Doc>;
  /** Whether the pipeline ends with `$changeStreamSplitLargeEvent`. */
  readonly splits: boolean;
}

/** Returns the time of the first event in the stream. @param next returns the time after all entries written so far */
export const firstTime = (start: Start, next: () => TimestampValue): TimestampValue => {
  switch (start.kind) {
    case 'now':
      return next();
    case 'at':
      return start.ts;
    case 'after':
      return start.token.ts;
  }
};

/** A result that the stream will return. */
type Ready =
  | { readonly kind: 'event'; readonly doc: Doc }
  /** The end of the stream, with its last token. */
  | { readonly kind: 'end'; readonly token: Doc };

/**
 * The events of a change stream for a client. {@link token} is the position at which the client can resume, which also
 * advances when no events occur that concern the stream.
 */
export class ChangeStream implements Source {
  readonly #events: EventSource;
  readonly #options: ChangeStreamOptions;
  #ready: Ready[] = [];
  /** The last event that the client received, until the stream has found it again. */
  #sought: EventToken | undefined;
  #token: Doc;
  /** The time of the token. */
  #tokenTime: TimestampValue;
  #ended = false;

  /** @param first the time at which events start, see {@link firstTime} */
  constructor(events: EventSource, start: Start, first: TimestampValue, options: ChangeStreamOptions) {
    this.#events = events;
    this.#options = options;
    this.#tokenTime = first;
    const token: Token = start.kind === 'after' ? start.token : { kind: 'highWaterMark', ts: first };
    this.#token = this.#write(token);
    this.#sought = token.kind === 'event' ? token : undefined;
  }

  #write(token: Token): Doc {
    return tokenDoc(token, tokenVersionOf(this.#options.format.version));
  }

  /** Whether the stream was invalidated, and the client has received the invalidate event. */
  get exhausted(): boolean {
    return this.#ended && this.#ready.length === 0;
  }

  /** `postBatchResumeToken` after the events taken so far. */
  get token(): Doc {
    return this.#token;
  }

  /**
   * Returns the next event.
   * @throws CommandError 286 if the following entries were removed from the oplog, 280, 47, 7182500
   */
  next(): Doc | undefined {
    for (;;) {
      const ready = this.#ready.shift();
      if (ready?.kind === 'event') {
        this.#token = ready.doc.get('_id') as Doc;
        return ready.doc;
      }
      if (ready?.kind === 'end') this.#token = ready.token;
      if (this.#ended) return undefined;
      const current = this.#events.next();
      if (current === undefined) {
        this.#rest();
        return undefined;
      }
      if (this.#sought === undefined) this.#emit(current, 0);
      else this.#seek(this.#sought, current);
    }
  }

  /** Advances the token past all entries that were read, when there are no more events. */
  #rest(): void {
    const seen = this.#events.seen();
    if (this.#sought !== undefined && isLater(seen, this.#sought.ts)) throw this.#notFound(this.#sought);
    if (!isLater(seen, this.#tokenTime)) return;
    this.#tokenTime = seen;
    this.#token = this.#write({ kind: 'highWaterMark', ts: seen });
  }

  /** @param skipped how many fragments of the event the client already has */
  #emit(current: StreamEvent, skipped: number): void {
    const { event } = current;
    if (event.isClassic || this.#options.format.specification.showExpandedEvents) {
      this.#push(event.doc(), event.token, skipped);
      // An event that later stages filter out counts as an event that does not concern the stream.
      if (this.#ready.length > 0) this.#tokenTime = event.token.ts;
    }
    if (current.isLast) this.#invalidate(current);
  }

  #invalidate({ event, entry }: StreamEvent): void {
    const { token, doc } = invalidationOf(event, entry, this.#options.format.version);
    this.#push(doc, token, 0);
    this.#ready.push({ kind: 'end', token: doc.get('_id') as Doc });
    this.#ended = true;
  }

  #push(event: Doc, token: EventToken, skipped: number): void {
    const { transform, splits, format } = this.#options;
    const id = event.get('_id') as Doc;
    for (const doc of transform(event)) {
      checkToken(doc, id);
      const isSplit = splits && doc.byteLength > maxEventBytes;
      if (skipped > 0 && !isSplit) {
        throw fatal(
          'ChangeStreamFatalError',
          'Attempted to resume from a split event fragment, but the event in the resumed stream was not large enough to be split',
        );
      }
      const parts = isSplit ? splitEvent(doc, token, tokenVersionOf(format.version)) : [doc];
      if (skipped >= parts.length) {
        throw fatal(
          'ChangeStreamFatalError',
          'Attempted to resume from a split event, but the resumed stream produced a different split. Ensure that the pipeline used to resume is the same as the original',
        );
      }
      this.#ready.push(...parts.slice(skipped).map(part => ({ kind: 'event', doc: part }) as const));
    }
  }

  #notFound(sought: EventToken): Error {
    return fatal(
      'ChangeStreamFatalError',
      `cannot resume stream; the resume token was not found. ${showDoc(this.#write(sought))}`,
    );
  }

  /**
   * Searches for the last event that the client received, and returns the rest of it.
   * @throws CommandError 280 if it is not found
   */
  #seek(sought: EventToken, current: StreamEvent): void {
    const { fromInvalidate, fragment } = sought;
    const [wanted, found] = [sought, { ...current.event.token, fromInvalidate, fragment }].map(token =>
      textOf(this.#write(token)),
    ) as [string, string];
    if (found < wanted) return;
    if (found > wanted) throw this.#notFound(sought);
    this.#sought = undefined;
    if (fragment !== undefined) this.#emit(current, fragment + 1);
    else if (current.isLast && !fromInvalidate) this.#invalidate(current);
  }
}

/** Checks that the pipeline did not change the event's token. @throws CommandError 280 */
const checkToken = (doc: Doc, id: Doc): void => {
  const found = doc.get('_id');
  if (isDoc(found) && identical(found, id)) return;
  const shown = (token: Value | undefined): string =>
    showDoc(token === undefined ? Doc.EMPTY : Doc.of([['_id', token]]));
  throw fatal(
    'ChangeStreamFatalError',
    `Encountered an event whose _id field, which contains the resume token, was modified by the pipeline. Modifying the _id field of an event makes it impossible to resume the stream from that point. Only transformations that retain the unmodified _id field are allowed. Expected: ${shown(id)} but found: ${shown(found)}`,
  );
};
