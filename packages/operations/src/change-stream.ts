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

/** Options of a change stream: of the stage `$changeStream` and of its aggregate. */
export interface ChangeStreamOptions extends AggregateOptions, StartOptions {
  /** Whether events of updates contain the document: `default`, `updateLookup`, `whenAvailable` or `required`. */
  readonly fullDocument?: string | undefined;
  /** Whether events contain the document before the change: `off`, `whenAvailable` or `required`. */
  readonly fullDocumentBeforeChange?: string | undefined;
  /** Whether to include events such as createIndexes and modify. Since MongoDB 6.0. */
  readonly showExpandedEvents?: boolean | undefined;
  /** Whether to return the changes of all databases. */
  readonly allChangesForCluster?: boolean | undefined;
  /** How long the server waits for changes before it returns an empty batch, in milliseconds. */
  readonly maxAwaitTimeMS?: number | undefined;
}

const stageNames = ['allChangesForCluster', 'fullDocument', 'fullDocumentBeforeChange', 'showExpandedEvents'] as const;
const startNames = ['resumeAfter', 'startAfter', 'startAtOperationTime'] as const;

const pick = (options: ChangeStreamOptions, names: readonly (keyof ChangeStreamOptions)[]): Document =>
  Object.fromEntries(names.filter(name => options[name] !== undefined).map(name => [name, options[name]]));

/** The result of `fetch`. `opened`: an aggregate succeeded; `more`: a getMore succeeded; `ended`: the stream has ended. */
export type Fetched = 'opened' | 'more' | 'ended';

/** A change stream: reads changes in batches, and opens a new server cursor when it resumes. Rule: Change Streams. */
export class ChangeStreamCursor {
  /** The deadline of the current call. Each call has its own. */
  deadline: Millis = Infinity;
  /** Whether to decode replies into `answer`, for listeners. */
  keepsAnswers = false;
  readonly #dispatcher: Dispatcher;
  readonly #target: Target;
  readonly #pipeline: readonly Document[];
  readonly #options: ChangeStreamOptions;
  readonly #call: Call;
  /** The caller's session, or an implicit one. Resumptions use it too. */
  readonly #session: Session;
  /** The shape of resume tokens, which does not depend on the options of documents. */
  readonly #tokens: Shape;
  #cursor: Cursor | undefined;
  /** Settles when the last failed cursor was killed. */
  #ending: Promise<void> | undefined;
  #position: Position;
  #wireVersion = 0;
  #isOpened = false;
  #isClosed = false;
  #answer: Document | undefined;
  /** The number of resumptions since a getMore succeeded or a change arrived. */
  #resumptions = 0;
  /** Ends the backoff before a resumption. */
  #wake: (() => void) | undefined;
  /** While a command is running: makes `fetch` resolve without its reply. */
  #abandon: (() => void) | undefined;

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

  /** The cached resume token; undefined before the first one. */
  get token(): unknown {
    return this.#position.token;
  }

  /** The number of received changes that were not taken yet. */
  get buffered(): number {
    return this.#cursor?.buffered ?? 0;
  }

  /** Whether a server cursor was opened at least once. */
  get opened(): boolean {
    return this.#isOpened;
  }

  /** Whether the stream was closed. */
  get closed(): boolean {
    return this.#isClosed;
  }

  /** The latest reply, if `keepsAnswers` is true. */
  get answer(): Document | undefined {
    return this.#answer;
  }

  /**
   * Returns the next received change, or undefined.
   * @throws MongoError `usage` if the change lacks its resume token; this ends the stream
   */
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
   * Runs one command, or two if the first fails and the stream resumes, with a backoff between them if the previous resumption did not
   * succeed. Afterwards `buffered` is the number of received changes. Do not overlap calls; `close` ends a call.
   */
  fetch(): Promise<Fetched> {
    return new Promise((resolve, reject) => {
      this.#abandon = () => {
        resolve('ended');
      };
      void this.#fetch().finally(this.#fetched).then(resolve, reject);
    });
  }

  /**
   * Kills the server's cursor and ends an implicit session. Never rejects.
   * @param deadline replaces the new deadline of timeoutMS
   */
  async close(deadline?: Millis): Promise<void> {
    this.#isClosed = true;
    this.#wake?.();
    this.#abandon?.();
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

  /** Handles a failed command. Kills the failed cursor on its server, and ignores errors of that. */
  async #react(error: unknown, command: Failure['command'], cursor: Cursor, deadline: Millis): Promise<Fetched> {
    const wireVersion = (MongoError.is(error) ? error.origin?.maxWireVersion : undefined) ?? this.#wireVersion;
    const isLate = isTimeout(error, deadline, this.#dispatcher.clock.now());
    const reaction = reactionTo({ error, command, wireVersion, isTimeout: isLate });
    this.#cursor = undefined;
    // The commands of a resumption share the deadline of the call. Rule: Client Side Operations Timeout, "Cursors".
    const ending = (this.#ending = cursor.close(reaction === 'resume' ? deadline : undefined));
    switch (reaction) {
      case 'resume':
        // Wait for the kill only if the server is responding.
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
   * Waits before a resumption. Ends early when the stream or client closes or the signal aborts; the next aggregate then fails with the
   * corresponding error. After the deadline, the next aggregate times out.
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
    this.#abandon = undefined;
    if (this.#isClosed) this.#release();
  };

  /** Ends an implicit session after the running command and the kills of cursors have ended. */
  #release(): void {
    if (this.#abandon !== undefined || this.#call.session !== undefined) return;
    void Promise.all([this.#ending, this.#cursor?.close()]).then(() => {
      this.#session.end();
    });
  }

  /** Returns the resume token of a change, which may be a raw document. */
  #tokenOf(change: Document): unknown {
    return change instanceof Uint8Array ? this.#target.bson.read(change).value('_id', this.#tokens) : change['_id'];
  }
}

const missingToken =
  'Cannot provide resume functionality when the resume token is missing: a change stream document has been received that ' +
  'lacks a resume token (_id). Keep _id in the pipeline, or aggregate with $changeStream to go without.';
