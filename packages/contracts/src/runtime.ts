/** Every source of nondeterminism is injected: time, chance, names, sockets. One Runtime is one world, real or simulated. */
import type { Raw } from './values.js';

/** `host:port`, `[::1]:27017`, or the path of a unix socket (it ends in `.sock`). Host names are in lower case. */
export type Address = string;

/** Milliseconds. As a deadline: a point on {@link Clock.now}; `Infinity` is no limit. */
export type Millis = number;

/** The value itself when nothing is to be waited for. Never thrown synchronously: a failure is a rejected promise. */
export type Soon<T> = T | Promise<T>;

/** The part of `AbortSignal` that is used: an `AbortSignal` fits. */
export interface Signal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Monotonic; its zero means nothing. */
  now(): Millis;
  /** Milliseconds since 1970 in UTC, as `Date.now()`. */
  wallTime(): number;
  /**
   * Fires once, never in the same turn. It keeps the process alive, as an open socket does, unless it is in the
   * background: housekeeping, or a limit on what already keeps the process alive.
   */
  startTimer(after: Millis, fire: () => void, options?: { readonly background?: boolean }): Timer;
  /** Resolves after that time. Rejects with the signal's reason when it aborts. */
  sleep(duration: Millis, signal?: Signal): Promise<void>;
}

export interface Random {
  /** Uniform in [0, 1). Good enough for jitter, not for secrets. */
  unit(): number;
  /** Fit for nonces and session ids. */
  bytes(length: number): Uint8Array;
  /**
   * Calls back in every process that starts as a copy of this one (a startup snapshot): what was drawn before is no
   * longer its own. Left out where no process can be copied.
   */
  onCopied?(renew: () => void): void;
}

export type HashName = 'md5' | 'sha1' | 'sha256';

export interface Crypto {
  hash(name: HashName, data: Raw): Raw;
  hmac(name: HashName, key: Raw, data: Raw): Raw;
  /** Runs on a thread pool where there is one; a thread pool is a scheduler too. */
  pbkdf2(name: HashName, password: Raw, salt: Raw, iterations: number, length: number): Promise<Raw>;
}

export interface SrvRecord {
  readonly host: string;
  readonly port: number;
  /** How long it holds good, where the host's resolver tells it; that of Node.js does not. */
  readonly timeToLive?: Millis | undefined;
}

export interface Resolver {
  srv(name: string): Promise<readonly SrvRecord[]>;
  /** One entry per record; a record is a list of strings. */
  txt(name: string): Promise<readonly (readonly string[])[]>;
}

/** Whoever reads from a socket. Bytes land in the sink's own memory. */
export interface SocketSink {
  /** Where the next bytes go; asked for before each read, at least one byte long. */
  room(): Uint8Array;
  /** So many bytes now stand at the start of the last room. */
  filled(length: number): void;
  /** What was written has left; called only after a `write` that answered false. */
  drained(): void;
  /** Called once, last. Without a cause the peer ended the stream in order, or `destroy` was called. */
  closed(cause?: unknown): void;
}

export interface Socket {
  /** True if room is asked for before bytes arrive, so that two sockets must not share it. */
  readonly readsAhead: boolean;
  /** Of an accepted socket with TLS: the subject of the certificate that the peer showed and that was verified, as RFC 2253 writes it. */
  readonly peerSubject?: string | undefined;
  /** Of an accepted socket with TLS: the subject of the certificate that was shown to the peer, written likewise. */
  readonly ownSubject?: string | undefined;
  /** Called once, at once after the socket was handed over; no byte is lost before. */
  listen(sink: SocketSink): void;
  /**
   * True: the bytes must not change until the socket is closed. False: until `drained` is called; wait for it before writing
   * much more.
   */
  write(bytes: Uint8Array): boolean;
  /** Sends what was written, then closes. */
  end(): void;
  /** Closes at once; what was not sent is lost. */
  destroy(): void;
  /** As `destroy`, and the peer sees a reset and no end of the stream; where sockets have no resets it is left out. */
  reset?(): void;
  /**
   * Reads no more until `resume`: what the peer sends waits on its side. That the peer is gone may be heard of only then.
   * Sockets that cannot wait leave out both.
   */
  pause?(): void;
  resume?(): void;
}

/**
 * How a connection is encrypted. One object serves all connections of a client: a transport keeps what it made of it, the
 * files that it read and the sessions that it may resume.
 */
export interface TlsSettings {
  /** Paths of PEM files: authorities to trust, a certificate with its private key, revoked certificates. */
  readonly caFile?: string | undefined;
  readonly certificateKeyFile?: string | undefined;
  readonly certificateKeyFilePassword?: string | undefined;
  readonly crlFile?: string | undefined;
  /** Whoever answers is believed to be the server. */
  readonly allowInvalidCertificates: boolean;
  /** The certificate may be that of another host. */
  readonly allowInvalidHostnames: boolean;
  /** In the words of the host, on Node.js those of `tls.connect`: `ca`, `cert`, `key`, `servername`. They go before the others. */
  readonly native: Readonly<Record<string, unknown>>;
}

