import type { AuthMechanismProperties } from '@tessera/auth';
import type { BsonOptions, DriverInfo, LogOptions, ServerDescription, TagSet } from '@tessera/contracts';
import type { ReadConcernLike, ReadPreferenceLike, W, WriteConcern, WriteConcernSettings } from './concerns.js';
import type { PkFactory } from './resolved-options.js';

type TlsData = string | Uint8Array | readonly (string | Uint8Array)[];

/** How connections are encrypted. Files are PEM; what is not a file is handed on to the host, as `tls.connect` knows it. */
export interface TlsOptions {
  readonly tls?: boolean | undefined;
  readonly ssl?: boolean | undefined;
  readonly tlsCAFile?: string | undefined;
  readonly tlsCertificateKeyFile?: string | undefined;
  readonly tlsCertificateKeyFilePassword?: string | undefined;
  readonly tlsCRLFile?: string | undefined;
  readonly tlsAllowInvalidCertificates?: boolean | undefined;
  readonly tlsAllowInvalidHostnames?: boolean | undefined;
  /** Both of the two before. */
  readonly tlsInsecure?: boolean | undefined;
  /** Nothing is asked of OCSP servers, with or without it. */
  readonly tlsDisableOCSPEndpointCheck?: boolean | undefined;
  readonly tlsDisableCertificateRevocationCheck?: boolean | undefined;
  readonly ca?: TlsData | undefined;
  readonly cert?: TlsData | undefined;
  readonly key?: TlsData | undefined;
  readonly pfx?: TlsData | undefined;
  readonly passphrase?: string | undefined;
  readonly crl?: TlsData | undefined;
  /** Instead of the name of the host, for SNI and for the certificate. */
  readonly servername?: string | undefined;
  readonly checkServerIdentity?: ((host: string, certificate: never) => Error | undefined) | undefined;
  readonly rejectUnauthorized?: boolean | undefined;
  readonly secureContext?: unknown;
  readonly secureProtocol?: string | undefined;
  readonly minVersion?: string | undefined;
  readonly maxVersion?: string | undefined;
  readonly ciphers?: string | undefined;
  readonly ecdhCurve?: string | undefined;
  readonly minDHSize?: number | undefined;
  readonly allowPartialTrustChain?: boolean | undefined;
}

/** How servers are reached. */
export interface NetworkOptions extends TlsOptions {
  /** A SOCKS5 proxy, which resolves the hosts' names itself. */
  readonly proxyHost?: string | undefined;
  /** 1080 by default. */
  readonly proxyPort?: number | undefined;
  readonly proxyUsername?: string | undefined;
  readonly proxyPassword?: string | undefined;
  readonly srvServiceName?: string | undefined;
  /** So many hosts of SRV records at most; 0 is all. */
  readonly srvMaxHosts?: number | undefined;
  /**
   * What each host of an SRV record must end with, such as `.example.com`, in place of the rule that it must be under the same
   * domain. The wider it is, the more hosts can a forged answer of DNS lead to.
   */
  readonly srvAllowedHostsSuffix?: string | undefined;
  /** Judges each host of an SRV record, in lower case, in place of the rule that it must be under the same domain. */
  readonly srvHostValidator?: ((host: string) => boolean) | undefined;
  readonly noDelay?: boolean | undefined;
  readonly keepAliveInitialDelay?: number | undefined;
  /** Only IPv4, only IPv6, or 0 for both. */
  readonly family?: 0 | 4 | 6 | undefined;
  readonly autoSelectFamily?: boolean | undefined;
  readonly autoSelectFamilyAttemptTimeout?: number | undefined;
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
  readonly hints?: number | undefined;
  /** In the shape of `dns.lookup`. */
  readonly lookup?: ((...given: never) => void) | undefined;
}

/** Rule: Stable API. */
export interface ServerApi {
  readonly version: '1';
  /** Refuse commands that are not part of this version. */
  readonly strict?: boolean | undefined;
  /** Refuse commands that later versions will not have. */
  readonly deprecationErrors?: boolean | undefined;
}

