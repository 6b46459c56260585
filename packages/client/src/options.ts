import type { AuthMechanismProperties } from '@tessera/auth';
import type { BsonOptions, DriverInfo, LogOptions, ServerDescription, TagSet } from '@tessera/contracts';
import type { ReadConcernLike, ReadPreferenceLike, W, WriteConcern, WriteConcernSettings } from './concerns.js';
import type { CompressorName } from './named-values.js';
import type { PkFactory } from './resolved-options.js';
import type { UndefinedInFilters } from './undefined-in-filters.js';

type TlsData = string | Uint8Array | readonly (string | Uint8Array)[];

/** Options of TLS. The defaults are those of `@tessera/node`; other runtimes may support fewer options. */
export interface TlsOptions {
  /** Encrypts connections with TLS. Default: false, but true for `mongodb+srv`. */
  tls?: boolean | undefined;
  /** Another name of `tls`. */
  ssl?: boolean | undefined;
  /** The path of a PEM file with certificates of trusted authorities. Default: those of Node.js. */
  tlsCAFile?: string | undefined;
  /** The path of a PEM file with the client's certificate and key. */
  tlsCertificateKeyFile?: string | undefined;
  /** The password of the key in `tlsCertificateKeyFile`. */
  tlsCertificateKeyFilePassword?: string | undefined;
  /** The path of a PEM file with certificate revocation lists. */
  tlsCRLFile?: string | undefined;
  /** Accepts a server certificate that fails validation, such as an expired one. Default: false. */
  tlsAllowInvalidCertificates?: boolean | undefined;
  /** Accepts a server certificate that was issued for another host name. Default: false. */
  tlsAllowInvalidHostnames?: boolean | undefined;
  /** Sets both `tlsAllowInvalidCertificates` and `tlsAllowInvalidHostnames`. Default: false. */
  tlsInsecure?: boolean | undefined;
  /** Has no effect: the driver never contacts OCSP servers. */
  tlsDisableOCSPEndpointCheck?: boolean | undefined;
  /** Has no effect, because revocation lists are used only with `tlsCRLFile` or `crl`. */
  tlsDisableCertificateRevocationCheck?: boolean | undefined;
  /** Certificates of trusted authorities in PEM form. Default: those of Node.js. */
  ca?: TlsData | undefined;
  /** The client's certificate chain in PEM form. */
  cert?: TlsData | undefined;
  /** The private key of `cert` in PEM form. */
  key?: TlsData | undefined;
  /** The client's certificate and key in PKCS #12 form. Replaces `cert` and `key`. */
  pfx?: TlsData | undefined;
  /** The password of `key` or `pfx`. */
  passphrase?: string | undefined;
  /** Certificate revocation lists in PEM form. */
  crl?: TlsData | undefined;
  /** The host name for SNI and certificate validation. Default: the name of the server's host. */
  servername?: string | undefined;
  /** Returns an error if the certificate does not belong to the host. Default: `tls.checkServerIdentity`. */
  checkServerIdentity?: ((host: string, certificate: never) => Error | undefined) | undefined;
  /** Rejects server certificates that no trusted authority has signed. Default: true. */
  rejectUnauthorized?: boolean | undefined;
  /** A context of `tls.createSecureContext` with certificates and keys. Replaces the options for them. */
  secureContext?: unknown;
  /** The name of an OpenSSL method, such as `TLSv1_2_method`. Prefer `minVersion` and `maxVersion`. */
  secureProtocol?: string | undefined;
  /** The oldest TLS version to accept, such as `TLSv1.3`. Default: `tls.DEFAULT_MIN_VERSION`. */
  minVersion?: string | undefined;
  /** The newest TLS version to accept. Default: `tls.DEFAULT_MAX_VERSION`. */
  maxVersion?: string | undefined;
  /** The cipher suites in the format of OpenSSL, in order of preference. Default: those of Node.js. */
  ciphers?: string | undefined;
  /** The curves for key agreement, separated by colons. Default: `tls.DEFAULT_ECDH_CURVE`. */
  ecdhCurve?: string | undefined;
  /** The minimum size in bits of the server's Diffie-Hellman parameter. Default: 1024. */
  minDHSize?: number | undefined;
  /** Accepts an intermediate certificate in `ca` as trusted. Since Node.js 22.9. Default: false. */
  allowPartialTrustChain?: boolean | undefined;
  /** The protocols to offer by ALPN, for a proxy that chooses a server by them. Default: none. */
  ALPNProtocols?: readonly string[] | readonly Uint8Array[] | Uint8Array | undefined;
  /** A TLS session for the first connection to each server. Later connections resume the last session. Default: none. */
  session?: Uint8Array | undefined;
}