/** A SOCKS5 proxy. Rule: SOCKS5 Support. */
export interface ProxySettings {
  readonly host: string;
  readonly port: number;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

export interface TransportOptions {
  readonly deadline: Millis;
  readonly signal?: Signal | undefined;
  readonly tls?: TlsSettings | undefined;
  /** Resolves the host's name and connects in our place, except to unix sockets. */
  readonly proxy?: ProxySettings | undefined;
}

export interface Transport {
  /**
   * @throws MongoError `network` or `timeout` with `origin.phase` `resolve`, `proxy`, `connect` or `tls`; `protocol` with `tls`
   * if the two ends do not come to terms: a certificate that is not trusted, a peer that speaks no TLS; `usage` for settings
   * that cannot be used, such as a file that is not there; `aborted` if the signal did.
   */
  connect(to: Address, options: TransportOptions): Promise<Socket>;
}

export interface Listening {
  /** The address with the port that was really bound. */
  readonly address: Address;
  /** Accepts no more; open sockets stay open. */
  close(): Promise<void>;
}

export interface Listener {
  /** Port 0 asks for a free one. */
  listen(at: Address, accept: (socket: Socket) => void): Promise<Listening>;
}

/** A stream of the host, as far as whoever made it uses it. */
export interface HostStream {
  /** Tells those who listen at the stream. */
  emit(name: string, value: unknown): unknown;
  /** Ends it before its time; with a cause, its listeners are told that. */
  destroy(cause?: unknown): unknown;
}

/** Where the bytes go that are written to a stream. Calls do not overlap: the next one waits for the one before. */
export interface StreamSink {
  /** The bytes are the writer's again once this has settled. */
  write(bytes: Uint8Array): Soon<void>;
  /** Everything was written. */
  end(): Promise<void>;
}

/** Streams as the host knows them: on Node.js `stream.Readable` and `stream.Writable`. */
export interface Streams {
  /**
   * Pulls from the iterable as the stream is read; destroying it calls the iterator's `return`.
   * @param options.bytes it is a stream of bytes, and the iterable gives `Uint8Array`; otherwise one of values.
   * @param options.readsAhead false: pulls a value only when the reader asks for it. Default true.
   */
  readable(
    from: AsyncIterable<unknown>,
    options?: { readonly bytes?: boolean; readonly readsAhead?: boolean },
  ): HostStream;
  /** Whoever writes faster than the sink takes is told to wait; what the sink throws ends the stream. */
  writable(into: StreamSink): HostStream;
}

/** What a driver tells the server about where it runs. Rule: MongoDB Handshake, "client" document. */
export interface Platform {
  readonly os: {
    readonly type: string;
    readonly name?: string;
    readonly architecture?: string;
    readonly version?: string;
  };
  /** For example `Node.js v20.20.2, LE`. */
  readonly runtime: string;
  /** What the process is packed in, where that can be told: `docker`. */
  readonly container?: string | undefined;
  /** A variable of the environment, undefined where there is none. */
  environment(name: string): string | undefined;
  /** Tells whoever runs the program what is odd but no error; absent where nobody can be told. */
  warn?(sentence: string): void;
  /**
   * Where lines of a log go: `stdout`, `stderr`, else the path of a file, which is appended to; absent where there is none
   * of them. The function takes a whole line without its end. Both throw if that place cannot be written to.
   */
  openLog?(path: string): (line: string) => void;
  /** A whole file as text; absent where there are no files. Rejects if it cannot be read. */
  readText?(path: string): Promise<string>;
  /** A value that follows calls; absent where the host cannot follow one through what it waits for. */
  createScope?<T>(): Scope<T>;
}

/** One value per call, seen from everything that the call does and waits for. */
export interface Scope<T> {
  run<R>(value: T, call: () => R): R;
  /** That of the innermost call of `run` around this one. */
  current(): T | undefined;
}

export interface Runtime {
  readonly clock: Clock;
  readonly random: Random;
  readonly crypto: Crypto;
  readonly resolver: Resolver;
  readonly transport: Transport;
  readonly listener: Listener;
  readonly streams: Streams;
  readonly platform: Platform;
  readonly compressors: readonly Compressor[];
}

/** One algorithm of OP_COMPRESSED. Rule: OP_COMPRESSED, "compressor ids": 0 noop, 1 snappy, 2 zlib, 3 zstd. */
export interface Compressor {
  readonly id: number;
  readonly name: string;
  compress(bytes: Raw): Soon<Raw>;
  /** @throws MongoError `protocol` unless the result is exactly `size` bytes long. */
  decompress(bytes: Raw, size: number): Soon<Raw>;
}