/** Options of a client; each may stand in the connection string too, and what stands here goes before it. */
export interface MongoClientOptions extends BsonOptions, LogOptions, NetworkOptions {
  /** In place of that of the connection string: the database of `db()`, and the one in which the user is looked for. */
  readonly dbName?: string | undefined;
  readonly appName?: string | undefined;
  readonly driverInfo?: DriverInfo | undefined;
  /** Of every command: the version of the API, and whether servers are to refuse what is not, or not for ever, part of it. */
  readonly serverApi?: '1' | ServerApi | undefined;
  readonly compressors?: string | readonly string[] | undefined;
  readonly zlibCompressionLevel?: number | undefined;
  readonly connectTimeoutMS?: number | undefined;
  readonly socketTimeoutMS?: number | undefined;
  readonly auth?: { readonly username?: string; readonly password?: string } | undefined;
  readonly authMechanism?: string | undefined;
  readonly authMechanismProperties?: AuthMechanismProperties | undefined;
  readonly authSource?: string | undefined;
  readonly maxPoolSize?: number | undefined;
  readonly minPoolSize?: number | undefined;
  readonly maxConnecting?: number | undefined;
  readonly maxIdleTimeMS?: number | undefined;
  readonly waitQueueTimeoutMS?: number | undefined;
  readonly replicaSet?: string | undefined;
  readonly directConnection?: boolean | undefined;
  readonly loadBalanced?: boolean | undefined;
  readonly heartbeatFrequencyMS?: number | undefined;
  readonly minHeartbeatFrequencyMS?: number | undefined;
  readonly serverMonitoringMode?: 'auto' | 'poll' | 'stream' | undefined;
  readonly serverSelectionTimeoutMS?: number | undefined;
  readonly localThresholdMS?: number | undefined;
  /** Called for each operation with the servers that are suitable, before the latency window. It must not throw. */
  readonly serverSelector?: ((servers: readonly ServerDescription[]) => readonly ServerDescription[]) | undefined;
  readonly readPreference?: ReadPreferenceLike | undefined;
  readonly readPreferenceTags?: readonly TagSet[] | undefined;
  readonly maxStalenessSeconds?: number | undefined;
  readonly readConcern?: ReadConcernLike | undefined;
  readonly readConcernLevel?: string | undefined;
  readonly writeConcern?: WriteConcern | WriteConcernSettings | W | undefined;
  readonly w?: W | undefined;
  readonly wtimeoutMS?: number | undefined;
  readonly journal?: boolean | undefined;
  readonly retryReads?: boolean | undefined;
  readonly retryWrites?: boolean | undefined;
  /** How often an operation is retried once a server was overloaded, each time after a longer wait; 0: not at all. */
  readonly maxAdaptiveRetries?: number | undefined;
  /** After an overloaded server's error another server is tried first, also outside of sharded clusters. */
  readonly enableOverloadRetargeting?: boolean | undefined;
  /** One budget for a whole operation: selection, checkout, connect, all attempts. 0 is no limit. */
  readonly timeoutMS?: number | undefined;
  readonly forceServerObjectId?: boolean | undefined;
  readonly pkFactory?: PkFactory | undefined;
  readonly monitorCommands?: boolean | undefined;
  /**
   * What becomes of an operation without a session within the function of `withTransaction`: `warn` tells it and its place
   * in the program, `fail` refuses it. By default `warn` where `NODE_ENV` is `development`, else `off`.
   */
  readonly detectForgottenSession?: 'off' | 'warn' | 'fail' | undefined;
  /**
   * What happens to an operation that is called while another operation of the same transaction is under way. `queue`, the
   * default: it waits, in the order of the calls, and the client warns once. `fail`: it is rejected with a MongoInvalidArgumentError.
   */
  readonly parallelTransactionOperations?: 'queue' | 'fail' | undefined;
}
