import type {
  Clock,
  Compressor,
  Listener,
  Millis,
  Random,
  Runtime,
  Signal,
  Socket,
  SocketSink,
} from '@tessera/contracts';
import { parseVersion } from '@tessera/mql/engine';
import { createNode } from '@tessera/node';
import type { Document } from 'bson';
import { BSON, EJSON } from 'bson';
import type { Server, ServerOptions } from '../src/index.js';
import { createServer } from '../src/index.js';
import { Engine } from '../src/engine/engine.js';

/** A clock whose time advances only when a test calls `advance`. */
export class ManualClock implements Clock {
  #now: Millis = 1000;
  #timers: { at: Millis; fire: () => void }[] = [];

  now(): Millis {
    return this.#now;
  }

  wallTime(): number {
    return 1_700_000_000_000 + this.#now;
  }

  startTimer(after: Millis, fire: () => void): { cancel(): void } {
    const timer = { at: this.#now + after, fire };
    this.#timers.push(timer);
    return {
      cancel: () => {
        this.#timers = this.#timers.filter(one => one !== timer);
      },
    };
  }

  sleep(duration: Millis, signal?: Signal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        timer.cancel();
        reject(signal!.reason);
      };
      const timer = this.startTimer(duration, () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      });
      signal?.addEventListener('abort', abort);
    });
  }

  get pending(): number {
    return this.#timers.length;
  }

  async advance(by: Millis): Promise<void> {
    const until = this.#now + by;
    for (;;) {
      const next = this.#timers.filter(timer => timer.at <= until).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#now = next.at;
      this.#timers = this.#timers.filter(timer => timer !== next);
      next.fire();
      await settled();
    }
    this.#now = until;
    await settled();
  }
}

/** Runs pending microtasks, so that replies that need no timer arrive. */
export const settled = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

const seeded = (): Random => {
  let state = 42;
  const unit = (): number => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return state / 0x80000000;
  };
  return { unit, bytes: length => Uint8Array.from({ length }, () => Math.floor(unit() * 256)) };
};

const noListener: Listener = { listen: () => Promise.reject(new Error('The test listener has no ports.')) };

export type TestRuntime = Pick<Runtime, 'crypto' | 'random' | 'listener' | 'compressors'> & {
  readonly clock: ManualClock;
};

export const testRuntime = (compressors: readonly Compressor[] = []): TestRuntime => ({
  clock: new ManualClock(),
  crypto: createNode().crypto,
  random: seeded(),
  listener: noListener,
  compressors,
});

/** Returns the engine of a member without history. */
export const testEngine = (): Engine =>
  new Engine(testRuntime(), {
    version: parseVersion('8.2.1'),
    parameters: {},
    journalInterval: 100,
    oplogSizeMB: 24,
    memoryLimitMB: Number.POSITIVE_INFINITY,
  });

export interface Row {
  readonly [name: string]: unknown;
  readonly _id?: unknown;
}

/**
 * A reply to a command. Replies of `Client.run` keep BSON types, so their numbers are objects: compare them with {@link
 * typed}.
 */
export interface Reply {
  readonly [name: string]: unknown;
  readonly ok: number;
  readonly n: number;
  readonly nModified: number;
  readonly code: number;
  readonly codeName: string;
  readonly errmsg: string;
  readonly cursor: {
    readonly id: unknown;
    readonly ns: string;
    readonly firstBatch: readonly Row[];
    readonly nextBatch: readonly Row[];
  };
  readonly values: readonly unknown[];
  readonly value: Row | null;
  readonly writeErrors: readonly { readonly code: number; readonly errmsg: string }[];
  /** The session id in a reply to `startSession`. */
  readonly id: { readonly id: unknown };
  readonly numIndexesAfter: number;
}

export interface Received {
  readonly requestId: number;
  readonly responseTo: number;
  readonly opCode: number;
  readonly flags: number;
  readonly bytes: Uint8Array;
  /** The reply document, with BSON types kept. */
  readonly doc: Reply;
}

const receivedOf = (bytes: Uint8Array): Received => {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const opCode = view.getInt32(12, true);
  const from = opCode === 1 ? 36 : opCode === 2013 ? 21 : bytes.length;
  const length = from < bytes.length ? view.getInt32(from, true) : 0;
  return {
    requestId: view.getInt32(4, true),
    responseTo: view.getInt32(8, true),
    opCode,
    flags: view.getInt32(16, true),
    bytes,
    doc: (length === 0
      ? {}
      : BSON.deserialize(bytes.subarray(from, from + length), { promoteValues: false })) as unknown as Reply,
  };
};

