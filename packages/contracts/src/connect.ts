import type { Authenticator } from './authenticator.js';
import type { Clock, Millis, Signal } from './clock.js';
import type { BsonCodec } from './codec.js';
import type { Compressor } from './compressor.js';
import type { Connection } from './connection.js';
import type { DriverInfo } from './driver-info.js';
import type { EventSink } from './events.js';
import type { Host } from './host.js';
import type { Platform } from './platform.js';
import type { Address, Transport } from './transport.js';
import type { WireCodec } from './wire.js';

/** Options of one connection. */
export interface ConnectOptions {
  /**
   * Whether operations or a monitor use the connection. Connections of monitors do not authenticate, compress or emit command
   * events.
   */
  readonly use: 'operations' | 'monitor';
  /** Unique in its pool, counted from 1. Rule: Connection Monitoring and Pooling, "Connection". */
  readonly id: number;
  /** When the connection must be ready for use. A point in time on {@link Clock.now}. */
  readonly deadline: Millis;
  /**
   * How long each command of the authentication may take, in milliseconds. If set, `deadline` only limits opening the socket
   * and the hello command. Undefined: `deadline` limits everything. Rule: Client Side Operations Timeout, "Background
   * Connection Pooling".
   */
  readonly commandLimit?: Millis | undefined;
  /** Ends the handshake and closes the socket. */
  readonly signal?: Signal | undefined;
  /** Called once if the connection closes while it is idle after the handshake. */
  readonly ended?: (() => void) | undefined;
}

/**
 * Opens a connection and completes its handshake: hello, compression, authentication.
 * @throws MongoError with `origin.phase` `resolve`, `proxy`, `connect`, `tls`, `hello` or `auth`
 */
export type Connect = (to: Address, options: ConnectOptions) => Promise<Connection>;

/** The dependencies of connections. */
export interface ConnectDeps {
  /** Times handshakes, round trips and deadlines. */
  readonly clock: Clock;
  /** Opens sockets. */
  readonly transport: Transport;
  /** Creates the messages and reads them. */
  readonly wire: WireCodec;
  /** Encodes commands and decodes replies. */
  readonly bson: BsonCodec;
  /** Receives the events of commands. */
  readonly events: EventSink;
  /** The runtime and operating system for the metadata of the handshake. */
  readonly platform: Platform;
  /** The environment variables from which the metadata name the cloud function or container. */
  readonly host: Pick<Host, 'environment'>;
  /** The available compressors. `options.compressors` names the compressors to offer to servers. */
  readonly compressors: readonly Compressor[];
  /** Authenticates connections. Monitors do not authenticate. */
  readonly authenticator?: Authenticator | undefined;
}

/** The Stable API version that every command declares to the server. Rule: Stable API. */
export interface ServerApi {
  /** The version, such as `1`. */
  readonly version: string;
  /** Whether the server rejects commands that are not part of this version. Undefined: the server's default. */
  readonly strict?: boolean | undefined;
  /** Whether the server rejects commands that are deprecated in this version. Undefined: the server's default. */
  readonly deprecationErrors?: boolean | undefined;
}

/** The application, driver and libraries in the `client` document of the handshake. Rule: MongoDB Handshake. */
export interface MetadataOptions {
  /** The name of the application. Servers write it to their logs. At most 128 bytes. */
  readonly appName?: string | undefined;
  /** The name and version of this driver. */
  readonly driver: { readonly name: string; readonly version: string };
  /**
   * Libraries built on the driver. The library that calls the driver directly comes first. Entries that are appended to this
   * list later are sent by connections that open after that.
   */
  readonly driverInfo: readonly DriverInfo[];
}

/** Client options for TLS and SOCKS5 proxies, with the names that they have in connection strings. Rule: URI Options. */
export interface TransportSettings {
  /** Whether connections use TLS. Default false; true for `mongodb+srv:`. */
  readonly tls?: boolean | undefined;
  /** The path of a PEM file with the certificate authorities to trust. Default: those of the host. */
  readonly tlsCAFile?: string | undefined;
  /** The path of a PEM file with the client's certificate and private key. */
  readonly tlsCertificateKeyFile?: string | undefined;
  /** The password of the private key. Non-enumerable. */
  readonly tlsCertificateKeyFilePassword?: string | undefined;
  /** The path of a PEM file with revoked certificates. */
  readonly tlsCRLFile?: string | undefined;
  /** Whether to accept a server's certificate that cannot be verified. Default false. Insecure. */
  readonly tlsAllowInvalidCertificates?: boolean | undefined;
  /** Whether to accept a certificate for another host name. Default false. Insecure. */
  readonly tlsAllowInvalidHostnames?: boolean | undefined;
  /** The default of tlsAllowInvalidCertificates and tlsAllowInvalidHostnames. Default false. Insecure. */
  readonly tlsInsecure?: boolean | undefined;
  /** The host name or IP address of a SOCKS5 proxy. Default: no proxy. */
  readonly proxyHost?: string | undefined;
  /** The port of the proxy. Default 1080. */
  readonly proxyPort?: number | undefined;
  /** The user name at the proxy. Requires `proxyPassword`. */
  readonly proxyUsername?: string | undefined;
  /** The password at the proxy. Non-enumerable. */
  readonly proxyPassword?: string | undefined;
}

/** Client options that concern connections. */
export interface ConnectionOptions extends MetadataOptions, TransportSettings {
  /**
   * Names of the compressors to offer, in order of preference. Unknown names are ignored. Default: none. Rule: OP_COMPRESSED,
   * "compressors".
   */
  readonly compressors: readonly string[];
  /** The Stable API version as a string, or an object with further settings. Undefined: commands declare no version. */
  readonly serverApi?: ServerApi | string | undefined;
  /** Whether the server is a load balancer. Default false. Rule: Load Balancers. */
  readonly loadBalanced: boolean;
  /**
   * How long the reply to a command may take; 0 means no limit. The deadline of a command overrides it. Default 0.
   * Rule: URI Options; Client Side Operations Timeout, "Validation and Overrides".
   */
  readonly socketTimeoutMS: Millis;
  /** How long a connection waits for the late reply of a canceled or timed out command before it closes. Default 1000 ms. */
  readonly drainLimit: Millis;
}

/**
 * Creates the function that opens the connections of a client. The options can also have the undeclared options that `nativeTls` names,
 * such as `ca`. The secrets in the options, such as `proxyPassword` and
 * `tlsCertificateKeyFilePassword`, are non-enumerable: read them from the object itself, because a spread copy lacks them.
 * @throws MongoError `usage` for options that servers would reject
 */
export type CreateConnect = (deps: ConnectDeps, options: Partial<ConnectionOptions>) => Connect;
