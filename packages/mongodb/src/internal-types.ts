// Types under the names of the official driver that belong to its internals or describe what only it does.
import type {
  AuthMechanismProperties,
  AWSCredentialProvider,
  CollationOptions,
  CompressorName,
  CommandFailedEvent,
  CommandStartedEvent,
  CommandSucceededEvent,
  ConnectionCheckedInEvent,
  ConnectionCheckedOutEvent,
  ConnectionCheckOutFailedEvent,
  ConnectionCheckOutStartedEvent,
  ConnectionClosedEvent,
  ConnectionCreatedEvent,
  ConnectionPoolClearedEvent,
  ConnectionPoolClosedEvent,
  ConnectionPoolCreatedEvent,
  ConnectionPoolReadyEvent,
  ConnectionReadyEvent,
  ClientSession,
  Hint,
  MongoError,
  ReadPreference,
  ReadPreferenceLike,
  ServerClosedEvent,
  ServerDescription,
  ServerDescriptionChangedEvent,
  ServerHeartbeatFailedEvent,
  ServerHeartbeatStartedEvent,
  ServerHeartbeatSucceededEvent,
  ServerOpeningEvent,
  ServerType,
  TopologyClosedEvent,
  TopologyDescriptionChangedEvent,
  TopologyOpeningEvent,
} from '@tessera/client';
import type { Document } from '@tessera/contracts';
import type { Double, Long } from 'bson';
import type { StreamDescriptionOptions } from './node-types.js';
import type { AuthMechanism } from './values.js';

export type { deserialize, serialize } from 'bson';

/**
 * Client-side encryption is not supported, so no value has this type. Declarations of libraries such as mongoose name it.
 */
export type ClientEncryption = never;

/** The part of a sort direction that a command sends. */
export type SortDirectionForCmd = 1 | -1 | { $meta: string };
/** A sort as a command sends it. */
export type SortForCmd = Map<string, SortDirectionForCmd>;

/** A statement of the command `update`. */
export interface UpdateStatement {
  /** The filter. */
  q: Document;
  /** The update operators, the pipeline or the replacement. */
  u: Document | Document[];
  /** Inserts a document if none matches. */
  upsert?: boolean;
  /** Updates all matching documents. */
  multi?: boolean;
  /** The collation: language-specific rules for comparing strings. */
  collation?: CollationOptions;
  /** Filters that select the array elements to update. */
  arrayFilters?: Document[];
  /** The index to use, by its name or keys. */
  hint?: Hint;
  /** The order that decides which of several matching documents is updated. */
  sort?: SortForCmd;
}
/** A statement of the command `delete`. */
export interface DeleteStatement {
  /** The filter. */
  q: Document;
  /** The number of documents to delete: 1, or 0 for all. */
  limit: number;
  /** The collation: language-specific rules for comparing strings. */
  collation?: CollationOptions;
  /** The index to use, by its name or keys. */
  hint?: Hint;
}

/** Options of a server selection. @deprecated The official driver will remove it. */
export interface SelectServerOptions {
  /** The servers that may be selected. */
  readPreference?: ReadPreferenceLike;
  /** The time in milliseconds to wait for a suitable server. */
  serverSelectionTimeoutMS?: number;
  /** The session of the operation. */
  session?: ClientSession;
  /** The name of the operation. */
  operationName: string;
}
/** The state of a connection of the official driver after its handshake. */
export declare class StreamDescription {
  /** The address of the server. */
  address: string;
  /** The type of the server. */
  type: ServerType;
  /** The lowest version of the wire protocol that the server supports. */
  minWireVersion?: number;
  /** The highest version of the wire protocol that the server supports. */
  maxWireVersion?: number;
  /** The maximum size of a document in bytes. */
  maxBsonObjectSize: number;
  /** The maximum size of a message in bytes. */
  maxMessageSizeBytes: number;
  /** The maximum number of writes in a command. */
  maxWriteBatchSize: number;
  /** The compressors that the client offers. */
  compressors: CompressorName[];
  /** The compressor that both sides support. */
  compressor?: CompressorName;
  /** The time after which the server ends idle sessions. */
  logicalSessionTimeoutMinutes?: number;
  /** Whether the connection leads to a load balancer. */
  loadBalanced: boolean;
  /** The compression level of zlib. */
  zlibCompressionLevel?: number;
  /** The server's number of the connection. */
  serverConnectionId: bigint | null;
  /** The reply of the handshake. */
  hello: Document | null;
  /** Creates a description without a handshake. */
  constructor(address: string, options?: StreamDescriptionOptions);
  /** Adds what the reply of the handshake says. */
  receiveResponse(response: Document | null): void;
  /** Converts the server's number of a connection. */
  parseServerConnectionID(serverConnectionId: number | Double | bigint | Long): bigint;
}
/** Options of a connection to a deployment. */
export interface ConnectOptions {
  /** The servers that must be available. */
  readPreference?: ReadPreference;
}
/** Options of the description of a deployment. */
export interface TopologyDescriptionOptions {
  /** The time in milliseconds between two checks of a server. */
  heartbeatFrequencyMS?: number;
  /** The size of the latency window in milliseconds. */
  localThresholdMS?: number;
}
/** Options of a network error. */
export interface MongoNetworkErrorOptions {
  /** Whether the connection failed before its handshake. */
  beforeHandshake?: boolean;
  /** The cause. */
  cause?: Error;
}
/** The fields of an error in a server's reply. */
export interface ErrorDescription extends Document {
  /** The message. */
  message?: string;
  /** The message, under the server's name. */
  errmsg?: string;
  /** The message of an old server. */
  $err?: string;
  /** The labels, such as `RetryableWriteError`. */
  errorLabels?: string[];
  /** Further information. */
  errInfo?: Document;
}
/** Providers of credentials. */
export interface CredentialProviders {
  /** Returns credentials of AWS. */
  aws?: AWSCredentialProvider;
}
/** An emitter with a state. */
export type EventEmitterWithState = object;

