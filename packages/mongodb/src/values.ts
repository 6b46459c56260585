// Constants that programs written for the official driver import by name.
import type { CompressorName } from '@tessera/client';
import type { ServerType as ServerTypeName, TopologyType as TopologyTypeName } from '@tessera/contracts';

/** An object that maps each name to itself. */
type Named<Name extends string> = { readonly [Each in Name]: Each };

/** The authentication mechanisms. */
export const AuthMechanism = {
  /** Signs a request with AWS credentials. */
  MONGODB_AWS: 'MONGODB-AWS',
  /** Negotiates `SCRAM-SHA-256` or `SCRAM-SHA-1`. */
  MONGODB_DEFAULT: 'DEFAULT',
  /** Not supported: a client with this mechanism throws, unless `parts.authenticators` contains an implementation. */
  MONGODB_GSSAPI: 'GSSAPI',
  /** Sends the password to an LDAP server. Use it only with TLS. */
  MONGODB_PLAIN: 'PLAIN',
  /** Proves the password with SHA-1. */
  MONGODB_SCRAM_SHA1: 'SCRAM-SHA-1',
  /** Proves the password with SHA-256. */
  MONGODB_SCRAM_SHA256: 'SCRAM-SHA-256',
  /** Uses the client's TLS certificate. */
  MONGODB_X509: 'MONGODB-X509',
  /** Uses a token of an identity provider. */
  MONGODB_OIDC: 'MONGODB-OIDC',
} as const;
/** An authentication mechanism. */
export type AuthMechanism = (typeof AuthMechanism)[keyof typeof AuthMechanism];

/** The ways to canonicalize a host name for GSSAPI. */
export const GSSAPICanonicalizationValue = {
  /** Resolves the name. */
  on: true,
  /** Uses the name as it is. */
  off: false,
  /** Uses the name as it is. */
  none: 'none',
  /** Follows CNAME records. */
  forward: 'forward',
  /** Also resolves the address back to a name. */
  forwardAndReverse: 'forwardAndReverse',
} as const;
/** A way to canonicalize a host name for GSSAPI. */
export type GSSAPICanonicalizationValue =
  (typeof GSSAPICanonicalizationValue)[keyof typeof GSSAPICanonicalizationValue];

/** The compressor ids of OP_COMPRESSED messages. Rule: OP_COMPRESSED, "compressorId". */
export const Compressor = { none: 0, snappy: 1, zlib: 2, zstd: 3 } as const;
/** A compressor id. */
export type Compressor = (typeof Compressor)[CompressorName];

/** The names of cursor flags. `addCursorFlag` accepts `tailable`, `noCursorTimeout` and `awaitData`. */
export const CURSOR_FLAGS = ['tailable', 'oplogReplay', 'noCursorTimeout', 'awaitData', 'exhaust', 'partial'] as const;
/** The name of a cursor flag. */
export type CursorFlag = (typeof CURSOR_FLAGS)[number];

/** The components that can be logged. Rule: Logging, "Components". */
export const MongoLoggableComponent = {
  COMMAND: 'command',
  TOPOLOGY: 'topology',
  SERVER_SELECTION: 'serverSelection',
  CONNECTION: 'connection',
  CLIENT: 'client',
} as const;
/** A component that can be logged. */
export type MongoLoggableComponent = (typeof MongoLoggableComponent)[keyof typeof MongoLoggableComponent];

/** The severity levels of log messages. Rule: Logging, "Log Severity Levels". */
export const SeverityLevel = {
  EMERGENCY: 'emergency',
  ALERT: 'alert',
  CRITICAL: 'critical',
  ERROR: 'error',
  WARNING: 'warn',
  NOTICE: 'notice',
  INFORMATIONAL: 'info',
  DEBUG: 'debug',
  TRACE: 'trace',
  OFF: 'off',
} as const;
/** A severity level of log messages. */
export type SeverityLevel = (typeof SeverityLevel)[keyof typeof SeverityLevel];

/** The types of a server description. Rule: Server Discovery and Monitoring, "ServerType". */
export const ServerType: Named<ServerTypeName> = {
  Standalone: 'Standalone',
  Mongos: 'Mongos',
  PossiblePrimary: 'PossiblePrimary',
  RSPrimary: 'RSPrimary',
  RSSecondary: 'RSSecondary',
  RSArbiter: 'RSArbiter',
  RSOther: 'RSOther',
  RSGhost: 'RSGhost',
  Unknown: 'Unknown',
  LoadBalancer: 'LoadBalancer',
};
/** The type of a server description. */
export type ServerType = ServerTypeName;

/** The types of a topology description. Rule: Server Discovery and Monitoring, "TopologyType". */
export const TopologyType: Named<TopologyTypeName> = {
  Single: 'Single',
  ReplicaSetNoPrimary: 'ReplicaSetNoPrimary',
  ReplicaSetWithPrimary: 'ReplicaSetWithPrimary',
  Sharded: 'Sharded',
  Unknown: 'Unknown',
  LoadBalanced: 'LoadBalanced',
};
/** The type of a topology description. */
export type TopologyType = TopologyTypeName;
