import type { Millis, Signal } from './clock.js';

/** `host:port`, `[::1]:27017`, or the path of a unix socket (it ends in `.sock`). Host names are in lower case. */
export type Address = string;

/** The reader of a socket. Bytes land in the sink's own memory. */
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
  /** Accepts any certificate. */
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
