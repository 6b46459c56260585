/** Types under the names that programs written for the official driver use. */
import type {
  BsonOptions,
  Document,
  EventMap,
  EventName,
  FilterOperators,
  HedgeOptions,
  LogMessage,
  LogOptions,
  Long,
  LogWritable,
  ServerDescription,
  ServerType,
  Signal,
  TagSet,
  Timestamp,
  TopologyDescription,
  TopologyType,
} from '@tessera/contracts';
import type { Int32 } from 'bson';
import type { AggregateOptions } from '../aggregation-cursor.js';
import type { ExplainCommandOptions } from '../explain.js';
import type { FindOptions } from '../find-cursor.js';
import type { MongoClientOptions } from '../options.js';
import type { CommandOptions, OperationOptions } from '../handle.js';
import type { IndexInfo } from '../list-cursors.js';
import type { ClientSession } from '../session.js';

export type { HedgeOptions, ServerDescription, ServerType, TagSet, TopologyDescription, TopologyType };

export type AnyError = Error;
export type OneOrMore<T> = T | readonly T[];
export type ArrayElement<Type> = Type extends readonly (infer Item)[] ? Item : never;
export type KeysOfAType<Schema, Type> = {
  [Key in keyof Schema]: NonNullable<Schema[Key]> extends Type ? Key : never;
}[keyof Schema];
export type KeysOfOtherType<Schema, Type> = {
  [Key in keyof Schema]: NonNullable<Schema[Key]> extends Type ? never : Key;
}[keyof Schema];

export type AcceptedFields<Schema, Field, Assignable> = {
  readonly [Key in KeysOfAType<Schema, Field>]?: Assignable;
};
export type NotAcceptedFields<Schema, Field> = {
  readonly [Key in KeysOfOtherType<Schema, Field>]?: never;
};
export type SchemaMember<Schema, Value> = { [Key in keyof Schema]?: Value } | Record<string, Value>;
export type IntegerType = Int32 | Long | number | bigint;
export type FilterOperations<Type> =
  Type extends Record<string, unknown> ? { [Key in keyof Type]?: FilterOperators<Type[Key]> } : FilterOperators<Type>;

export type Callback<Result = unknown> = (error?: AnyError, result?: Result) => void;
export type GenericListener = (...values: never[]) => void;
export type EventsDescription = Record<string, GenericListener>;

export interface Abortable {
  readonly signal?: Signal | undefined;
}
export interface ClusterTime {
  readonly clusterTime: Timestamp;
  readonly signature?: Document;
}
export type Hint = string | Document;
/** A collation. Rule: MongoDB manual, "Collation Document". */
export interface CollationOptions extends Document {
  readonly locale: string;
  readonly caseLevel?: boolean;
  readonly caseFirst?: string;
  readonly strength?: number;
  readonly numericOrdering?: boolean;
  readonly alternate?: string;
  readonly maxVariable?: string;
  readonly backwards?: boolean;
  readonly normalization?: boolean;
}

export interface Auth {
  readonly username?: string;
  readonly password?: string;
}
export interface EndSessionOptions {
  readonly timeoutMS?: number | undefined;
}
/** The reply of a server whose write concern was not satisfied. */
export interface WriteConcernErrorResult extends Document {
  readonly writeConcernError: {
    readonly code: number;
    readonly errmsg: string;
    readonly codeName?: string;
    readonly errInfo?: Document;
  };
  readonly ok: number;
  readonly code?: number;
  readonly errorLabels?: readonly string[];
}
export type ServerMonitoringMode = NonNullable<MongoClientOptions['serverMonitoringMode']>;
export type LogComponentSeveritiesClientOptions = NonNullable<LogOptions['mongodbLogComponentSeverities']>;
export type { LogMessage as Log, LogWritable as MongoDBLogWritable };

export type WithSessionCallback<T = unknown> = (session: ClientSession) => Promise<T>;
export type WithTransactionCallback<T = unknown> = (session: ClientSession) => Promise<T>;

export type BSONSerializeOptions = BsonOptions;
export type CommandOperationOptions = CommandOptions;
export type RunCommandOptions = OperationOptions;
export type FindOneOptions = FindOptions;
export type AggregationCursorOptions = AggregateOptions;
export type DropCollectionOptions = CommandOptions;
export type DropDatabaseOptions = CommandOptions;
export type DbStatsOptions = CommandOptions & { readonly scale?: number };
export type RemoveUserOptions = CommandOptions;
export type ProfilingLevelOptions = CommandOptions;
export type SetProfilingLevelOptions = CommandOptions;
export type ExplainOptions = ExplainCommandOptions;
export type IndexDescriptionInfo = IndexInfo;

type EventOf<Name extends EventName> = { readonly name: Name } & EventMap[Name];
export type CommandStartedEvent = EventOf<'commandStarted'>;
export type CommandSucceededEvent = EventOf<'commandSucceeded'>;
export type CommandFailedEvent = EventOf<'commandFailed'>;
export type ConnectionPoolCreatedEvent = EventOf<'connectionPoolCreated'>;
export type ConnectionPoolReadyEvent = EventOf<'connectionPoolReady'>;
export type ConnectionPoolClearedEvent = EventOf<'connectionPoolCleared'>;
export type ConnectionPoolClosedEvent = EventOf<'connectionPoolClosed'>;
export type ConnectionCreatedEvent = EventOf<'connectionCreated'>;
export type ConnectionReadyEvent = EventOf<'connectionReady'>;
export type ConnectionClosedEvent = EventOf<'connectionClosed'>;
export type ConnectionCheckOutStartedEvent = EventOf<'connectionCheckOutStarted'>;
export type ConnectionCheckOutFailedEvent = EventOf<'connectionCheckOutFailed'>;
export type ConnectionCheckedOutEvent = EventOf<'connectionCheckedOut'>;
export type ConnectionCheckedInEvent = EventOf<'connectionCheckedIn'>;
export type ServerOpeningEvent = EventOf<'serverOpening'>;
export type ServerClosedEvent = EventOf<'serverClosed'>;
export type ServerDescriptionChangedEvent = EventOf<'serverDescriptionChanged'>;
export type ServerHeartbeatStartedEvent = EventOf<'serverHeartbeatStarted'>;
export type ServerHeartbeatSucceededEvent = EventOf<'serverHeartbeatSucceeded'>;
export type ServerHeartbeatFailedEvent = EventOf<'serverHeartbeatFailed'>;
export type TopologyOpeningEvent = EventOf<'topologyOpening'>;
export type TopologyClosedEvent = EventOf<'topologyClosed'>;
export type TopologyDescriptionChangedEvent = EventOf<'topologyDescriptionChanged'>;
