/** A clock and an in-memory network that tests drive by hand, with a server whose replies the test gives. */
import { bson, decode, encode } from '@tessera/bson';
import type {
  Authenticator,
  Clock,
  Compressor,
  Connection,
  ConnectOptions,
  Document,
  DriverEvent,
  EventName,
  EventSink,
  Host,
  Message,
  Millis,
  MongoError,
  Platform,
  Reply,
  Socket,
  SocketSink,
  Transport,
} from '@tessera/contracts';
import { createConnect } from '@tessera/connection';
import type { ConnectionOptions } from '@tessera/connection';
import { createWire } from '@tessera/wire';

export class HandClock implements Clock {
  #now = 1000;
  #timers: { readonly at: Millis; readonly fire: () => void }[] = [];
  /** The number of timers that were started. */
  started = 0;

  now(): Millis {
    return this.#now;
  }
  wallTime(): number {
    return 1_700_000_000_000 + this.#now;
  }
  startTimer(after: Millis, fire: () => void): { cancel(): void } {
    const timer = { at: this.#now + after, fire };
    this.started++;
    this.#timers.push(timer);
    return { cancel: () => void (this.#timers = this.#timers.filter(t => t !== timer)) };
  }
  sleep(duration: Millis): Promise<void> {
    return new Promise(resolve => this.startTimer(duration, resolve));
  }
  /** The times at which the armed timers fire. */
  get armed(): readonly Millis[] {
    return this.#timers.map(({ at }) => at).sort((a, b) => a - b);
  }
  advance(by: Millis): void {
    const end = this.#now + by;
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter(t => t !== next);
      this.#now = next.at;
      next.fire();
    }
    this.#now = end;
  }
}

export interface Request {
  readonly id: number;
  readonly flags: number;
  readonly opCode: number;
  readonly command: Document;
}

/** The server's end of a connection. */
export class Peer {
  sink!: SocketSink;
  readonly frames: Buffer[] = [];
  /** The buffer in which the last frame was written. */
  memory: ArrayBufferLike | undefined;
  /** Whether the socket accepts the client's writes without delay. */
  flowing = true;
  destroyed = false;
  #readAs: (frame: Uint8Array) => Document;

  constructor(readAs: (frame: Uint8Array) => Document) {
    this.#readAs = readAs;
  }
  get requests(): readonly Request[] {
    return this.frames.map(frame => {
      const opCode = frame.readInt32LE(12);
      const plain = opCode === 2013;
      return {
        id: frame.readInt32LE(4),
        flags: plain ? frame.readUInt32LE(16) : 0,
        opCode,
        command: plain ? this.#readAs(frame) : {},
      };
    });
  }
  get last(): Request {
    return this.requests.at(-1)!;
  }
  send(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const room = this.sink.room();
      const length = Math.min(room.length, bytes.length - at);
      room.set(bytes.subarray(at, at + length));
      this.sink.filled(length);
      at += length;
    }
  }
  reply(document: Document | Uint8Array, { to = this.last.id, more = false, id = 900 } = {}): void {
    const body = document instanceof Uint8Array ? document : encode(document);
    const frame = Buffer.alloc(21 + body.length);
    [frame.length, id, to, 2013, more ? 2 : 0].forEach((value, i) => frame.writeInt32LE(value, 4 * i));
    frame.set(body, 21);
    this.send(frame);
  }
  /** Closes the server's end, and with it the client's. */
  close(cause?: unknown): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.sink.closed(cause);
  }
}

export const HELLO: Document = {
  ismaster: true,
  helloOk: true,
  maxWireVersion: 25,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  logicalSessionTimeoutMinutes: 30,
  connectionId: 77,
  ok: 1,
};

/** Returns the bytes of a document whose only invalid part is an element of an unknown type. */
export const unreadable = (): Uint8Array => {
  const bytes = encode({ ok: 1, n: 5 });
  bytes[bytes.indexOf('n'.charCodeAt(0)) - 1] = 0x99;
  return bytes;
};

