import type { Source } from '../engine/batch.js';
import type { DatabaseValue } from '../engine/database.js';
import { fail } from '../errors.js';
import type { Entry as LogEntry } from '../log/entry.js';
import type { Log } from '../log/log.js';
import type { OpTime } from '../log/op-time.js';
import { compareTimes, isLater } from '../log/op-time.js';
import { identical } from '../update/identical.js';
import { Doc } from '../value/doc.js';
import { showDoc } from '../value/show.js';
import { isDoc, TimestampValue } from '../value/value.js';
import type { Event, Located, Teller } from './event.js';
import { eventOf, invalidationOf, tokenVersionOf } from './event.js';
import type { EventToken, Token } from './resume-token.js';
import { tokenDoc } from './resume-token.js';
import type { Start } from './specification.js';
import { maxEventBytes, splitEvent } from './split-event.js';
import type { Watch } from './watch.js';
import { concerns, invalidates } from './watch.js';

/** What a stream reads: the past of a member of a set. */
export interface Past {
  readonly log: Log;
  /** How far a majority has it, as is known already. */
  readonly committed: Place;
  /** The same, having looked: nothing beyond is told. */
  majority(): Place;
  /** Calls back once, when a majority may have more. Returns the way to take that back. */
  onceMoved(wake: () => void): () => void;
}

interface Place {
  readonly at: OpTime;
  readonly value: DatabaseValue;
}

export interface ChangeStreamOptions {
  readonly watch: Watch;
  readonly teller: Teller;
  /** The stages that follow. */
  readonly transform: (event: Doc) => Iterable<Doc>;
  /** The last of them is `$changeStreamSplitLargeEvent`. */
  readonly splits: boolean;
}

const after = ({ t, i }: TimestampValue): TimestampValue =>
  new TimestampValue(i === 0xffffffff ? t + 1 : t, (i + 1) >>> 0);

const before = ({ t, i }: TimestampValue): TimestampValue =>
  new TimestampValue(i === 0 ? Math.max(0, t - 1) : t, (i - 1) >>> 0);

/** The time of the first event that a stream without a past may tell. */
const firstTime = (start: Start, past: Past): TimestampValue => {
  switch (start.kind) {
    case 'now':
      return after((past.log.last ?? past.committed).at.ts);
    case 'at':
      return start.ts;
    case 'after':
      return start.token.ts;
  }
};

const historyLost = (): Error =>
  fail(
    'ChangeStreamHistoryLost',
    'Resume of change stream was not possible, as the resume point may no longer be in the oplog.',
  );

/** The log of a set begins with its making: before that there was nothing. */
const isBeginning = ({ ops: [op] }: LogEntry): boolean => op?.kind === 'noop' && op.message === 'initiating set';

/** What is ready to be told. */
type Ready =
  | { readonly kind: 'event'; readonly doc: Doc }
  /** The stream is over, with this token. */
  | { readonly kind: 'end'; readonly token: Doc };

/**
 * The events of a stream, in the order of the log. It stands where the client could go on: {@link token} tells where that is, also
 * when nothing happened that concerns it.
 */
export class ChangeStream implements Source {
  readonly #past: Past;
  readonly #options: ChangeStreamOptions;
  /** All entries up to that time have been looked at. */
  #seen: TimestampValue;
  #entry: LogEntry | undefined;
  /** Of the next operation of the entry. */
  #index = 0;
  /** So far a majority has it at least. */
  #limit: TimestampValue;
  #ready: Ready[] = [];
  /** The event that a client had last, until it has been found again. */
  #sought: EventToken | undefined;
  #token: Doc;
  /** Of the token. */
  #told: TimestampValue;
  #ended = false;

  constructor(past: Past, start: Start, options: ChangeStreamOptions) {
    this.#past = past;
    this.#options = options;
    const first = firstTime(start, past);
    this.#told = first;
    this.#seen = before(first);
    this.#limit = this.#seen;
    const token: Token = start.kind === 'after' ? start.token : { kind: 'highWaterMark', ts: first };
    this.#token = this.#write(token);
    this.#sought = token.kind === 'event' ? token : undefined;
  }

