import type { Compressor, Signal, Socket, Soon } from '@tessera/contracts';
import type { Doc } from '@tessera/mql/engine';
import { CommandError } from '@tessera/mql/engine';
import type { Frame } from './frame.js';
import { createFrameReader, headerSize, maxUnauthenticatedSize, opCodes } from './frame.js';
import type { Envelope, ReplyOptions, Request } from './message.js';
import { envelopeOf, inflated, readCompressed, readRequest, writeCompressed, writeMsg, writeReply } from './message.js';

/** A reply, and a function for the next one if several replies follow (see `exhaust`). */
export interface Answer {
  readonly doc: Doc;
  /** The approximate size in bytes. */
  readonly size?: number | undefined;
  /** Produces the next reply, which is sent if the request allows it. */
  readonly next?: (() => Soon<Answer>) | undefined;
}

/** A connection, as seen by the code that answers its requests. */
export interface Peer {
  /** The id in hello's connectionId. */
  readonly id: number;
  /** Aborted when the connection is closed. */
  readonly signal: Signal;
  /** Whether this side closed the connection. */
  readonly isCut: boolean;
  /** The subject of the client's certificate in RFC 2253 form; undefined without a certificate. */
  readonly subject: string | undefined;
  /** The subject of the server's certificate; undefined without TLS. */
  readonly ownSubject: string | undefined;
  close(): void;
  /** Closes like `close`. The other side sees a reset, if sockets support them. */
  reset(): void;
  /** Sends what was written, then closes. */
  end(): void;
  /** Sends bytes that are not a reply of this server. They must not be changed afterwards. */
  send(bytes: Uint8Array): void;
}

/** The bytes and requests of connections. */
export interface Traffic {
  bytesIn: number;
  bytesOut: number;
  requests: number;
}

/** Numbers of connections. */
export interface ConnectionCounts {
  /** The number of open connections, and their maximum. */
  current: number;
  readonly most: number;
  /** The numbers of connections that were accepted and rejected since the process started. */
  totalCreated: number;
  rejected: number;
}

export interface ConnectionHandlers {
  /** Returns the answer to a request, or undefined for none. It never throws. */
  answer(request: Request): Soon<Answer | undefined>;
  /** Converts an error to a reply. */
  refuse(error: unknown, opCode: number): Answer;
  /** Returns the maximum message size in bytes at present, at least `maxUnauthenticatedSize`. */
  readonly longest: () => number;
  readonly compressors: readonly Compressor[];
  /** Counts what the connection receives and sends. */
  readonly traffic: Traffic;
  /** Called once, after everything else. */
  closed(): void;
}

/** The number of bytes of waiting requests above which reading pauses. */
const enoughWaiting = 1_000_000;

/**
 * The connection is closed if waiting requests have more bytes than this number of messages of maximum size, because
 * some sockets cannot pause.
 */
const mostWaiting = 4;

