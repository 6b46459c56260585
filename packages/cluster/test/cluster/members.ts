import type { Document } from 'bson';
import { Long, UUID } from 'bson';
import type { MemberOptions, SetControl } from '../../src/cluster.js';
import { openSet } from '../../src/open-set.js';
import { controlOf } from '../../src/set-control.js';
import type { ReplicaSet } from '../../../server/src/repl/replica-set.js';
import type { SetSettings } from '../../../server/src/repl/set-config.js';
import type { ServerOptions } from '../../../server/src/server-options.js';
import { serverDefaults } from '../../../server/src/server-options.js';
import type { ManualClock, Reply } from '../../../server/test/client.js';
import { Client, settled, testRuntime } from '../../../server/test/client.js';

export interface MembersOptions extends Omit<ServerOptions, 'replicaSet'> {
  readonly settings?: Partial<Omit<SetSettings, 'replicaSetId'>>;
}

/** A replica set with a manual clock, and a connection to each member. */
export interface Members extends SetControl {
  readonly set: ReplicaSet;
  readonly clock: ManualClock;
  readonly clients: readonly Client[];
  /** Opens another connection to a member. */
  connect(member: number): Client;
  close(): Promise<void>;
}

/** Returns a host such as `db0:27017`. */
export const hostOf = (member: number): string => `db${member}:27017`;

export const members = (wish: number | readonly MemberOptions[] = 3, options: MembersOptions = {}): Members => {
  const runtime = testRuntime();
  const { settings = {}, ...serverOptions } = options;
  const hosts = Array.from({ length: 7 }, (_, i) => hostOf(i));
  const resolved = { ...serverDefaults, testCommands: true, ...serverOptions };
  const open = openSet(runtime, { name: 'rs0', members: wish, settings }, resolved, hosts);
  const control = controlOf(runtime.clock, open);
  const connect = (member: number): Client => new Client(open.processes[member]!);
  return {
    ...control,
    get primary() {
      return control.primary;
    },
    set: open.set,
    clock: runtime.clock,
    clients: open.processes.map((_, i) => connect(i)),
    connect,
    close: async () => {
      await Promise.all(open.processes.map(process => process.close()));
    },
  };
};

export const lsid = { id: new UUID('00112233-4455-6677-8899-aabbccddeeff') };

export const retryable = (number: number): Document => ({ lsid, txnNumber: Long.fromInt(number) });

/** Reads from any member. */
export const nearest = { $readPreference: { mode: 'nearest' } };

/** Returns the reply without fields that differ in every reply. */
export const plainly = ({
  $clusterTime: _,
  operationTime: __,
  electionId: ___,
  opTime: ____,
  ...reply
}: Document): Document => reply;

/** Returns the `_id`s of the collection `c` on a member. */
export const idsAt = async (client: Client, more: Document = {}): Promise<readonly unknown[]> => {
  const reply = await client.plain({ find: 'c', sort: { _id: 1 }, ...nearest, ...more });
  if (reply.ok !== 1) throw new Error(`${reply.code} ${reply.errmsg}`);
  return reply.cursor.firstBatch.map(({ _id }) => _id);
};

export const insert = (client: Client, _id: unknown, more: Document = {}): Promise<Reply> =>
  client.plain({ insert: 'c', documents: [{ _id }], ...more });

export const hello = (client: Client): Promise<Reply> => client.plain({ hello: 1 }, 'admin');

/** Steps the primary down and waits for the election of another one. */
export const stepDown = async (set: Members): Promise<void> => {
  const done = set.stepDown();
  await settled();
  await set.clock.advance(0);
  await done;
};
