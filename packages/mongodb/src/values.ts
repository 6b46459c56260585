// Constants that programs written for the official driver import by name.
import type { ServerType as ServerTypeName, TopologyType as TopologyTypeName } from '@tessera/contracts';

/** An object that maps each name to itself. */
type Named<Name extends string> = { readonly [Each in Name]: Each };

export const AuthMechanism = {
  MONGODB_AWS: 'MONGODB-AWS',
  MONGODB_DEFAULT: 'DEFAULT',
  /** Not supported: a client with this mechanism throws, unless `parts.authenticators` contains an implementation. */
  MONGODB_GSSAPI: 'GSSAPI',
  MONGODB_PLAIN: 'PLAIN',
  MONGODB_SCRAM_SHA1: 'SCRAM-SHA-1',
  MONGODB_SCRAM_SHA256: 'SCRAM-SHA-256',
  MONGODB_X509: 'MONGODB-X509',
  MONGODB_OIDC: 'MONGODB-OIDC',
} as const;
export type AuthMechanism = (typeof AuthMechanism)[keyof typeof AuthMechanism];

/** The compressor ids of OP_COMPRESSED messages. Rule: OP_COMPRESSED, "compressorId". */
export const Compressor = { none: 0, snappy: 1, zlib: 2, zstd: 3 } as const;
export type Compressor = (typeof Compressor)[CompressorName];
export type CompressorName = keyof typeof Compressor;

export const CURSOR_FLAGS = ['tailable', 'oplogReplay', 'noCursorTimeout', 'awaitData', 'exhaust', 'partial'] as const;
export type CursorFlag = (typeof CURSOR_FLAGS)[number];

/** The components that can be logged. Rule: Logging, "Components". */
export const MongoLoggableComponent = {
  COMMAND: 'command',
  TOPOLOGY: 'topology',
  SERVER_SELECTION: 'serverSelection',
  CONNECTION: 'connection',
  CLIENT: 'client',
} as const;
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
export type TopologyType = TopologyTypeName;
