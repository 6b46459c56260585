import type { Soon } from '@tessera/contracts';
import type { Answer, ClientState, Member, Request, ServerProcess, ServerState } from '@tessera/server/parts';
import { createCommands, dispatch } from '@tessera/server/parts';

/** A server, as a mongos of the same process uses it. */
export interface ShardServer {
  readonly state: ServerState;
  /** Whether the server has neither crashed nor been closed. */
  readonly isRunning: boolean;
  /** Returns a connection id for the next command, distinct from those of client connections. */
  nextConnectionId(): number;
  answer(client: ClientState, request: Request): Soon<Answer>;
}

/** A member of a shard's replica set. */
export interface ShardMember extends ShardServer {
  readonly member: Member;
}

/** A replica set that stores a part of the data. */
export interface Shard {
  /** For example `shard0`. */
  readonly name: string;
  readonly members: readonly ShardMember[];
}

/**
 * Returns the primary, or undefined if there is none. If two members consider themselves primary, that of the newer
 * election is returned.
 */
export const primaryOf = ({ members }: Shard): ShardMember | undefined => {
  let newest: ShardMember | undefined;
  for (const one of members) {
    if (!one.isRunning || !one.member.isPrimary) continue;
    if (newest === undefined || one.member.term > newest.member.term) newest = one;
  }
  return newest;
};

/** Returns a host string such as `shard0/127.0.0.1:27018,127.0.0.1:27019`, as in config.shards. */
export const hostOf = ({ members }: Shard): string =>
  `${members[0]!.member.setName}/${members.map(({ state }) => state.address).join(',')}`;

/** Client connections are numbered from 1. */
const firstId = 0x4000_0000;

export const shardServerOf = ({ state, front }: ServerProcess): ShardServer => {
  const commands = createCommands(state.testCommands);
  let ids = 0;
  return {
    state,
    get isRunning() {
      return front.isRunning;
    },
    nextConnectionId: () => {
      ids = (ids + 1) % firstId;
      return firstId + ids;
    },
    answer: (client, request) => dispatch(commands, state, client, request),
  };
};

/**
 * Creates a shard from the members of a replica set.
 * @throws RangeError for a standalone
 */
export const shardOf = (name: string, processes: readonly ServerProcess[]): Shard => ({
  name,
  members: processes.map(process => {
    const { role } = process.state;
    if (role.kind !== 'member') throw new RangeError(`A server of the shard ${name} is not a member of a replica set.`);
    return Object.assign(shardServerOf(process), { member: role.member });
  }),
});
