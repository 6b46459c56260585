import type { Soon } from '@tessera/contracts';
import type { Answer, ClientState, Request, ServerProcess, ServerState } from '@tessera/server/parts';
import { createCommands, dispatch } from '@tessera/server/parts';

/** A server of this process as a mongos of the same process reaches it. */
export interface ShardMember {
  readonly state: ServerState;
  /** Neither crashed nor closed. */
  readonly isRunning: boolean;
  /** For what is said to it next: no connection of a client has that number. */
  nextLine(): number;
  answer(client: ClientState, request: Request): Soon<Answer>;
}

/** A replica set that keeps a part of the data. */
export interface Shard {
  /** `shard0` */
  readonly name: string;
  readonly members: readonly ShardMember[];
}

/** The member that may be written to, by the newest election if two believe to be it; undefined while there is none. */
export const primaryOf = ({ members }: Shard): ShardMember | undefined => {
  const termOf = ({ state }: ShardMember): bigint => state.member?.term ?? 0n;
  return members
    .filter(({ state, isRunning }) => isRunning && state.member?.isPrimary === true)
    .reduce<ShardMember | undefined>((a, b) => (a === undefined || termOf(b) > termOf(a) ? b : a), undefined);
};

/** `shard0/127.0.0.1:27018,127.0.0.1:27019`, as config.shards has it. */
export const hostOf = ({ name, members }: Shard): string =>
  `${members[0]!.state.member?.setName ?? name}/${members.map(({ state }) => state.address).join(',')}`;

/** Connections of clients are numbered from 1. */
const firstLine = 0x4000_0000;

const memberOf = ({ state, front }: ServerProcess): ShardMember => {
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

/** Servers that are the members of one replica set, as a shard. */
export const shardOf = (name: string, processes: readonly ServerProcess[]): Shard => ({
  name,
  members: processes.map(memberOf),
});