const concat = (...parts: readonly Uint8Array[]): Uint8Array => {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

const int32 = (...numbers: readonly number[]): Uint8Array => {
  const bytes = new Uint8Array(4 * numbers.length);
  numbers.forEach((n, i) => {
    new DataView(bytes.buffer).setInt32(4 * i, n, true);
  });
  return bytes;
};

const cstring = (text: string): Uint8Array => concat(new TextEncoder().encode(text), Uint8Array.of(0));

export const frameOf = (requestId: number, opCode: number, content: Uint8Array): Uint8Array =>
  concat(int32(content.length + 16, requestId, 0, opCode), content);

export const sequenceOf = (name: string, docs: readonly Document[]): Uint8Array => {
  const content = concat(cstring(name), ...docs.map(doc => BSON.serialize(doc)));
  return concat(Uint8Array.of(1), int32(content.length + 4), content);
};

export const msgOf = (requestId: number, doc: Document, flags = 0, ...sequences: readonly Uint8Array[]): Uint8Array =>
  frameOf(requestId, 2013, concat(int32(flags), Uint8Array.of(0), BSON.serialize(doc), ...sequences));

export const queryOf = (requestId: number, ns: string, doc: Document, toReturn = -1): Uint8Array =>
  frameOf(requestId, 2004, concat(int32(0), cstring(ns), int32(0, toReturn), BSON.serialize(doc)));

/**
 * The client end of a connection to a server in the same process. Copies all bytes, and can send them in pieces of any
 * size.
 */
export class Client implements Socket {
  readonly readsAhead = false;
  readonly peerSubject: string | undefined;
  readonly received: Received[] = [];
  closed = false;
  /** The return value of `write`: false makes the server wait for `drain`. */
  reads = true;
  #sink!: SocketSink;
  #pieces: Uint8Array[] = [];
  #waiting: (() => void)[] = [];
  #requestId = 0;

  /** @param peerSubject the subject of the client certificate that the connection presents */
  constructor(server: Pick<Server, 'accept'>, peerSubject?: string) {
    this.peerSubject = peerSubject;
    server.accept(this);
  }

  listen(sink: SocketSink): void {
    this.#sink = sink;
  }

  write(bytes: Uint8Array): boolean {
    this.#pieces.push(bytes.slice());
    const all = concat(...this.#pieces);
    const length = new DataView(all.buffer).getInt32(0, true);
    if (all.length >= length) {
      this.received.push(receivedOf(all.subarray(0, length)));
      this.#pieces = all.length > length ? [all.slice(length)] : [];
    }
    for (const wake of this.#waiting.splice(0)) wake();
    return this.reads;
  }

  end(): void {
    this.destroy();
  }

  destroy(): void {
    if (this.closed) return;
    this.closed = true;
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Closes the connection from the client's side. */
  hangUp(): void {
    this.closed = true;
    this.#sink.closed();
  }

  drain(): void {
    this.reads = true;
    this.#sink.drained();
  }

  send(bytes: Uint8Array, piece: number = bytes.length): void {
    for (let at = 0; at < bytes.length && !this.closed;) {
      const room = this.#sink.room();
      const part = bytes.subarray(at, at + Math.min(piece, room.length));
      room.set(part);
      this.#sink.filled(part.length);
      at += part.length;
    }
  }

  nextId(): number {
    return ++this.#requestId;
  }

  /** Returns the oldest reply that was not returned yet, and waits for it if needed. */
  async next(): Promise<Received> {
    while (this.received.length === 0) {
      if (this.closed) throw new Error('The connection was closed');
      await new Promise<void>(resolve => this.#waiting.push(resolve));
    }
    return this.received.shift()!;
  }

  /** Runs a command and returns the reply with BSON types kept: compare it with {@link typed}. */
  async run(command: Document, db = 'db'): Promise<Reply> {
    this.send(msgOf(this.nextId(), { ...command, $db: db }));
    return (await this.next()).doc;
  }

  /** Runs a command and returns the reply as plain JavaScript values. */
  async plain(command: Document, db = 'db'): Promise<Reply> {
    this.send(msgOf(this.nextId(), { ...command, $db: db }));
    const { bytes } = await this.next();
    return BSON.deserialize(bytes.subarray(21)) as unknown as Reply;
  }

  /** Runs a command that must fail and returns its error as `"<code> <message>"`. */
  async refusal(command: Document, db = 'db'): Promise<string> {
    const { ok, code, errmsg } = await this.plain(command, db);
    return ok === 0 ? `${code} ${errmsg}` : `no error: the reply has ok: ${ok}`;
  }
}

/** Formats a document as canonical Extended JSON, which shows number types and the order of fields. */
export const typed = (doc: unknown): string => EJSON.stringify(doc, { relaxed: false });

export interface World {
  readonly server: Server;
  readonly clock: ManualClock;
  readonly client: Client;
}

export const world = (options: ServerOptions = {}, compressors: readonly Compressor[] = []): World => {
  const runtime = testRuntime(compressors);
  const server = createServer(runtime, options);
  return { server, clock: runtime.clock, client: new Client(server) };
};
