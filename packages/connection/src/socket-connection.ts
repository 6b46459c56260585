import { MongoError, originFrom, serverError } from '@tessera/contracts';
import type {
  Address,
  Clock,
  Compressor,
  Connection,
  Document,
  ErrorKind,
  FrameReader,
  Hello,
  ManyReplies,
  Message,
  Millis,
  Origin,
  Reply,
  Socket,
  Soon,
  WireCodec,
} from '@tessera/contracts';
import type { Agreement } from './agreement.js';
import type { Trace } from './command-events.js';
import { CommandMessage } from './command-message.js';
import { notFree, notOpen, tooLong, unreadable, unwritten, wordsOf } from './connection-errors.js';
import type { Deadlines, Expiring } from './deadlines.js';
import { Draining } from './draining.js';
import { isCompressible } from './sensitive-commands.js';
import type { Declaration } from './server-api.js';

/** The dependencies and options that all connections of one `Connect` share. */
export interface Surroundings {
  readonly clock: Clock;
  readonly wire: WireCodec;
  readonly deadlines: Deadlines;
  /** The Stable API version, appended to every command. Undefined if none is declared. */
  readonly declaration: Declaration | undefined;
  /** The time limit for the late reply to an abandoned command. */
  readonly drainLimit: Millis;
  /** The time limit for the reply to a command without a deadline. */
  readonly answerLimit: Millis;
  readonly nextRequestId: () => number;
}

/**
 * - `free`: no message is in progress, and the server owes no reply
 *  - `busy`: a message waits for its replies, or, if it has none, for the socket to drain
 *  - `draining`: the message was abandoned; its outstanding replies will be read and skipped
 *  - `closed`
 */
type State = 'free' | 'busy' | 'draining' | 'closed';

const NEVER = Infinity;

/**
 * Sends one message at a time over one socket. From `start` to `end` this class allocates nothing and waits for no
 * promise. The handshake sets the {@link Agreement} under which messages are sent.
 */
export class SocketConnection implements Connection, Expiring {
  readonly id: number;
  readonly address: Address;
  deadline: Millis = NEVER;
  readonly #around: Surroundings;
  readonly #socket: Socket;
  readonly #reader: FrameReader;
  #agreed: Agreement;
  #state: State = 'free';
  #message: Message | undefined;
  #requestId = 0;
  /** The id that the next reply must answer: the request's id, or the id of the previous reply if there are several. */
  #awaited = 0;
  #answer: Message['answer'] = 'one';
  #sent = false;
  #began: Millis = 0;
  #trace: Trace | undefined;
  #draining: Draining | undefined;
  #cause: MongoError | undefined;
  /** A frame that the socket has not sent in full yet. Its memory is released when the socket drains. */
  #leaving: Uint8Array | undefined;

