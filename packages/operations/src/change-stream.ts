import type { Document, Millis, Session, Shape } from '@tessera/contracts';
import { limitWait, MongoError } from '@tessera/contracts';
import { Aggregate } from './aggregate.js';
import type { AggregateOptions } from './aggregate.js';
import {
  afterBatch,
  afterChange,
  isTimeout,
  pauseBefore,
  reactionTo,
  resumeOptions,
  startingPosition,
} from './change-stream-resume.js';
import type { Failure, Position, StartOptions } from './change-stream-resume.js';
import { Cursor } from './cursor.js';
import type { TakeBatch } from './find.js';
import type { Call, Dispatcher } from './request.js';
import type { Target } from './target.js';

/** What the stage `$changeStream` says, and the aggregate around it. */
export interface ChangeStreamOptions extends AggregateOptions, StartOptions {
  readonly fullDocument?: string | undefined;
  readonly fullDocumentBeforeChange?: string | undefined;
  readonly showExpandedEvents?: boolean | undefined;
  /** Of every database. */
  readonly allChangesForCluster?: boolean | undefined;
  /** How long the server waits for changes before it answers an empty batch. */
  readonly maxAwaitTimeMS?: number | undefined;
}

const stageNames = ['allChangesForCluster', 'fullDocument', 'fullDocumentBeforeChange', 'showExpandedEvents'] as const;
const startNames = ['resumeAfter', 'startAfter', 'startAtOperationTime'] as const;

const pick = (options: ChangeStreamOptions, names: readonly (keyof ChangeStreamOptions)[]): Document =>
  Object.fromEntries(names.filter(name => options[name] !== undefined).map(name => [name, options[name]]));

/** `opened`: an aggregate was answered, `more`: a getMore, `ended`: nothing more will come. */
export type Fetched = 'opened' | 'more' | 'ended';

/** Changes, batch by batch, over as many of the server's cursors as it takes. Rule: Change Streams. */
export class ChangeStreamCursor {
  /** Of the call that is under way; each has the whole time. */
  deadline: Millis = Infinity;
  /** Whether somebody listens for the server's answers: only then `answer` is decoded. */
  keepsAnswers = false;
  readonly #dispatcher: Dispatcher;
  readonly #target: Target;
  readonly #pipeline: readonly Document[];
  readonly #options: ChangeStreamOptions;
  readonly #call: Call;
  /** The caller's, else one of the stream: every resumption goes on with it. */
  readonly #session: Session;
  /** Tokens are read as they are, whatever the documents are to become. */
  readonly #tokens: Shape;
  #cursor: Cursor | undefined;
  /** Of the cursor that failed last, at the server. */
  #ending: Promise<void> | undefined;
  #position: Position;
  #wireVersion = 0;
  #isOpened = false;
  #isClosed = false;
  #answer: Document | undefined;
  /** Resumptions since a getMore succeeded or a change came. */
  #resumptions = 0;
  /** Ends the pause before a resumption. */
  #wake: (() => void) | undefined;
  /** While a command is under way: nobody waits for it any longer. */
  #giveUp: (() => void) | undefined;

  constructor(
    dispatcher: Dispatcher,
    target: Target,
    pipeline: readonly Document[],
    options: ChangeStreamOptions,
    call: Call,
  ) {
    this.#dispatcher = dispatcher;
    this.#target = target;
    this.#pipeline = pipeline;
    this.#options = options;
    this.#call = call;
    this.#session = call.session ?? dispatcher.implicitSession();
    this.#tokens = target.bson.shape();
    this.#position = startingPosition(options);
  }

  /** Where it would resume now: the cached resume token, undefined while there is none. */
  get token(): unknown {
    return this.#position.token;
  }

  /** Changes that have come and were not asked for yet. */
  get buffered(): number {
    return this.#cursor?.buffered ?? 0;
  }

  /** A server's cursor was opened at least once. */
  get opened(): boolean {
    return this.#isOpened;
  }

  get closed(): boolean {
    return this.#isClosed;
  }

  /** What the server answered last, if answers are kept. */
  get answer(): Document | undefined {
    return this.#answer;
  }

  /** A change that has come already. @throws MongoError `usage` if it lacks the resume token; the stream ends then. */
  take(): Document | undefined {
    const cursor = this.#cursor;
    try {
      const change = cursor?.take();
      if (cursor === undefined || change === undefined) return undefined;
      const id = this.#tokenOf(change);
      if (id === undefined || id === null) throw new MongoError('usage', missingToken);
      this.#position = afterChange(this.#position, id, cursor.buffered);
      return change;
    } catch (error) {
      void this.close();
      throw error;
    }
  }

