import type { Soon } from '@tessera/contracts';
import type { Answer, ClientState, Member, Request, ServerProcess, ServerState } from '@tessera/server/parts';
import { createCommands, dispatch } from '@tessera/server/parts';

/** A server of this process as a mongos of the same process reaches it. */
export interface ShardServer {
  readonly state: ServerState;
  /** Neither crashed nor closed. */
  readonly isRunning: boolean;
  /** For what is said to it next: no connection of a client has that number. */
  nextLine(): number;
  answer(client: ClientState, request: Request): Soon<Answer>;
}

/** A member of the replica set of a shard. */
export interface ShardMember extends ShardServer {
  readonly member: Member;
}

/** A replica set that keeps a part of the data. */
export interface Shard {
  /** `shard0` */
  readonly name: string;
  readonly members: readonly ShardMember[];
}

/** The member that may be written to, by the newest election if two believe to be it; undefined while there is none. */
export const primaryOf = ({ members }: Shard): ShardMember | undefined => {
  let newest: ShardMember | undefined;
  for (const one of members) {
    if (!one.isRunning || !one.member.isPrimary) continue;
    if (newest === undefined || one.member.term > newest.member.term) newest = one;
  }
  return newest;
};

/** `shard0/127.0.0.1:27018,127.0.0.1:27019`, as config.shards has it. */
export const hostOf = ({ members }: Shard): string =>
  `${members[0]!.member.setName}/${members.map(({ state }) => state.address).join(',')}`;

/** Connections of clients are numbered from 1. */
const firstLine = 0x4000_0000;

export const shardServerOf = ({ state, front }: ServerProcess): ShardServer => {
  const commands = createCommands(state.testCommands);
  let lines = 0;
  return {
    state,
    get isRunning() {
      return front.isRunning;
    },
    nextLine: () => {
      lines = (lines + 1) % firstLine;
      return firstLine + lines;
    },
    answer: (client, request) => dispatch(commands, state, client, request),
  };
};

/** Servers that are the members of one replica set, as a shard. @throws RangeError for a standalone */
export const shardOf = (name: string, processes: readonly ServerProcess[]): Shard => ({
  name,
  members: processes.map(process => {
    const { role } = process.state;
    if (role.kind !== 'member') throw new RangeError(`A server of ${name} is no member of a replica set`);
    return Object.assign(shardServerOf(process), { member: role.member });
  }),
});