  #write(token: Token): Doc {
    return tokenDoc(token, tokenVersionOf(this.#options.teller.version));
  }

  /** It was invalidated, and has told so. */
  get exhausted(): boolean {
    return this.#ended && this.#ready.length === 0;
  }

  /** `postBatchResumeToken` after what was taken. */
  get token(): Doc {
    return this.#token;
  }

  /** @throws CommandError 286 if what comes next is forgotten, 280, 47, 7182500 */
  next(): Doc | undefined {
    for (;;) {
      const ready = this.#ready.shift();
      if (ready?.kind === 'event') {
        this.#token = ready.doc.get('_id') as Doc;
        return ready.doc;
      }
      if (ready?.kind === 'end') this.#token = ready.token;
      if (this.#ended) return undefined;
      const located = this.#advance();
      if (located === undefined) {
        this.#rest();
        return undefined;
      }
      this.#look(located);
    }
  }

  /** The next operation that a majority has. */
  #advance(): Located | undefined {
    for (;;) {
      const entry = this.#entry;
      if (entry !== undefined && this.#index < entry.ops.length) return { entry, index: this.#index++ };
      if (entry !== undefined) this.#seen = entry.at.ts;
      this.#entry = undefined;
      this.#checkHistory();
      const next = this.#past.log.next(this.#seen);
      if (next === undefined || !this.#isCommitted(next)) return undefined;
      this.#entry = next;
      this.#index = 0;
    }
  }

  #isCommitted({ at }: LogEntry): boolean {
    if (isLater(at.ts, this.#limit)) this.#limit = this.#past.majority().at.ts;
    return !isLater(at.ts, this.#limit);
  }

  #checkHistory(): void {
    const { forgotten, oldest } = this.#past.log;
    if (forgotten !== undefined && isLater(forgotten, this.#seen)) throw historyLost();
    if (
      oldest !== undefined &&
      isLater(oldest.at.ts, after(this.#seen)) &&
      forgotten === undefined &&
      !isBeginning(oldest)
    ) {
      throw historyLost();
    }
  }

  /** Nothing more is there: the client may go on behind all that has been looked at. */
  #rest(): void {
    if (!isLater(this.#seen, this.#told)) return;
    this.#told = this.#seen;
    this.#token = this.#write({ kind: 'highWaterMark', ts: this.#seen });
  }

  #look(located: Located): void {
    const { watch, teller } = this.#options;
    const op = located.entry.ops[located.index]!;
    const event = op.kind === 'noop' || !concerns(watch, op) ? undefined : eventOf(located, op, teller);
    if (this.#sought !== undefined) {
      this.#seek(this.#sought, located, event);
      return;
    }
    if (event === undefined) return;
    this.#tell(located, event, 0);
    if (invalidates(watch, op)) this.#invalidate(located, event);
  }

  #tell(located: Located, event: Event, skipped: number): void {
    const { specification } = this.#options.teller;
    if (!event.isClassic && !specification.showExpandedEvents) return;
    this.#told = located.entry.at.ts;
    this.#push(event.doc(), event.token, skipped);
  }

  #invalidate({ entry }: Located, event: Event): void {
    const { token, doc } = invalidationOf(event, entry, this.#options.teller.version);
    this.#push(doc, token, 0);
    this.#ready.push({ kind: 'end', token: doc.get('_id') as Doc });
    this.#ended = true;
  }

  /** @param skipped so many parts of a split event the client has already */
  #push(event: Doc, token: EventToken, skipped: number): void {
    const { transform, splits, teller } = this.#options;
    const id = event.get('_id') as Doc;
    for (const doc of transform(event)) {
      checkToken(doc, id);
      const isSplit = splits && doc.byteLength > maxEventBytes;
      if (skipped > 0 && !isSplit) {
        throw fail(
          'ChangeStreamFatalError',
          'Attempted to resume from a split event fragment, but the event in the resumed stream was not large enough to be split',
        );
      }
      const parts = isSplit ? splitEvent(doc, token, tokenVersionOf(teller.version)) : [doc];
      if (skipped >= parts.length) {
        throw fail(
          'ChangeStreamFatalError',
          'Attempted to resume from a split event, but the resumed stream produced a different split. Ensure that the pipeline used to resume is the same as the original',
        );
      }
      this.#ready.push(...parts.slice(skipped).map(part => ({ kind: 'event', doc: part }) as const));
    }
  }

  /** Looks for the event that the client had last, and tells what remains of it. @throws CommandError 280 if it is not there */
  #seek(sought: EventToken, located: Located, event: Event | undefined): void {
    const { entry, index } = located;
    const order = compareTimes(entry.at.ts, sought.ts) || index - sought.index;
    if (order < 0) return;
    const { fromInvalidate, fragment } = sought;
    const found: Token | undefined = event && { ...event.token, fromInvalidate, fragment };
    if (order > 0 || found === undefined || !identical(this.#write(found), this.#write(sought))) {
      throw fail(
        'ChangeStreamFatalError',
        `cannot resume stream; the resume token was not found. ${showDoc(this.#write(sought))}`,
      );
    }
    this.#sought = undefined;
    if (fragment !== undefined) this.#tell(located, event!, fragment + 1);
    if (!fromInvalidate && invalidates(this.#options.watch, entry.ops[index]!)) this.#invalidate(located, event!);
  }
}

/** @throws CommandError 280 if the token is not what it was */
const checkToken = (doc: Doc, id: Doc): void => {
  const found = doc.get('_id');
  if (isDoc(found) && identical(found, id)) return;
  const shown = (value: Doc): string => showDoc(value);
  throw fail(
    'ChangeStreamFatalError',
    `Encountered an event whose _id field, which contains the resume token, was modified by the pipeline. Modifying the _id field of an event makes it impossible to resume the stream from that point. Only transformations that retain the unmodified _id field are allowed. Expected: ${shown(Doc.of([['_id', id]]))} but found: ${shown(found === undefined ? Doc.EMPTY : Doc.of([['_id', found]]))}`,
  );
};