  /**
   * One more command; two, if the first one failed and the stream was resumed, with a pause between them if the resumption
   * before achieved nothing. After it, `buffered` tells what came. One call at a time; closing the stream ends it.
   */
  fetch(): Promise<Fetched> {
    return new Promise((resolve, reject) => {
      this.#giveUp = () => {
        resolve('ended');
      };
      void this.#fetch().finally(this.#fetched).then(resolve, reject);
    });
  }

  /**
   * Ends the server's cursor, and the session, if it is the stream's own. Never fails.
   * @param deadline of that, in place of timeoutMS anew
   */
  async close(deadline?: Millis): Promise<void> {
    this.#isClosed = true;
    this.#wake?.();
    this.#giveUp?.();
    await this.#cursor?.close(deadline);
    this.#release();
  }

  async #fetch(): Promise<Fetched> {
    if (this.#isClosed) return 'ended';
    const { deadline } = this;
    const command = this.#cursor === undefined ? 'aggregate' : 'getMore';
    const cursor = (this.#cursor ??= this.#open());
    cursor.deadline = deadline;
    try {
      if (await cursor.fetch()) {
        if (command === 'getMore' || cursor.buffered > 0) this.#resumptions = 0;
        return command === 'aggregate' ? 'opened' : 'more';
      }
    } catch (error) {
      if (!this.#isClosed) return this.#react(error, command, cursor, deadline);
    }
    this.#isClosed = true;
    return 'ended';
  }

  /** The failed cursor ends on its own server, whatever comes of that. */
  async #react(error: unknown, command: Failure['command'], cursor: Cursor, deadline: Millis): Promise<Fetched> {
    const wireVersion = (MongoError.is(error) ? error.origin?.maxWireVersion : undefined) ?? this.#wireVersion;
    const isLate = isTimeout(error, deadline, this.#dispatcher.clock.now());
    const reaction = reactionTo({ error, command, wireVersion, isTimeout: isLate });
    this.#cursor = undefined;
    // Rule: Client Side Operations Timeout, "Cursors": all that belongs to a resumption has the time of the call.
    const ending = (this.#ending = cursor.close(reaction === 'resume' ? deadline : undefined));
    switch (reaction) {
      case 'resume':
        // A server that answers ends it at once; for one that does not nobody waits.
        if (MongoError.is(error) && error.kind === 'server') await ending;
        await this.#pause(deadline);
        return this.#fetch();
      case 'later':
        throw error;
      case 'end':
        this.#isClosed = true;
        throw error;
    }
  }

  /**
   * Ends early when the stream or the client is closed, or when the signal aborts: the aggregate that follows then fails as
   * any command does. A pause that the deadline ends is followed by an aggregate that times out.
   */
  async #pause(deadline: Millis): Promise<void> {
    const { clock, random, deployment } = this.#dispatcher;
    const pause = pauseBefore(this.#resumptions++, random.unit());
    if (pause === 0 || this.#isClosed) return;
    const limits = { clock, signal: this.#call.signal, closing: deployment.closing };
    await new Promise<void>(resolve => {
      const leave = limitWait({ ...limits, deadline: Math.min(clock.now() + pause, deadline) }, () => {
        resolve();
      });
      this.#wake = () => {
        leave();
        resolve();
      };
    });
    this.#wake = undefined;
  }

  #open(): Cursor {
    const { batchSize, maxAwaitTimeMS, comment } = this.#options;
    return new Cursor(
      this.#dispatcher,
      this.#target,
      take => new Aggregate(this.#target, this.#stages, this.#options, take),
      {
        ...this.#call,
        session: this.#session,
        deadline: this.deadline,
        tailable: true,
        more: { batchSize, maxTimeMS: maxAwaitTimeMS, comment },
        onBatch: this.#onBatch,
      },
    );
  }

  readonly #stages = (wireVersion: number): readonly Document[] => {
    const start = this.#isOpened ? resumeOptions(this.#position, wireVersion) : pick(this.#options, startNames);
    return [{ $changeStream: { ...pick(this.#options, stageNames), ...start } }, ...this.#pipeline];
  };

  readonly #onBatch: TakeBatch<void> = ({ batch, reply }, attempt) => {
    this.#wireVersion = attempt.connection.hello.maxWireVersion;
    this.#position = afterBatch(this.#position, {
      length: batch.length,
      postBatchResumeToken: reply.view('cursor')?.value('postBatchResumeToken', this.#tokens),
      operationTime: reply.value('operationTime', this.#tokens),
      wireVersion: this.#wireVersion,
      isFirst: !this.#isOpened,
    });
    this.#isOpened = true;
    if (this.keepsAnswers) this.#answer = reply.document(this.#target.documents);
  };

  readonly #fetched = (): void => {
    this.#giveUp = undefined;
    if (this.#isClosed) this.#release();
  };

  /** Once no command uses it: neither the one under way nor what ends a cursor. */
  #release(): void {
    if (this.#giveUp !== undefined || this.#call.session !== undefined) return;
    void Promise.all([this.#ending, this.#cursor?.close()]).then(() => {
      this.#session.end();
    });
  }

  /** A document that is handed over as its bytes has its token in them. */
  #tokenOf(change: Document): unknown {
    return change instanceof Uint8Array ? this.#target.bson.read(change).value('_id', this.#tokens) : change['_id'];
  }
}

const missingToken =
  'Cannot provide resume functionality when the resume token is missing: a change stream document has been received that ' +
  'lacks a resume token (_id). Keep _id in the pipeline, or aggregate with $changeStream to go without.';