class Gone implements Signal {
  aborted = false;
  reason: unknown = undefined;
  readonly #listeners = new Set<() => void>();

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }

  abort(reason: unknown): void {
    this.aborted = true;
    this.reason = reason;
    for (const listener of [...this.#listeners]) listener();
    this.#listeners.clear();
  }
}

const isPromise = <T>(value: Soon<T>): value is Promise<T> => value instanceof Promise;

/** Returns the frame of a reply. @throws CommandError 10334 for a reply that is too large */
const frameOf = (doc: Doc, opCode: number, options: ReplyOptions): Uint8Array =>
  opCode === opCodes.query ? writeReply(doc, options.requestId, options.responseTo) : writeMsg(doc, options);

/** One socket. Its requests are answered one after the other, in the order of arrival. */
export class Connection implements Peer {
  readonly id: number;
  readonly signal: Gone = new Gone();
  isCut = false;
  readonly #socket: Socket;
  #handlers!: ConnectionHandlers;
  #waiting: Frame[] = [];
  #waitingBytes = 0;
  /** Whether the queue is being processed. */
  #busy = false;
  /** Whether the peer does not read. Answers wait until it does. */
  #full = false;
  /** Whether reading is paused, because enough requests are waiting. */
  #paused = false;
  #onRoom: (() => void) | undefined;
  #requestId = 0;

  constructor(id: number, socket: Socket) {
    this.id = id;
    this.#socket = socket;
  }

  start(handlers: ConnectionHandlers): void {
    this.#handlers = handlers;
    const reader = createFrameReader(handlers.longest, frame => {
      if (this.#waiting.length === 0) this.#waiting = [frame];
      else this.#waiting.push(frame);
      this.#waitingBytes += frame.bytes.length;
      handlers.traffic.bytesIn += frame.bytes.length;
      handlers.traffic.requests += 1;
    });
    this.#socket.listen({
      room: () => reader.room(),
      filled: length => {
        if (this.signal.aborted) return;
        try {
          reader.filled(length);
        } catch {
          // The bytes are not messages. Requests before them are not answered either, as in mongod.
          this.close();
          return;
        }
        if (this.#areWaiting(mostWaiting)) this.close();
        this.#work();
        this.#throttle();
      },
      drained: () => {
        this.#full = false;
        this.#onRoom?.();
        this.#work();
        this.#throttle();
      },
      closed: cause => this.#ended(cause),
    });
  }

  get subject(): string | undefined {
    return this.#socket.peerSubject;
  }

  get ownSubject(): string | undefined {
    return this.#socket.ownSubject;
  }

  close(): void {
    this.isCut ||= !this.signal.aborted;
    this.#socket.destroy();
    this.#ended(undefined);
  }

  reset(): void {
    this.isCut ||= !this.signal.aborted;
    if (this.#socket.reset === undefined) this.#socket.destroy();
    else this.#socket.reset();
    this.#ended(undefined);
  }

  end(): void {
    this.isCut ||= !this.signal.aborted;
    this.#socket.end();
    this.#ended(undefined);
  }

  send(bytes: Uint8Array): void {
    this.#write(bytes);
  }

  #ended(cause: unknown): void {
    if (this.signal.aborted) return;
    this.#waiting = [];
    this.#onRoom?.();
    this.signal.abort(cause ?? new Error('The connection is closed.'));
    this.#handlers.closed();
  }

  #drop(served: number): void {
    this.#waiting = served === this.#waiting.length ? [] : this.#waiting.slice(served);
  }

  #work(): void {
    if (this.#busy) return;
    this.#busy = true;
    let at = 0;
    while (at < this.#waiting.length && !this.#full && !this.signal.aborted) {
      const frame = this.#waiting[at]!;
      at += 1;
      this.#waitingBytes -= frame.bytes.length;
      const served = this.#serve(frame);
      if (!isPromise(served)) continue;
      this.#drop(at);
      served.then(
        () => this.#goOn(),
        () => this.close(),
      );
      return;
    }
    this.#drop(at);
    this.#busy = false;
  }

  #goOn(): void {
    this.#busy = false;
    this.#work();
    this.#throttle();
  }

  /** Whether waiting requests have more bytes than this number of messages of maximum size, or more than `bytes`. */
  #areWaiting(messages: number, bytes = Number.POSITIVE_INFINITY): boolean {
    const waiting = this.#waitingBytes;
    return (
      waiting > messages * maxUnauthenticatedSize && waiting > Math.min(messages * this.#handlers.longest(), bytes)
    );
  }

  /** Pauses or resumes reading, so that a peer that sends faster than it is answered has to wait. */
  #throttle(): void {
    const pause = this.#areWaiting(1, enoughWaiting);
    if (pause === this.#paused || this.signal.aborted) return;
    this.#paused = pause;
    if (pause) this.#socket.pause?.();
    else this.#socket.resume?.();
  }

  #serve(frame: Frame): Soon<void> {
    try {
      return frame.opCode === opCodes.compressed ? this.#inflate(frame) : this.#take(frame, undefined);
    } catch {
      this.close();
    }
  }

  #inflate(frame: Frame): Soon<void> {
    const compressed = readCompressed(frame, this.#handlers.longest() - headerSize);
    const { size, compressor: id, bytes } = compressed;
    const go = (content: Uint8Array): Soon<void> => this.#take(inflated(frame, compressed, content), id);
    if (id === 0) return go(bytes);
    const compressor = this.#handlers.compressors.find(one => one.id === id);
    if (compressor === undefined) return this.close();
    const content = compressor.decompress(bytes, size);
    return isPromise(content) ? content.then(go) : go(content);
  }

  #take(frame: Frame, compressor: number | undefined): Soon<void> {
    const envelope = envelopeOf(frame, compressor);
    let answer: Soon<Answer | undefined>;
    try {
      answer = this.#handlers.answer(readRequest(frame, envelope));
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      answer = this.#handlers.refuse(error, envelope.opCode);
    }
    return isPromise(answer)
      ? answer.then(settled => this.#reply(envelope, settled, envelope.requestId))
      : this.#reply(envelope, answer, envelope.requestId);
  }

  #reply(envelope: Envelope, answer: Answer | undefined, responseTo: number): Soon<void> {
    if (answer === undefined || envelope.silent || this.signal.aborted) return;
    this.#requestId = (this.#requestId + 1) | 0;
    const requestId = this.#requestId;
    const more = envelope.exhaust && answer.next !== undefined;
    const { opCode, checksum } = envelope;
    const options = { requestId, responseTo, checksum, more, size: answer.size ?? 192 };
    let frame: Uint8Array;
    try {
      frame = frameOf(answer.doc, opCode, options);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      frame = frameOf(this.#handlers.refuse(error, opCode).doc, opCode, options);
    }
    const sent = this.#send(frame, envelope.compressor);
    if (!more) return sent;
    // Each reply responds to the previous one. Rule: OP_MSG, "exhaustAllowed".
    return this.#stream(envelope, sent, answer.next, requestId);
  }

  /** Waits until the peer has read, or the connection is closed. */
  #room(): Promise<void> {
    return new Promise(resolve => {
      this.#onRoom = resolve;
    });
  }

  async #stream(envelope: Envelope, sent: Soon<void>, next: () => Soon<Answer>, responseTo: number): Promise<void> {
    await sent;
    if (this.#full) await this.#room();
    if (this.signal.aborted) return;
    const answer = await next();
    return this.#reply(envelope, answer, responseTo);
  }

  #send(frame: Uint8Array, compressor: number | undefined): Soon<void> {
    const by = compressor === undefined ? undefined : this.#handlers.compressors.find(one => one.id === compressor);
    if (by === undefined) return this.#write(frame);
    const compressed = by.compress(frame.subarray(headerSize));
    return isPromise(compressed)
      ? compressed.then(bytes => this.#write(writeCompressed(frame, by.id, bytes)))
      : this.#write(writeCompressed(frame, by.id, compressed));
  }

  #write(frame: Uint8Array): void {
    this.#handlers.traffic.bytesOut += frame.length;
    if (!this.signal.aborted && !this.#socket.write(frame)) this.#full = true;
  }
}
