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

export interface ConnectOptions {
  /** Monitors neither authenticate nor compress, and their commands are no events. */
  readonly use: 'operations' | 'monitor';
  /** Unique in its pool, from 1. Rule: CMAP, "Connection". */
  readonly id: number;
  readonly deadline: Millis;
  /**
   * How long each command of the authentication may take; the deadline is then that of the socket and of hello.
   * Rule: Client Side Operations Timeout, "Background Connection Pooling"; its test `command-execution` for hello.
   */
  readonly commandLimit?: Millis | undefined;
  readonly signal?: Signal | undefined;
  /** Called once if the connection closes while it is idle after the handshake. */
  readonly ended?: (() => void) | undefined;
}

/** A connection, its handshake done. @throws MongoError with `origin.phase` from `resolve` to `auth`. */
export type Connect = (to: Address, options: ConnectOptions) => Promise<Connection>;

export interface ConnectDeps {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly wire: WireCodec;
  readonly bson: BsonCodec;
  readonly events: EventSink;
  readonly platform: Platform;
  readonly host: Pick<Host, 'environment'>;
  /** The available compressors; `options.compressors` names those to offer. */
  readonly compressors: readonly Compressor[];
  /** Authenticates connections. Monitors do not authenticate. */
  readonly authenticator?: Authenticator | undefined;
}

/** Rule: Stable API. */
export interface ServerApi {
  readonly version: string;
  /** Refuse commands that are not part of this version. */
  readonly strict?: boolean | undefined;
  /** Refuse commands that later versions will not have. */
  readonly deprecationErrors?: boolean | undefined;
}

export interface MetadataOptions {
  readonly appName?: string | undefined;
  /** This driver. */
  readonly driver: { readonly name: string; readonly version: string };
  /** Libraries built on the driver, innermost first. New connections also send entries that are appended later. */
  readonly driverInfo: readonly DriverInfo[];
}

/** The options of clients that say how to reach a server, under their official names. */
export interface TransportSettings {
  readonly tls?: boolean | undefined;
  readonly tlsCAFile?: string | undefined;
  readonly tlsCertificateKeyFile?: string | undefined;
  readonly tlsCertificateKeyFilePassword?: string | undefined;
  readonly tlsCRLFile?: string | undefined;
  readonly tlsAllowInvalidCertificates?: boolean | undefined;
  readonly tlsAllowInvalidHostnames?: boolean | undefined;
  /** Both of the two before. */
  readonly tlsInsecure?: boolean | undefined;
  readonly proxyHost?: string | undefined;
  readonly proxyPort?: number | undefined;
  readonly proxyUsername?: string | undefined;
  readonly proxyPassword?: string | undefined;
}

export interface ConnectionOptions extends MetadataOptions, TransportSettings {
  /** Names of the compressors to offer, the dearest first; unknown ones are passed over. Rule: OP_COMPRESSED, "compressors". */
  readonly compressors: readonly string[];
  /** The version alone, or more. */
  readonly serverApi?: ServerApi | string | undefined;
  readonly loadBalanced: boolean;
  /**
   * How long the answer to a command may take; 0 is no limit. A command's own deadline takes its place.
   * Rule: URI Options; Client Side Operations Timeout, "Validation and Overrides".
   */
  readonly socketTimeoutMS: Millis;
  /** How long the late reply to a command that was given up may take until the connection is closed instead. */
  readonly drainLimit: Millis;
}

/** Makes the `Connect` of a client. @throws MongoError `usage` for options that servers would refuse */
export type CreateConnect = (deps: ConnectDeps, options: Partial<ConnectionOptions>) => Connect;
