import type { Compressor, Millis, Soon } from '@tessera/contracts';
import type { BinaryValue, Doc, Entry, ObjectIdValue, Since, TimestampValue, Value } from '@tessera/mql/engine';
import { fail, isDoc, typeName } from '@tessera/mql/engine';
import type { DatabaseValue } from '@tessera/store';
import type { Auth } from '../auth/auth.js';
import type { Login } from '../auth/login.js';
import type { Engine } from '../engine/engine.js';
import type { FailPoints } from '../engine/fail-points.js';
import type { RetryableWrite } from '../repl/retryable-write.js';
import type { ServerRole } from '../repl/role.js';
import type { Capacity } from '../engine/capacity.js';
import type { Data, Snapshot } from '../engine/data.js';
import type { Profiler } from '../engine/profiler.js';
import type { SessionKey } from '../engine/sessions.js';
import type { Usage } from '../engine/usage.js';
import type { Search } from '../search/search.js';
import type { ConnectionCounts, Peer, Traffic } from '../wire/connection.js';
import type { Args, Field, Schema } from './schema.js';
import { any } from './schema.js';

/** The state of a server that commands use. */
export interface ServerState {
  readonly engine: Engine;
  readonly compressors: readonly Compressor[];
  /** The `processId` of hello's topologyVersion. It changes when the server restarts. */
  processId: ObjectIdValue;
  /** The address, such as `127.0.0.1:27017`, once the server listens. */
  address: string;
  readonly connections: Readonly<ConnectionCounts>;
  readonly auth: Auth;
  /** The number of commands executed, by name. */
  readonly counters: Map<string, number>;
  readonly usage: Usage;
  /** The bytes and requests of all connections since the server process started. */
  readonly traffic: Readonly<Traffic>;
  /** Whether commands for tests are enabled: mongod's `enableTestCommands`. */
  readonly testCommands: boolean;
  /** The server's role in its deployment. */
  readonly role: ServerRole;
  /** Shuts the process down in order, after a delay in milliseconds. */
  readonly shutDown?: ((after: Millis) => void) | undefined;
  readonly failPoints: FailPoints;
  /** Undefined if the throughput is not limited. */
  readonly capacity: Capacity | undefined;
  readonly profiler: Profiler;
  /** The search indexes. Undefined without the option `search`. */
  readonly search?: Search | undefined;
}

/** The state of a connection that commands use. */
export interface ClientState {
  readonly peer: Peer;
  /** The client metadata of the first hello. */
  metadata: Doc | undefined;
  /** Whether the hello identified the client as a server of the same deployment. */
  isInternal: boolean;
  /**
   * Whether the client is a mongos of the same process, which forwards requests of clients that it has authenticated.
   */
  readonly isTrusted: boolean;
  /** Whether the connection came through a load balancer. */
  readonly isBalanced: boolean;
  /** The name of the last command received, successful or not. */
  latest: string | undefined;
  readonly login: Login;
}

/** Arguments that every command accepts. */
export interface GenericArgs {
  readonly lsid: Doc | undefined;
  readonly txnNumber: bigint | undefined;
  /** Whether the command is the first statement of a transaction or a later one; undefined outside of transactions. */
  readonly transaction: 'start' | 'continue' | undefined;
  readonly maxTimeMS: number | undefined;
  readonly comment: Value | undefined;
  readonly readConcern: Doc | undefined;
  readonly writeConcern: Doc | undefined;
  readonly apiStrict: boolean;
  /** Whether the command is about the buckets of a time series, not about its measurements. */
  readonly rawData: boolean;
}

/** The read concern: which data a replica set member reads. */
export interface ReadConcern {
  readonly level: 'local' | 'available' | 'majority' | 'linearizable' | 'snapshot';
  /** `afterClusterTime`: the member waits until it has the writes up to this time. */
  readonly after: TimestampValue | undefined;
  /** `atClusterTime`: the member reads the data as of this time. */
  readonly at: TimestampValue | undefined;
}

/** A command that is being executed. */
export interface Call {
  readonly server: ServerState;
  readonly engine: Engine;
  readonly client: ClientState;
  readonly db: string;
  /** The command's name as the client wrote it. */
  readonly spelling: string;
  /** The value of the command's first field. */
  readonly target: Value;
  readonly body: Doc;
  readonly session: SessionKey | undefined;
  readonly generic: GenericArgs;
  /** The clock's time at which `maxTimeMS` expires. */
  readonly deadline: Millis;
  /** Set if the command has a transaction number outside of a transaction. */
  readonly write: RetryableWrite | undefined;
  /** The data that the command reads and writes. */
  readonly data: Data;
  /** Undefined: the command reads the newest data. */
  readonly readConcern: ReadConcern | undefined;
  /** Set if the command reads from a snapshot. Its reply contains the snapshot's time. */
  readonly snapshot: Snapshot | undefined;
  /** The UUID of the collection that the command creates, if `applyOps` sets it. */
  readonly newUuid?: BinaryValue;
  /** Whether the client accepts several replies to this request. */
  readonly exhaust: boolean;
}