export const platform: Platform = {
  os: { type: 'Linux', name: 'linux', architecture: 'x64', version: '6.1' },
  runtime: 'Node.js v20.20.2, LE',
};

export const host: Host = { environment: () => undefined };

export const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

export interface StageOptions {
  readonly options?: Partial<ConnectionOptions>;
  readonly platform?: Platform;
  readonly host?: Host;
  readonly compressors?: readonly Compressor[];
  readonly wants?: readonly EventName[];
  readonly authenticator?: Authenticator;
}

export const createStage = (given: StageOptions = {}) => {
  const clock = new HandClock();
  const wire = createWire({ bson, compressors: given.compressors ?? [] });
  const events: DriverEvent[] = [];
  const asked: EventName[] = [];
  const sink: EventSink = {
    wants: name => {
      asked.push(name);
      return given.wants?.includes(name) ?? false;
    },
    emit: event => void events.push(event),
  };
  const peers: Peer[] = [];
  const transport: Transport = {
    connect: () => {
      const peer = new Peer(frame => wire.document(frame));
      peers.push(peer);
      const socket: Socket = {
        readsAhead: false,
        listen: s => void (peer.sink = s),
        write: bytes => {
          peer.frames.push(Buffer.from(bytes));
          peer.memory = bytes.buffer;
          return peer.flowing;
        },
        end: () => {
          peer.close();
        },
        destroy: () => {
          queueMicrotask(() => {
            peer.close();
          });
        },
      };
      return Promise.resolve(socket);
    },
  };
  const connect = createConnect(
    {
      clock,
      transport,
      wire,
      bson,
      events: sink,
      platform: given.platform ?? platform,
      host: given.host ?? host,
      compressors: given.compressors ?? [],
      authenticator: given.authenticator,
    },
    given.options,
  );

  /** Starts to open a connection: the server has received hello and has not answered. */
  const dial = async (how: Partial<ConnectOptions> = {}): Promise<{ peer: Peer; connecting: Promise<Connection> }> => {
    const connecting = connect('db:27017', { use: 'operations', id: 1, deadline: Infinity, ...how });
    connecting.catch(() => undefined);
    await settle();
    return { peer: peers.at(-1)!, connecting };
  };
  /** Opens a connection and completes its handshake. */
  const open = async (
    how: Partial<ConnectOptions> = {},
    hello: Document = HELLO,
  ): Promise<{ peer: Peer; connection: Connection }> => {
    const { peer, connecting } = await dial(how);
    peer.reply(hello);
    const connection = await connecting;
    peer.frames.length = 0;
    asked.length = 0;
    return { peer, connection };
  };
  return { clock, connect, dial, open, events, asked, peers, wire };
};

/** A message that writes a command and records every call that it receives, in order. */
export class Note implements Message {
  readonly db: string = 'test';
  readonly name: string;
  readonly operationId: number = 5;
  readonly answer: Message['answer'];
  readonly received: unknown[] = [];
  readonly command: Document;
  readonly sequence: readonly Document[] | undefined;
  onReply: (reply: Reply) => void = () => undefined;
  onEnd: () => void = () => undefined;
  error: MongoError | undefined;

  constructor(
    command: Document = { ping: 1 },
    how: { readonly answer?: Message['answer']; readonly sequence?: readonly Document[] } = {},
  ) {
    this.command = command;
    this.name = Object.keys(command)[0]!;
    this.answer = how.answer ?? 'one';
    this.sequence = how.sequence;
  }
  body(writer: Parameters<Message['body']>[0]): void {
    writer.fields({ ...this.command, $db: this.db });
  }
  sections(writer: Parameters<NonNullable<Message['sections']>>[0]): void {
    if (this.sequence === undefined) return;
    writer.section('documents');
    for (const document of this.sequence) writer.document(document);
  }
  reply(reply: Reply): void {
    this.received.push(reply.document());
    this.onReply(reply);
  }
  end(): void {
    this.received.push('end');
    this.onEnd();
  }
  fail(error: MongoError): void {
    this.error = error;
    this.received.push(`fail: ${error.kind}`);
  }
}

export { decode, encode };
