import type { Compressor, Millis, Soon } from '@tessera/contracts';
import type { Doc, Entry, ObjectIdValue, Since, TimestampValue, Value } from '@tessera/mql/engine';
import { fail, isDoc, typeName } from '@tessera/mql/engine';
import type { Auth } from '../auth/auth.js';
import type { Login } from '../auth/login.js';
import type { Engine } from '../engine/engine.js';
import type { FailPoints } from '../engine/fail-points.js';
import type { RetryableWrite } from '../repl/retryable-write.js';
import type { ServerRole } from '../repl/role.js';
import type { Capacity } from '../engine/capacity.js';
import type { Data, Snapshot } from '../engine/data.js';
import type { DatabaseValue } from '../engine/database.js';
import type { Profiler } from '../engine/profiler.js';
import type { SessionKey } from '../engine/sessions.js';
import type { Peer } from '../wire/connection.js';
import type { Args, Field, Schema } from './schema.js';
import { any } from './schema.js';

/** One server as its commands see it. */
export interface ServerState {
  readonly engine: Engine;
  readonly compressors: readonly Compressor[];
  /** Of hello's topologyVersion: this run of the server. Another after a crash. */
  processId: ObjectIdValue;
  /** `127.0.0.1:27017`, once it is known. */
  address: string;
  readonly connections: { current: number; totalCreated: number };
  readonly auth: Auth;
  /** Commands so far, by name. */
  readonly counters: Map<string, number>;
  /** Whether commands are known that are for tests only: mongod's `enableTestCommands`. */
  readonly testCommands: boolean;
  /** What it is in its deployment. */
  readonly role: ServerRole;
  /** Ends the process in order, after that time. */
  readonly shutDown?: ((after: Millis) => void) | undefined;
  readonly failPoints: FailPoints;
  /** Undefined: it has time for everyone. */
  readonly capacity: Capacity | undefined;
  readonly profiler: Profiler;
}

/** One connection as commands see it. */
export interface ClientState {
  readonly peer: Peer;
  /** What it told of itself in its first hello. */
  metadata: Doc | undefined;
  /** It said in hello that it is a server of the same deployment. */
  isInternal: boolean;
  /** It is a mongos of the same process, which asks for those that it lets in. */
  readonly isTrusted: boolean;
  /** It came through a load balancer. */
  readonly isBalanced: boolean;
  /** The command that it sent last, whatever came of it. */
  latest: string | undefined;
  readonly login: Login;
}

/** Arguments that any command may have. */
export interface GenericArgs {
  readonly lsid: Doc | undefined;
  readonly txnNumber: bigint | undefined;
  /** It is part of a transaction: the first statement, or one after it. */
  readonly transaction: 'start' | 'continue' | undefined;
  readonly maxTimeMS: number | undefined;
  readonly comment: Value | undefined;
  readonly readConcern: Doc | undefined;
  readonly writeConcern: Doc | undefined;
  readonly apiStrict: boolean;
}

/** Which data a member of a set is to read. */
export interface ReadConcern {
  readonly level: 'local' | 'available' | 'majority' | 'linearizable' | 'snapshot';
  /** It has to have what was written at that time. */
  readonly after: TimestampValue | undefined;
  /** The data as it was at that time. */
  readonly at: TimestampValue | undefined;
}

/** One command that is being answered. */
export interface Call {
  readonly server: ServerState;
  readonly engine: Engine;
  readonly client: ClientState;
  readonly db: string;
  /** As the client spelled it. */
  readonly spelling: string;
  /** The value of the command's first field. */
  readonly target: Value;
  readonly body: Doc;
  readonly session: SessionKey | undefined;
  readonly generic: GenericArgs;
  /** On the clock: when `maxTimeMS` is over. */
  readonly deadline: Millis;
  /** It has a transaction number. */
  readonly write: RetryableWrite | undefined;
  /** What it reads and writes. */
  readonly data: Data;
  /** Undefined: it reads the newest data. */
  readonly readConcern: ReadConcern | undefined;
  /** It reads the data as they were at a time, and tells it. */
  readonly snapshot: Snapshot | undefined;
  /** Several replies may follow one another. */
  readonly exhaust: boolean;
}

/** What a command reads from. */
export const valueOf = ({ snapshot, data, db, server: { role } }: Call): DatabaseValue => {
  const value = snapshot?.value ?? data.value;
  return db === 'local' ? role.withLocal(value) : value;
};

/** Fields of a reply without `ok`, which is added at the end. */
export type Fields = readonly Entry[];

/** A reply with more to say than its fields. */
export interface Reply {
  readonly fields: Fields;
  /** About how many bytes it has. */
  readonly size?: number | undefined;
  /** The next of several replies, where the request allows them. */
  readonly next?: (() => Soon<Fields | Reply>) | undefined;
}

export interface Command {
  readonly name: string;
  readonly aliases: readonly string[];
  /** The first field. */
  readonly target: Field<unknown>;
  readonly schema: Schema;
  /** Ignores fields that it does not know. */
  readonly lenient: boolean;
  readonly readConcern: boolean;
  readonly writeConcern: boolean;
  readonly adminOnly: boolean;
  /** Part of the Stable API, version 1. */
  readonly stable: boolean;
  /** What it is in version 2, which is there for tests alone. */
  readonly inVersion2: 'stable' | 'deprecated' | undefined;
  readonly since: Since | undefined;
  /** The first version that no longer knows it. */
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

/** A command with its fields typed by its schema. */
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

/** @throws CommandError 73 for a name that no collection can have. */
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

/** The namespace of a command whose first field is a collection's name. @throws CommandError 73 */
export const namespaceOf = (call: Call): string => {
  if (typeof call.target !== 'string') {
    throw fail('InvalidNamespace', `collection name has invalid type ${typeName(call.target)}`);
  }
  return checkNamespace(call.db, call.target);
};

/** A hint is the name of an index or its key; an empty document is none. */
export const hintOf = (hint: string | Doc | undefined): string | Doc | undefined =>
  isDoc(hint) && hint.size === 0 ? undefined : hint;