  constructor(around: Surroundings, socket: Socket, address: Address, id: number, agreed: Agreement) {
    this.#around = around;
    this.#socket = socket;
    this.address = address;
    this.id = id;
    this.#agreed = agreed;
    this.#reader = around.wire.reader({
      readsAhead: socket.readsAhead,
      take: (responseTo, reply, more, replyId) => this.#take(responseTo, reply, more, replyId),
      failed: cause => this.#broken(cause),
    });
    around.deadlines.add(this);
    socket.listen({
      room: () => this.#roomForMore(),
      filled: length => this.#filled(length),
      drained: () => this.#drained(),
      closed: cause => this.#lost(cause),
    });
  }

  /** Defined once the server has answered hello. */
  get hello(): Hello {
    return this.#agreed.hello!;
  }

  get closed(): boolean {
    return this.#state === 'closed';
  }

  /** Replaces the agreement for the messages that are started afterwards. */
  agree(agreed: Agreement): void {
    this.#agreed = agreed;
  }

  start(message: Message, deadline: Millis): void {
    if (this.#state !== 'free') {
      message.fail(this.#refusal(message));
      return;
    }
    const { clock, wire, deadlines, declaration, answerLimit, nextRequestId } = this.#around;
    const isLimited = deadline !== NEVER || answerLimit !== NEVER;
    const began = isLimited ? clock.now() : 0;
    if (deadline <= began) {
      message.fail(
        this.#error('timeout', `The time for '${message.name}' at ${this.address} was up before it was sent.`),
      );
      return;
    }
    const requestId = nextRequestId();
    let frame: Uint8Array;
    try {
      frame = wire.write(requestId, declaration === undefined ? message : declaration.with(message));
    } catch (cause) {
      message.fail(unwritten(message, cause, this.origin(false)));
      return;
    }
    // Encoding may have run a getter that used or closed the connection.
    if (this.#state !== 'free') {
      message.fail(this.#refusal(message));
      return;
    }
    const { longest, events, compressor } = this.#agreed;
    if (frame.length > longest) {
      message.fail(tooLong(message, frame.length, longest, this.origin(false)));
      return;
    }
    this.#state = 'busy';
    this.#message = message;
    this.#answer = message.answer;
    this.#requestId = this.#awaited = requestId;
    this.#sent = false;
    this.#began = began;
    if (isLimited) {
      this.deadline = deadline === NEVER ? began + answerLimit : deadline;
      deadlines.watch(this.deadline, began);
    }
    try {
      if (events !== undefined) {
        this.#trace = events.started(this, message, requestId, frame);
        if (this.#message !== message) return; // a listener may have closed the connection
      }
      if (compressor === undefined || !isCompressible(message.name)) this.#send(message, frame);
      else this.#sendCompressed(message, requestId, frame, compressor);
    } catch (cause) {
      if (this.#message === message) this.#unsent(message, cause);
    }
  }

  command(db: string, command: Document, deadline: Millis, many?: ManyReplies): Promise<Document> {
    return new Promise((resolve, reject) => {
      const refused = (name: string, reply: Document): MongoError => serverError(reply, this.origin(true), name);
      const limit = this.#agreed.commandLimit;
      const by = limit === undefined ? deadline : this.#around.clock.now() + limit;
      this.start(new CommandMessage(db, command, { resolve, reject, refused }, many), by);
    });
  }

  detach(error: MongoError): Soon<boolean> {
    if (this.#agreed.reauthentication?.isUnderWay === true) this.close(error);
    else if (this.#state === 'busy') this.#giveUp(error);
    return this.#usable();
  }

  close(cause?: MongoError): void {
    if (this.#state === 'closed') return;
    const isIdle = this.#state === 'free' && this.#agreed.reauthentication === undefined;
    this.#shut(cause ?? (isIdle ? undefined : this.#closedHere(this.#sent && this.#state !== 'free')));
    this.#socket.destroy();
  }

  #closedHere(sent: boolean): MongoError {
    const what = `The connection to ${this.address} was closed on this side.`;
    return new MongoError('network', what, { origin: this.origin(sent) });
  }

  /** Called by the timer of {@link Deadlines}. */
  expire(now: Millis): void {
    if (this.#state === 'busy') {
      const { name } = this.#message!;
      const spent = Math.round(now - this.#began);
      this.#giveUp(this.#error('timeout', `'${name}' at ${this.address} was not answered within ${spent} ms.`));
    } else {
      const late = `The late reply of ${this.address} did not come within ${this.#around.drainLimit} ms.`;
      this.close(this.#error('timeout', late));
    }
  }

  // Callbacks of the socket.

  #roomForMore(): Uint8Array {
    const room = this.#reader.room();
    this.#agreed.first?.room(room);
    return room;
  }

  #filled(length: number): void {
    if (this.#state === 'closed') return;
    this.#agreed.first?.filled(length);
    try {
      this.#reader.filled(length);
    } catch (cause) {
      this.#broken(cause);
    }
  }

  #drained(): void {
    if (this.#leaving !== undefined) this.#around.wire.release(this.#leaving);
    this.#leaving = undefined;
    if (this.#answer !== 'none') return;
    if (this.#state === 'busy') this.#endUnanswered(this.#message!);
    else if (this.#state === 'draining') this.#endDraining();
  }

  #lost(cause: unknown): void {
    if (this.#state === 'closed') return;
    const during = this.#message === undefined ? '' : ` while '${this.#message.name}' was under way`;
    const what =
      cause === undefined
        ? `${this.address} closed the connection${during}.`
        : `The connection to ${this.address} was lost${during}: ${wordsOf(cause)}.`;
    this.#shut(this.#error('network', what, cause));
  }

  // Sending.

  #send(message: Message, frame: Uint8Array): void {
    this.#sent = true;
    const flowing = this.#socket.write(frame);
    if (!flowing && this.#trace === undefined) this.#leaving = frame;
    // A message without a reply ends when the socket drains; otherwise a slow server would let unsent data fill the
    // memory.
    if (flowing && this.#answer === 'none' && this.#message === message) this.#endUnanswered(message);
  }

  #sendCompressed(message: Message, requestId: number, frame: Uint8Array, compressor: Compressor): void {
    const packed = this.#around.wire.compress(frame, compressor);
    if (!(packed instanceof Promise)) {
      this.#send(message, packed);
      return;
    }
    const isCurrent = (): boolean => this.#message === message && this.#requestId === requestId;
    packed.then(
      frameOut => {
        if (isCurrent()) this.#send(message, frameOut);
      },
      (cause: unknown) => {
        if (isCurrent()) this.#giveUp(unwritten(message, cause, this.origin(false)));
      },
    );
  }

  /**
   * Ends a message that could not be sent. If the socket threw, an unknown part may have been sent, so the connection
   * is closed.
   */
  #unsent(message: Message, cause: unknown): void {
    if (this.#sent) {
      const what = `'${message.name}' could not be sent to ${this.address}: ${wordsOf(cause)}.`;
      this.close(this.#error('network', what, cause));
    } else this.#giveUp(unwritten(message, cause, this.origin(false)));
  }

  #endUnanswered(message: Message): void {
    this.#free();
    const trace = this.#trace;
    this.#trace = undefined;
    if (trace !== undefined) this.#agreed.events?.unanswered(trace);
    message.end();
  }

  // Receiving.

  #take(responseTo: number, reply: Reply, more: boolean, replyId: number): void {
    if (this.#state === 'closed') return;
    if (!this.#isAwaited(responseTo)) {
      const awaited =
        this.#state === 'free' ? 'no request was outstanding' : `the reply to ${this.#awaited} was expected`;
      this.#broken(`it sent a reply to request ${responseTo}, but ${awaited}`);
    } else if (more) {
      this.#takeOneOfMany(reply, replyId);
    } else if (this.#state === 'draining') {
      const owed = this.#draining?.message;
      this.#endDraining();
      owed?.late?.(reply);
    } else {
      this.#takeLast(this.#message!, reply);
    }
  }

  /**
   * Some servers send many replies that all answer the original request. That is accepted, since no other reply can
   * arrive.
   */
  #isAwaited(responseTo: number): boolean {
    if (this.#state === 'free' || this.#answer === 'none') return false;
    return responseTo === this.#awaited || responseTo === this.#requestId;
  }

  #takeOneOfMany(reply: Reply, replyId: number): void {
    if (this.#answer !== 'many') {
      this.#broken('it set moreToCome, but the request allows only one reply');
      return;
    }
    this.#awaited = replyId;
    const message = this.#message;
    if (message === undefined) return;
    if (message.replyLimit !== undefined) this.#awaitNext(message.replyLimit);
    try {
      message.reply(reply);
    } catch (cause) {
      const error = unreadable(cause, this.origin(true));
      if (error.kind === 'protocol') this.close(error);
      else this.#giveUp(error);
    }
  }

  /** Sets the deadline of the next reply, counted from now. */
  #awaitNext(limit: Millis): void {
    const now = this.#around.clock.now();
    this.#began = now;
    this.deadline = now + limit;
    this.#around.deadlines.watch(this.deadline, now);
  }

  #takeLast(message: Message, reply: Reply): void {
    const { deadline } = this;
    this.#free();
    const trace = this.#trace;
    this.#trace = undefined;
    try {
      if (trace !== undefined) this.#agreed.events?.answered(trace, reply);
      if (this.#agreed.reauthentication?.postpones(message, reply, deadline) === true) return;
      message.reply(reply);
    } catch (cause) {
      const error = unreadable(cause, this.origin(true));
      if (error.kind === 'protocol') this.close(error);
      message.fail(error);
      return;
    }
    message.end();
  }

  // State transitions.

  #free(): void {
    this.#state = 'free';
    this.#message = undefined;
    this.deadline = NEVER;
  }

  /** Fails the message at once and keeps the socket. Its outstanding reply will be read and skipped. */
  #giveUp(error: MongoError): void {
    const message = this.#message!;
    this.#free();
    if (this.#sent) {
      this.#state = 'draining';
      this.#draining = new Draining(message);
      const now = this.#around.clock.now();
      this.deadline = now + this.#around.drainLimit;
      this.#around.deadlines.watch(this.deadline, now);
    }
    this.#fail(message, error);
  }

  #endDraining(): void {
    this.#free();
    this.#settleDraining(true);
  }

  #settleDraining(usable: boolean): void {
    const draining = this.#draining;
    this.#draining = undefined;
    draining?.end(usable);
  }

  #usable(): Soon<boolean> {
    return this.#draining === undefined ? this.#state !== 'closed' : this.#draining.usable;
  }

  #broken(cause: unknown): void {
    if (this.#state === 'closed') return;
    const what = `${this.address} violates MongoDB's protocol: ${wordsOf(cause)}.`;
    this.close(this.#error('protocol', what, cause instanceof Error ? cause : undefined));
  }

  /** @param error the cause; undefined if nothing was under way, because creating an error is slow */
  #shut(error: MongoError | undefined): void {
    const message = this.#message;
    this.#free();
    this.#state = 'closed';
    this.#cause = error;
    this.#around.deadlines.remove(this);
    this.#settleDraining(false);
    if (message !== undefined && error !== undefined) this.#fail(message, error);
    const wasPostponed = error !== undefined && this.#agreed.reauthentication?.fail(error) === true;
    if (message === undefined && !wasPostponed) this.#agreed.ended?.();
  }

  #fail(message: Message, error: MongoError): void {
    const trace = this.#trace;
    this.#trace = undefined;
    if (trace !== undefined) this.#agreed.events?.failed(trace, error);
    message.fail(error);
  }

  // Errors.

  origin(sent: boolean): Origin {
    const { phase, hello } = this.#agreed;
    return { phase, sent, address: this.address, ...originFrom(hello) };
  }

  /** Returns an error of the current message, with an origin that says whether the message was sent. */
  #error(kind: ErrorKind, what: string, cause?: unknown): MongoError {
    const sent = this.#sent && this.#state !== 'free';
    return new MongoError(kind, what, { cause, origin: this.origin(sent) });
  }

  #refusal(message: Message): MongoError {
    const origin = this.origin(false);
    return this.#state === 'closed'
      ? notOpen(message, this.#cause ?? this.#closedHere(false), origin)
      : notFree(message, this.#state, origin);
  }
}