/** Options of network connections. The defaults are those of `@tessera/node`; other runtimes may support fewer options. */
export interface NetworkOptions extends TlsOptions {
  /** The host of a SOCKS5 proxy, which resolves the host names of servers. Default: no proxy. */
  proxyHost?: string | undefined;
  /** The port of the proxy. Default: 1080. */
  proxyPort?: number | undefined;
  /** The user name for the proxy. Requires `proxyHost`. */
  proxyUsername?: string | undefined;
  /** The password for the proxy. */
  proxyPassword?: string | undefined;
  /** The service name in SRV records. Default: `mongodb`. */
  srvServiceName?: string | undefined;
  /** The maximum number of hosts from SRV records. Default: 0, which means no limit. */
  srvMaxHosts?: number | undefined;
  /**
   * The suffix that each host of an SRV record must have, such as `.example.com`. Default: the domain of the host in the
   * connection string. A short suffix lets a forged DNS reply redirect the client to more hosts.
   */
  srvAllowedHostsSuffix?: string | undefined;
  /** Returns whether a host of an SRV record, in lower case, is accepted. Replaces the check of the suffix. */
  srvHostValidator?: ((host: string) => boolean) | undefined;
  /** Disables Nagle's algorithm, so that small packets are sent at once. Default: true. */
  noDelay?: boolean | undefined;
  /** The time in milliseconds before the first TCP keep-alive probe. Default: 120,000. */
  keepAliveInitialDelay?: number | undefined;
  /** The IP version: 4, 6, or 0 for both. Default: 0. */
  family?: number | undefined;
  /**
   * Tries the IPv6 and IPv4 addresses of a host in turn until one connects. Default: that of Node.js, true since
   * version 20.
   */
  autoSelectFamily?: boolean | undefined;
  /** The time in milliseconds for each address with `autoSelectFamily`. At least 10. Default: that of Node.js. */
  autoSelectFamilyAttemptTimeout?: number | undefined;
  /** The local IP address from which connections are opened. Default: chosen by the operating system. */
  localAddress?: string | undefined;
  /**
   * The local port from which connections are opened. It allows only one connection at a time. Default: chosen by the
   * operating system.
   */
  localPort?: number | undefined;
  /** The flags of `dns.lookup`, such as `dns.ADDRCONFIG`. Default: 0. */
  hints?: number | undefined;
  /** Resolves host names, with the signature of `dns.lookup`. Default: `dns.lookup`. */
  lookup?: ((...given: never) => void) | undefined;
}

/** The Stable API version and its checks. Rule: Stable API. */
export interface ServerApi {
  /** The version of the Stable API. */
  version: '1';
  /** Rejects commands that are not part of the version. Default: false. */
  strict?: boolean | undefined;
  /** Rejects commands that are deprecated in the version. Default: false. */
  deprecationErrors?: boolean | undefined;
}

