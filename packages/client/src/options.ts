import type { AuthMechanismProperties } from '@tessera/auth';
import type { BsonOptions, TagSet } from '@tessera/contracts';
import type { ReadConcernLike, ReadPreferenceLike, W, WriteConcern, WriteConcernSettings } from './concerns.js';

/** Options of a client; each may stand in the connection string too, and what stands here goes before it. */
export interface MongoClientOptions extends BsonOptions {
  readonly appName?: string | undefined;
  readonly driverInfo?: { readonly name?: string; readonly version?: string; readonly platform?: string } | undefined;
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
  readonly heartbeatFrequencyMS?: number | undefined;
  readonly minHeartbeatFrequencyMS?: number | undefined;
  readonly serverMonitoringMode?: 'auto' | 'poll' | 'stream' | undefined;
  readonly serverSelectionTimeoutMS?: number | undefined;
  readonly localThresholdMS?: number | undefined;
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
  /** One budget for a whole operation: selection, checkout, connect, all attempts. 0 is no limit. */
  readonly timeoutMS?: number | undefined;
  readonly forceServerObjectId?: boolean | undefined;
  readonly pkFactory?: { createPk(): unknown } | undefined;
  readonly monitorCommands?: boolean | undefined;
}
