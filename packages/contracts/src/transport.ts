import type { Millis, Signal } from './clock.js';

/** A server address: `host:port`, `[::1]:27017`, or the path of a Unix domain socket (ends in `.sock`). Host names are in lower case. */
export type Address = string;

/** Receives the bytes and events of one socket. The socket writes into memory that the sink provides. */
export interface SocketSink {
  /** Returns memory for the next bytes, at least one byte long. Called before each read. */
  room(): Uint8Array;
  /** Called when `length` bytes were written at the start of the memory that `room` last returned. */
  filled(length: number): void;
  /** Called when all written bytes were sent. Only called after a `write` that returned false. */
  drained(): void;
  /**
   * Called once; no other call follows. `cause` is the error that closed the socket. It is undefined if the peer ended the
   * stream normally or `destroy` was called.
   */
  closed(cause?: unknown): void;
}

/** A connected byte stream: TCP or a Unix domain socket, with or without TLS. */
export interface Socket {
  /**
   * True if the socket calls `room` before bytes have arrived, and keeps that memory. Then two sockets must not share
   * memory.
   */
  readonly readsAhead: boolean;
  /** On an accepted TLS socket: the subject of the peer's verified certificate, as an RFC 2253 string. */
  readonly peerSubject?: string | undefined;
  /** On an accepted TLS socket: the subject of this side's own certificate, as an RFC 2253 string. */
  readonly ownSubject?: string | undefined;
  /**
   * Starts reading into the sink. Call it once, in the turn of the event loop in which `connect` resolved or `accept` was called.
   * Bytes that arrived before are not lost.
   */
  listen(sink: SocketSink): void;
  /**
   * Sends bytes, after all bytes written before. If it returns false, do not change the bytes and do not write much more until
   * `drained` is called. If it returns true, do not change the bytes until the socket closes: they may wait to be sent, and no call
   * reports when they are.
   */
  write(bytes: Uint8Array): boolean;
  /** Sends the written bytes, then closes. */
  end(): void;
  /** Closes immediately. Bytes that were not sent yet are lost. */
  destroy(): void;
  /** Closes immediately, and the peer sees a connection reset instead of a normal end. Absent if the host cannot reset sockets. */
  reset?(): void;
  /**
   * Stops reading until `resume`, so that further bytes stay with the peer. A disconnect may not be noticed before
   * `resume`. Absent, together with `resume`, if the socket cannot stop reading.
   */
  pause?(): void;
  /** Reads again after `pause`. */
  resume?(): void;
}

/**
 * The TLS settings of connections. All connections of a client share one object. A transport can use the object as a cache key, for
 * the files that it has read and for the TLS sessions that it can resume.
 */
export interface TlsSettings {
  /** The path of a PEM file with the certificate authorities to trust. */
  readonly caFile?: string | undefined;
  /** The path of a PEM file with the client's certificate and private key. */
  readonly certificateKeyFile?: string | undefined;
  /** The password of the private key in `certificateKeyFile`. */
  readonly certificateKeyFilePassword?: string | undefined;
  /** The path of a PEM file with revoked certificates. */
  readonly crlFile?: string | undefined;
  /** Accepts every certificate. */
  readonly allowInvalidCertificates: boolean;
  /** Accepts a certificate that was issued for another host name. */
  readonly allowInvalidHostnames: boolean;
  /**
   * Options of the host's TLS library, on Node.js of `tls.connect`: `ca`, `cert`, `key`, `servername`. They override the other
   * settings.
   */
  readonly native: Readonly<Record<string, unknown>>;
}

/** A SOCKS5 proxy. Rule: SOCKS5 Support. */
export interface ProxySettings {
  /** The host name or IP address of the SOCKS5 proxy. */
  readonly host: string;
  /** The port of the proxy. */
  readonly port: number;
  /** The user name at the proxy. Undefined: the proxy needs no login. */
  readonly username?: string | undefined;
  /** The password at the proxy. */
  readonly password?: string | undefined;
}

/** Options of one call of {@link Transport.connect}. */
export interface TransportOptions {
  /** When the socket must be ready, TLS handshake included. A point in time on {@link Clock.now}. */
  readonly deadline: Millis;
  /** Ends the attempt to connect. */
  readonly signal?: Signal | undefined;
  /** Undefined: no encryption. */
  readonly tls?: TlsSettings | undefined;
  /** The proxy resolves the host name and connects on behalf of the driver. Unix domain sockets do not use it. */
  readonly proxy?: ProxySettings | undefined;
}

/** Opens sockets to servers. */
export interface Transport {
  /**
   * Opens a socket and resolves when it is ready for use: connected, through the proxy if there is one, and with a completed TLS
   * handshake if `tls` is set. Errors have `origin.phase` `resolve`, `proxy`, `connect` or `tls`.
   *
   * Kinds of errors: `network` if the server cannot be reached, or if the connection closes during the TLS handshake. `protocol` if a
   * certificate is not trusted, or if the peer does not support TLS. `usage` for invalid settings, such as a missing file.
   * @throws MongoError of these kinds, `timeout` after the deadline, or `aborted` if the signal aborts
   */
  connect(to: Address, options: TransportOptions): Promise<Socket>;
}

/** A port that accepts connections. */
export interface Listening {
  /** The bound address, with the actual port. */
  readonly address: Address;
  /** Stops accepting connections. Open sockets stay open. */
  close(): Promise<void>;
}

/** A limit of open connections, for listeners that perform a TLS handshake before they call `accept`. */
export interface ListenLimit {
  /** The maximum number of open connections of the address, including connections whose handshake has not ended. */
  readonly most: number;
  /** Called for each connection that the listener closes because of the limit. */
  readonly refused?: () => void;
}

/** Accepts connections, for servers. The driver itself does not use it. */
export interface Listener {
  /**
   * Binds an address and calls `accept` for each new socket. Port 0 means any free port. A listener with TLS applies the
   * limit. Others may ignore it, because `accept` can close sockets.
   */
  listen(at: Address, accept: (socket: Socket) => void, limit?: ListenLimit): Promise<Listening>;
}
