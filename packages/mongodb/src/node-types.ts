// Types of connections on Node.js, under the names of the official driver.
import type {
  CompressorName,
  HostAddress,
  MongoClientOptions,
  MongoCredentials,
  ServerApi,
  ServerMonitoringMode,
} from '@tessera/client';
import type {
  ConnectionOptions as TlsConnectionOptions,
  OsModule,
  Readable,
  Socket,
  TcpNetConnectOpts,
  TLSSocket,
  TLSSocketOptions,
} from '@tessera/node';

declare module '@tessera/client' {
  /** Cursors and change streams return streams of Node.js. */
  interface HostTypes<Chunk> {
    /** A readable stream of Node.js. */
    readable: Readable & AsyncIterable<Chunk>;
  }
}

/** The options of `net.connect` that a client accepts. */
export declare const LEGAL_TCP_SOCKET_OPTIONS: readonly [
  'autoSelectFamily',
  'autoSelectFamilyAttemptTimeout',
  'keepAliveInitialDelay',
  'family',
  'hints',
  'localAddress',
  'localPort',
  'lookup',
];
/** The options of `tls.connect` that a client accepts. */
export declare const LEGAL_TLS_SOCKET_OPTIONS: readonly [
  'allowPartialTrustChain',
  'ALPNProtocols',
  'ca',
  'cert',
  'checkServerIdentity',
  'ciphers',
  'crl',
  'ecdhCurve',
  'key',
  'minDHSize',
  'passphrase',
  'pfx',
  'rejectUnauthorized',
  'secureContext',
  'secureProtocol',
  'servername',
  'session',
];
type Tcp = (typeof LEGAL_TCP_SOCKET_OPTIONS)[number];
type Tls = (typeof LEGAL_TLS_SOCKET_OPTIONS)[number];

interface NewerTcpOptions {
  /** Tries the IPv6 and IPv4 addresses of a host in turn until one connects. Default: that of Node.js. */
  autoSelectFamily?: boolean;
  /** The time in milliseconds for each address with `autoSelectFamily`. At least 10. Default: that of Node.js. */
  autoSelectFamilyAttemptTimeout?: number;
  /** The time in milliseconds before the first TCP keep-alive probe. Default: 120,000. */
  keepAliveInitialDelay?: number;
}

/** A connection to a server. */
export type Stream = Socket | TLSSocket;
/**
 * Options of `net.connect`. `Partial`: in a project without `@types/node`, the types of Node.js are `any`, and all options
 * would be required.
 */
export type SupportedSocketOptions = Partial<Pick<TcpNetConnectOpts & NewerTcpOptions, Tcp>>;
/** Options of `tls.connect`. */
export type SupportedTLSConnectionOptions = Partial<
  Pick<
    TlsConnectionOptions & {
      /** Accepts an intermediate certificate in `ca` as trusted. Since Node.js 22.9. Default: false. */
      allowPartialTrustChain?: boolean;
    },
    Tls
  >
>;
/** Options of TLS sockets. */
export type SupportedTLSSocketOptions = Partial<Pick<TLSSocketOptions, Extract<keyof TLSSocketOptions, Tls>>>;
/** Options of `net.connect` and `tls.connect`. */
export type SupportedNodeConnectionOptions = SupportedTLSConnectionOptions &
  SupportedTLSSocketOptions &
  SupportedSocketOptions;

/** The functions of `node:os` that the official driver uses. */
export type OsAdapter = Pick<OsModule, 'release' | 'platform' | 'arch' | 'type'>;
/** Replacements for modules of Node.js. This driver takes a whole `runtime` instead. */
export interface RuntimeAdapters {
  /** A replacement for `node:os`. */
  os?: OsAdapter;
}

/** Options of a SOCKS5 proxy. */
export type ProxyOptions = Pick<MongoClientOptions, 'proxyHost' | 'proxyPort' | 'proxyUsername' | 'proxyPassword'>;

/** Options of the description of a connection. */
export interface StreamDescriptionOptions {
  /** The compressors that the client offers. */
  compressors?: CompressorName[];
  /** The time after which the server ends idle sessions. */
  logicalSessionTimeoutMinutes?: number;
  /** Whether the connection leads to a load balancer. */
  loadBalanced: boolean;
}

/** Options of one connection of the official driver. */
export interface ConnectionOptions extends SupportedNodeConnectionOptions, StreamDescriptionOptions, ProxyOptions {
  /** The number of the connection in its pool. */
  id: number | '<monitor>';
  /** The generation of the pool. */
  generation: number;
  /** The address of the server. */
  hostAddress: HostAddress;
  /** The declared version of the Stable API. */
  serverApi?: ServerApi;
  /** Whether the connection emits command events. */
  monitorCommands: boolean;
  /** The credentials. */
  credentials?: MongoCredentials;
  /** The time in milliseconds to establish the connection. */
  connectTimeoutMS?: number;
  /** Whether the connection is encrypted. */
  tls: boolean;
  /** Whether small packets are sent at once. */
  noDelay?: boolean;
  /** The time in milliseconds to wait for a reply. */
  socketTimeoutMS?: number;
}
/** Options of a connection pool of the official driver. */
export interface ConnectionPoolOptions extends Omit<ConnectionOptions, 'id' | 'generation'> {
  /** The maximum number of connections. */
  maxPoolSize: number;
  /** The number of connections that are kept open. */
  minPoolSize: number;
  /** The number of connections that are established at the same time. */
  maxConnecting: number;
  /** The time in milliseconds after which an idle connection is closed. */
  maxIdleTimeMS: number;
  /** The time in milliseconds to wait for a connection. */
  waitQueueTimeoutMS: number;
  /** Whether the connections lead to a load balancer. */
  loadBalanced: boolean;
}
/** Options of a monitor of the official driver. */
export interface MonitorOptions extends Omit<ConnectionOptions, 'id' | 'generation' | 'hostAddress'> {
  /** The time in milliseconds to establish the connection. */
  connectTimeoutMS: number;
  /** The time in milliseconds between two checks. */
  heartbeatFrequencyMS: number;
  /** The minimum time in milliseconds between two checks. */
  minHeartbeatFrequencyMS: number;
  /** The monitoring protocol. */
  serverMonitoringMode: ServerMonitoringMode;
}
