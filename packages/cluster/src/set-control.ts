import type { Clock, Millis } from '@tessera/contracts';
import type { Member, ReplicaSet, ServerProcess } from '@tessera/server/parts';
import { waitUntil } from '@tessera/server/parts';
import type { ClusterMember, SetControl } from './cluster.js';
import type { OpenSet } from './open-set.js';

export const memberOf = (process: ServerProcess): ClusterMember => ({
  get address() {
    return process.state.address;
  },
  get state() {
    const { role } = process.state;
    if (!process.front.isRunning) return 'down';
    return role.kind === 'member' ? role.member.state : role.kind;
  },
  get isPrimary() {
    const { role } = process.state;
    return role.kind === 'standalone' || role.member.isPrimary;
  },
  get isRunning() {
    return process.front.isRunning;
  },
  accept: socket => process.accept(socket),
  intercept: (command, subset, options) => process.intercept(command, subset, options),
});

/** How long to wait for somebody to catch up: as a mongod does. */
const patience: Millis = 10_000;

/** Resolves when it holds, with false if the time is over. It may hold after any change of any member. */
const until = async (set: ReplicaSet, clock: Clock, holds: () => boolean): Promise<boolean> => {
  const once = (wake: () => void): (() => void) => {
    const watching = set.members.flatMap(member => [member.onceChanged(wake), member.onceMoved(wake)]);
    return () => {
      for (const forget of watching) forget();
    };
  };
  return (await waitUntil(holds, { clock, within: patience, once })) === 'there';
};

/** What tests do to the servers of a set. */
export const controlOf = (clock: Clock, { set, processes }: OpenSet): SetControl => {
  const members = processes.map(memberOf);
  const at = <T>(all: readonly T[], place: number): T => {
    const found = all[place];
    if (found === undefined) throw new RangeError(`There is no member ${place}: the last is ${all.length - 1}`);
    return found;
  };
  const primaryNow = (): Member => {
    const { primary } = set;
    if (primary === undefined) throw new RangeError('There is no primary: wait for an election, or elect(…) a member');
    return primary;
  };
  return {
    members,
    get primary() {
      const { primary } = set;
      return primary === undefined ? undefined : members[primary.place];
    },
    stepDown: async () => {
      const primary = primaryNow();
      if (!(await until(set, clock, () => set.heirs(primary).length > 0))) {
        throw new RangeError(
          `Nobody can take the place of ${primary.host}: no member may be elected and has all that it has`,
        );
      }
      set.stepDown(primary, patience);
      if (!(await until(set, clock, () => set.primary !== undefined && set.primary !== primary))) {
        throw new RangeError(`Nobody was elected in the place of ${primary.host}`);
      }
      // It may be the next one's heir.
      set.rest(primary, 0);
    },
    elect: async place => {
      const member = at(set.members, place);
      if (member.isPrimary && set.primary === member) return;
      set.catchUp(member);
      const why = set.run(member);
      if (why !== undefined) throw new RangeError(`The member ${place} is not elected: ${why}`);
      await until(set, clock, () => set.primary === member);
    },
    crash: place => at(processes, place).crash(),
    restart: place => at(processes, place).restart(),
    shutDown: (place, quiesce = 0) => at(processes, place).shutDown(quiesce),
    partition: (...groups) => {
      set.network.cut(groups);
      set.refresh();
    },
    heal: () => {
      set.network.heal();
      for (const process of processes) process.thaw();
      set.refresh();
    },
    latency: (latency, between) => {
      set.network.setLatency(latency, between);
      set.refresh();
    },
    lag: (place, lag) => set.setLag(at(set.members, place), lag),
    freeze: place => at(processes, place).freeze(),
    thaw: place => at(processes, place).thaw(),
  };
};