/** The events of a connection. */
export type ConnectionEvents = {
  /** A command is sent. */
  commandStarted(event: CommandStartedEvent): void;
  /** A command succeeded. */
  commandSucceeded(event: CommandSucceededEvent): void;
  /** A command failed. */
  commandFailed(event: CommandFailedEvent): void;
  /** A reply has a cluster time. */
  clusterTimeReceived(clusterTime: Document): void;
  /** The connection was closed. */
  close(): void;
  /** A session is pinned to the connection. */
  pinned(pinType: string): void;
  /** No session is pinned any more. */
  unpinned(pinType: string): void;
};
/** The events of a connection pool. */
export type ConnectionPoolEvents = {
  /** The pool was created. */
  connectionPoolCreated(event: ConnectionPoolCreatedEvent): void;
  /** The pool lends connections. */
  connectionPoolReady(event: ConnectionPoolReadyEvent): void;
  /** The pool was closed. */
  connectionPoolClosed(event: ConnectionPoolClosedEvent): void;
  /** The pool discards its connections. */
  connectionPoolCleared(event: ConnectionPoolClearedEvent): void;
  /** A connection was created. */
  connectionCreated(event: ConnectionCreatedEvent): void;
  /** A connection is established. */
  connectionReady(event: ConnectionReadyEvent): void;
  /** A connection was closed. */
  connectionClosed(event: ConnectionClosedEvent): void;
  /** An operation asks for a connection. */
  connectionCheckOutStarted(event: ConnectionCheckOutStartedEvent): void;
  /** An operation gets no connection. */
  connectionCheckOutFailed(event: ConnectionCheckOutFailedEvent): void;
  /** An operation gets a connection. */
  connectionCheckedOut(event: ConnectionCheckedOutEvent): void;
  /** An operation returns a connection. */
  connectionCheckedIn(event: ConnectionCheckedInEvent): void;
} & Omit<ConnectionEvents, 'close'>;
interface HeartbeatEvents {
  /** A check of a server starts. */
  serverHeartbeatStarted(event: ServerHeartbeatStartedEvent): void;
  /** A check of a server succeeded. */
  serverHeartbeatSucceeded(event: ServerHeartbeatSucceededEvent): void;
  /** A check of a server failed. */
  serverHeartbeatFailed(event: ServerHeartbeatFailedEvent): void;
}
/** The events of a monitor. */
export type MonitorEvents = Pick<HeartbeatEvents, keyof HeartbeatEvents> & {
  /** The server is unknown again. */
  resetServer(error?: MongoError): void;
  /** The pool must discard its connections. */
  resetConnectionPool(): void;
  /** The monitor was stopped. */
  close(): void;
} & EventEmitterWithState;
/** The events of a server. */
export type ServerEvents = Pick<HeartbeatEvents, keyof HeartbeatEvents> & {
  /** A check has described the server. */
  descriptionReceived(description: ServerDescription): void;
  /** The server was closed. */
  closed(): void;
  /** The server has ended. */
  ended(): void;
} & ConnectionPoolEvents &
  EventEmitterWithState;
/** The events of a topology. */
export type TopologyEvents = {
  /** A server was found. */
  serverOpening(event: ServerOpeningEvent): void;
  /** A server was removed. */
  serverClosed(event: ServerClosedEvent): void;
  /** The description of a server has changed. */
  serverDescriptionChanged(event: ServerDescriptionChangedEvent): void;
  /** The topology was closed. */
  topologyClosed(event: TopologyClosedEvent): void;
  /** The topology was opened. */
  topologyOpening(event: TopologyOpeningEvent): void;
  /** The description of the topology has changed. */
  topologyDescriptionChanged(event: TopologyDescriptionChangedEvent): void;
  /** An error without another receiver. */
  error(error: Error): void;
  /** The client was closed. */
  close(): void;
  /** An operation timed out. */
  timeout(): void;
} & ServerEvents &
  ConnectionPoolEvents &
  ConnectionEvents &
  EventEmitterWithState;

/** The names of the events of a client. */
export declare const MONGO_CLIENT_EVENTS: readonly [
  'connectionPoolCreated',
  'connectionPoolReady',
  'connectionPoolCleared',
  'connectionPoolClosed',
  'connectionCreated',
  'connectionReady',
  'connectionClosed',
  'connectionCheckOutStarted',
  'connectionCheckOutFailed',
  'connectionCheckedOut',
  'connectionCheckedIn',
  'commandStarted',
  'commandSucceeded',
  'commandFailed',
  'serverOpening',
  'serverClosed',
  'serverDescriptionChanged',
  'topologyOpening',
  'topologyClosed',
  'topologyDescriptionChanged',
  'error',
  'timeout',
  'close',
  'serverHeartbeatStarted',
  'serverHeartbeatSucceeded',
  'serverHeartbeatFailed',
];

/** The arguments of the constructor of the official driver's credentials. */
export interface MongoCredentialsOptions {
  /** The user name. */
  username?: string;
  /** The password. */
  password: string;
  /** The database in which the user is defined. */
  source: string;
  /** The same, under an older name. */
  db?: string;
  /** The mechanism. */
  mechanism?: AuthMechanism;
  /** Options of the mechanism. */
  mechanismProperties: AuthMechanismProperties;
}
