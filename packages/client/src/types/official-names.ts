/** Types under the names that programs written for the official driver use. */
import type {
  BsonOptions,
  Document,
  HedgeOptions,
  LogMessage,
  LogOptions,
  LogWritable,
  ServerType,
  Signal,
  TagSet,
  TopologyType,
} from '@tessera/contracts';
import type { AggregateOptions } from '../aggregation-cursor.js';
import type { Explainable } from '../explain-verbosity.js';
import type { FindOptions } from '../find-cursor.js';
import type { MongoClientOptions } from '../options.js';
import type { CommandOptions, OperationOptions } from '../handle.js';
import type { IndexInfo } from './indexes.js';
import type { ClientSession } from '../session.js';

export type { HedgeOptions, ServerType, TagSet, TopologyType };

/** Any error. */
export type AnyError = Error;
/** A value or a list of values. */
export type OneOrMore<T> = T | readonly T[];
/** The type of an array's elements. */
export type ArrayElement<Type> = Type extends readonly (infer Item)[] ? Item : never;
/** An object that assigns values to fields of the schema. */
export type SchemaMember<Schema, Value> = { [Key in keyof Schema]?: Value } | Record<string, Value>;
/** A function that receives an error or a result. The driver's methods return promises instead. */
export type Callback<Result = unknown> = (error?: AnyError, result?: Result) => void;

/** Options with a signal. */
export interface Abortable {
  /** Aborts the operation at once with the signal's reason. */
  signal?: Signal | undefined;
}
/** A user name and a password. */
export interface Auth {
  /** The user name. */
  username?: string;
  /** The password. */
  password?: string;
}
/** The reply of a server whose write concern was not satisfied. */
export interface WriteConcernErrorResult extends Document {
  /** The write concern error. */
  writeConcernError: {
    code: number;
    errmsg: string;
    codeName?: string;
    errInfo?: Document;
  };
  /** 1 if the command succeeded. */
  ok: number;
  /** The code of the error. */
  code?: number;
  /** The labels, such as `RetryableWriteError`. */
  errorLabels?: string[];
}
/** The monitoring protocol. */
export type ServerMonitoringMode = NonNullable<MongoClientOptions['serverMonitoringMode']>;
/** The minimum severity of log messages for each component. */
export type LogComponentSeveritiesClientOptions = NonNullable<LogOptions['mongodbLogComponentSeverities']>;
export type { LogMessage as Log, LogWritable as MongoDBLogWritable };

/** A function that uses a session, for `client.withSession`. */
export type WithSessionCallback<T = unknown> = (session: ClientSession) => Promise<T>;
/** A function that runs the operations of a transaction, for `session.withTransaction`. */
// oxlint-disable-next-line typescript/no-explicit-any -- as in the official driver: a result without a type
export type WithTransactionCallback<T = any> = (session: ClientSession) => Promise<T>;

/** Options that convert documents to BSON and back. */
export type BSONSerializeOptions = BsonOptions;
/** Options of operations that send a single command. */
export type CommandOperationOptions = CommandOptions;
/** Options of `db.command`. */
export type RunCommandOptions = OperationOptions;
/** Options of `findOne`. */
export type FindOneOptions = FindOptions;
/** Options of aggregations. */
export type AggregationCursorOptions = AggregateOptions;
/** Options of `db.dropCollection`. */
export type DropCollectionOptions = CommandOptions;
/** Options of `db.dropDatabase`. */
export type DropDatabaseOptions = CommandOptions;
/** Options of `db.stats`. */
export type DbStatsOptions = CommandOptions & {
  /** The number by which sizes in bytes are divided. Default: 1. */
  scale?: number;
};
/** Options of `removeUser`. */
export type RemoveUserOptions = CommandOptions;
/** Options of `db.profilingLevel`. */
export type ProfilingLevelOptions = CommandOptions;
/** Options of `db.setProfilingLevel`. */
export type SetProfilingLevelOptions = CommandOptions;
/** Options of operations that can be explained. */
export type ExplainOptions = Explainable;
/** The server's description of an index. */
export type IndexDescriptionInfo = IndexInfo;