/** Returns the data that a command reads. */
export const valueOf = ({ snapshot, data, db, server: { role } }: Call): DatabaseValue => {
  const value = snapshot?.value ?? data.value;
  return db === 'local' ? role.withLocal(value) : value;
};

/** The fields of a reply without `ok`, which is appended. */
export type Fields = readonly Entry[];

/** A reply with properties besides its fields. */
export interface Reply {
  readonly fields: Fields;
  /** The approximate size in bytes. */
  readonly size?: number | undefined;
  /** Produces the next of several replies, if the request allows them. */
  readonly next?: (() => Soon<Fields | Reply>) | undefined;
}

export interface Command {
  readonly name: string;
  readonly aliases: readonly string[];
  /** The command's first field. */
  readonly target: Field<unknown>;
  readonly schema: Schema;
  /** Whether the command ignores unknown fields. */
  readonly lenient: boolean;
  readonly readConcern: boolean;
  readonly writeConcern: boolean;
  readonly adminOnly: boolean;
  /** Whether the command is part of the Stable API, version 1. */
  readonly stable: boolean;
  /** The command's status in API version 2, which exists for tests only. */
  readonly inVersion2: 'stable' | 'deprecated' | undefined;
  readonly since: Since | undefined;
  /** The first version without this command. */
  readonly until: Since | undefined;
  readonly help: string;
  readonly run: (call: Call, args: never) => Soon<Fields | Reply>;
}

type Optional =
  | 'aliases'
  | 'target'
  | 'schema'
  | 'lenient'
  | 'readConcern'
  | 'writeConcern'
  | 'adminOnly'
  | 'stable'
  | 'inVersion2'
  | 'since'
  | 'until';

/** Defines a command whose arguments have the types of its schema. */
export const command = <S extends Schema>(
  definition: Omit<Command, 'run' | Optional> &
    Partial<Pick<Command, Exclude<Optional, 'schema'>>> & {
      readonly schema?: S;
      readonly run: (call: Call, args: Args<S>) => Soon<Fields | Reply>;
    },
): Command => ({
  aliases: [],
  target: any(),
  schema: {},
  lenient: false,
  readConcern: false,
  writeConcern: false,
  adminOnly: false,
  stable: false,
  inVersion2: undefined,
  since: undefined,
  until: undefined,
  ...definition,
});

export const maxNamespaceLength = 255;

/** Returns the namespace of a collection. @throws CommandError 73 for an invalid name */
export const checkNamespace = (db: string, name: string): string => {
  const ns = `${db}.${name}`;
  if (name === '' || name.startsWith('.') || name.includes('\0')) {
    throw fail('InvalidNamespace', `Invalid namespace specified '${ns}'`);
  }
  if (ns.length > maxNamespaceLength) {
    throw fail(
      'InvalidNamespace',
      `Fully qualified namespace is too long. Namespace: ${ns} Max: ${maxNamespaceLength}`,
    );
  }
  return ns;
};

/** Returns the namespace of a command whose first field is a collection's name. @throws CommandError 73 */
export const namespaceOf = (call: Call): string => {
  if (typeof call.target !== 'string') {
    throw fail('InvalidNamespace', `collection name has invalid type ${typeName(call.target)}`);
  }
  return checkNamespace(call.db, call.target);
};

/** Returns the namespace that a command writes to. @throws CommandError 73 for a collection that only the server writes */
export const writtenBy = (call: Call): string => {
  const ns = namespaceOf(call);
  checkWritable(ns);
  return ns;
};

/** @throws CommandError 73 for a collection that only the server writes */
export const checkWritable = (ns: string): void => {
  if (ns.endsWith('.system.profile') || ns.endsWith('.system.views'))
    throw fail('InvalidNamespace', `cannot write to ${ns}`);
};

/** Returns the hint: the name of an index or its key. An empty document means no hint. */
export const hintOf = (hint: string | Doc | undefined): string | Doc | undefined =>
  isDoc(hint) && hint.size === 0 ? undefined : hint;