/** Options of a client. Most can also be set in the connection string; a value given here takes precedence. */
export interface MongoClientOptions extends BsonOptions, LogOptions, NetworkOptions {
  /** The default database of `db()` and of authentication. Default: the database of the connection string. */
  dbName?: string | undefined;
  /** The name of the application, for the server's logs. At most 128 bytes. */
  appName?: string | undefined;
  /** The name and version of a library that wraps the driver, for the handshake. */
  driverInfo?: DriverInfo | undefined;
  /** The Stable API version that every command declares. */
  serverApi?: '1' | ServerApi | undefined;
  /**
   * The compressors to offer to servers, in order of preference: `snappy`, `zlib`, `zstd`. A list, or a string with
   * commas. `snappy` needs `createSnappy()` of `@tessera/snappy` in `parts.compressors`. On Node.js before 22.15, `zstd`
   * needs `createZstd()` of `@tessera/zstd` there. Default: none.
   */
  compressors?: string | CompressorName[] | undefined;
  /** The compression level of zlib, from 0 to 9. Default: -1, which means the default level of zlib. */
  zlibCompressionLevel?: number | undefined;
  /** The time in milliseconds to establish a connection, including TLS, hello and authentication. Default: 30,000. */
  connectTimeoutMS?: number | undefined;
  /**
   * The time in milliseconds that an operation without `timeoutMS` waits for a reply. Default: 0, which means no limit.
   */
  socketTimeoutMS?: number | undefined;
  /** The user name and password. They replace the credentials of the connection string. */
  auth?: { username?: string; password?: string } | undefined;
  /**
   * The authentication mechanism: `SCRAM-SHA-256`, `SCRAM-SHA-1`, `MONGODB-X509`, `PLAIN`, `MONGODB-AWS` or
   * `MONGODB-OIDC`. Default: `SCRAM-SHA-256` or `SCRAM-SHA-1`, negotiated with the server.
   */
  authMechanism?: string | undefined;
  /** Options of the authentication mechanism, such as `SERVICE_NAME`. */
  authMechanismProperties?: AuthMechanismProperties | undefined;
  /**
   * The database in which the user is defined. Default: the option `dbName`, else the database of the connection string,
   * else the default of the mechanism, such as `admin`.
   */
  authSource?: string | undefined;
  /** The maximum number of connections per server. 0 means no limit. Default: 100. */
  maxPoolSize?: number | undefined;
  /** The minimum number of connections per server that the pool keeps open. Default: 0. */
  minPoolSize?: number | undefined;
  /** The maximum number of connections per server that are established at the same time. Default: 2. */
  maxConnecting?: number | undefined;
  /** The time in milliseconds after which an idle connection is closed. Default: 0, which means no limit. */
  maxIdleTimeMS?: number | undefined;
  /**
   * The time in milliseconds that an operation without `timeoutMS` waits for a connection of the pool. Default: 0, which
   * means no limit.
   */
  waitQueueTimeoutMS?: number | undefined;
  /** The name of the replica set. Members of another set are ignored. */
  replicaSet?: string | undefined;
  /** Connects only to the given host, even if it is a replica set member. Default: false. */
  directConnection?: boolean | undefined;
  /** Connects to a load balancer, which is not monitored. Default: false. */
  loadBalanced?: boolean | undefined;
  /** The time in milliseconds between two checks of a server. Default: 10,000. */
  heartbeatFrequencyMS?: number | undefined;
  /** The minimum time in milliseconds between two checks of a server. Default: 500. */
  minHeartbeatFrequencyMS?: number | undefined;
  /**
   * The monitoring protocol. `stream`: servers send their state when it changes. `poll`: the client checks servers
   * periodically. `auto`: `poll` in a function service such as AWS Lambda, else `stream`. Default: `auto`.
   */
  serverMonitoringMode?: 'auto' | 'poll' | 'stream' | undefined;
  /** The time in milliseconds to wait for a suitable server. Default: 30,000. */
  serverSelectionTimeoutMS?: number | undefined;
  /**
   * The size of the latency window in milliseconds. A server is selected only if its round-trip time exceeds that of the
   * nearest suitable server by at most this value. Default: 15.
   */
  localThresholdMS?: number | undefined;
  /**
   * Returns the suitable servers that operations may use. Called for each operation before the latency window is
   * applied. Must not throw.
   */
  serverSelector?: ((servers: readonly ServerDescription[]) => readonly ServerDescription[]) | undefined;
  /** The read preference: the servers that reads use. Default: `primary`. */
  readPreference?: ReadPreferenceLike | undefined;
  /** Tag sets of the read preference, in order of preference. */
  readPreferenceTags?: TagSet[] | undefined;
  /** The maximum replication lag in seconds of a secondary that serves reads. Default: -1, which means no limit. */
  maxStalenessSeconds?: number | undefined;
  /** The read concern. Default: the server's default. */
  readConcern?: ReadConcernLike | undefined;
  /** The level of the read concern, such as `majority`. */
  readConcernLevel?: string | undefined;
  /** The write concern. Default: the server's default. */
  writeConcern?: WriteConcern | WriteConcernSettings | undefined;
  /**
   * The `w` of the write concern: a number of members, or a name such as `majority`.
   * @deprecated Use `writeConcern`.
   */
  w?: W | undefined;
  /**
   * The time in milliseconds that the server waits until the write concern is satisfied.
   * @deprecated Use `writeConcern`.
   */
  wtimeoutMS?: number | undefined;
  /**
   * The `j` of the write concern: whether a write must be in the journal on disk before it is acknowledged.
   * @deprecated Use `writeConcern`.
   */
  journal?: boolean | undefined;
  /**
   * Retries a read after a retryable error, such as a network error or an election. Without `timeoutMS`, the driver
   * retries once; with `timeoutMS`, until the deadline. Default: true.
   */
  retryReads?: boolean | undefined;
  /**
   * Retries a write after a retryable error, with the same limits as `retryReads`. `updateMany` and `deleteMany` are
   * retried only after an overload error. Default: true.
   */
  retryWrites?: boolean | undefined;
  /**
   * The maximum number of retries after an overload error, which has the label `SystemOverloadedError`. The backoff
   * between retries increases. 0 disables these retries. Default: 2.
   */
  maxAdaptiveRetries?: number | undefined;
  /** Prefers another server for a retry after an overload error. Sharded clusters always do. Default: false. */
  enableOverloadRetargeting?: boolean | undefined;
  /**
   * The timeout in milliseconds of a whole operation: server selection, checkout, connection and all attempts. 0 means
   * no limit. Default: none; then `serverSelectionTimeoutMS`, `waitQueueTimeoutMS` and `socketTimeoutMS` limit each step.
   */
  timeoutMS?: number | undefined;
  /** Lets the server generate the `_id` of inserted documents. Default: false. */
  forceServerObjectId?: boolean | undefined;
  /**
   * The treatment of undefined values in filters: `error` rejects the operation, `null` matches null and missing fields,
   * `ignore` removes the condition. Default: filters are encoded like documents, by `ignoreUndefined`.
   */
  undefinedInFilters?: UndefinedInFilters | undefined;
  /** Generates the `_id` of inserted documents that have none. Default: generates an ObjectId. */
  pkFactory?: PkFactory | undefined;
  /** Has no effect: command events are emitted whenever there are listeners. For compatibility. */
  monitorCommands?: boolean | undefined;
  /**
   * The behavior when the callback of `withTransaction` runs an operation without a session. `off` runs the operation
   * outside of the transaction. `warn` also emits a warning with the line of the call. `fail` rejects the operation.
   * Default: `warn` if `NODE_ENV` is `development`, else `off`.
   */
  detectForgottenSession?: 'off' | 'warn' | 'fail' | undefined;
  /**
   * The behavior when an operation is called while another operation of the same transaction is running. `queue` runs
   * the operations in the order of the calls, and emits one warning per client. `fail` rejects the operation with a
   * MongoInvalidArgumentError. Default: `queue`.
   */
  parallelTransactionOperations?: 'queue' | 'fail' | undefined;
  /**
   * Emits one process warning for each option name that no operation accepts, and suggests the most similar name.
   * Operations ignore such options. Default: true if `NODE_ENV` is `development`, else false.
   */
  warnOnUnknownOptions?: boolean | undefined;
}
