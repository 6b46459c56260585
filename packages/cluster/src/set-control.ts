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

/** How long to wait for a member to catch up, as in mongod. */
const catchUpTimeout: Millis = 10_000;

/** Waits for a condition, which is checked after every change of a member. Resolves to false on timeout. */
const until = async (set: ReplicaSet, clock: Clock, holds: () => boolean): Promise<boolean> => {
  const once = (wake: () => void): (() => void) => {
    const watching = set.members.flatMap(member => [member.onceChanged(wake), member.onceMoved(wake)]);
    return () => {
      for (const forget of watching) forget();
    };
  };
  return (await waitUntil(holds, { clock, within: catchUpTimeout, once })) === 'there';
};

/** Creates the controls of a set. */
export const controlOf = (clock: Clock, { set, processes }: OpenSet): SetControl => {
  const members = processes.map(memberOf);
  const at = <T>(all: readonly T[], place: number): T => {
    const found = all[place];
    if (found === undefined)
      throw new RangeError(`There is no member ${place}. The members are numbered from 0 to ${all.length - 1}.`);
    return found;
  };
  const primaryNow = (): Member => {
    const { primary } = set;
    if (primary === undefined) throw new RangeError('There is no primary. Wait for an election, or call elect().');
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
      if (!(await until(set, clock, () => set.successors(primary).length > 0))) {
        throw new RangeError(
          `The primary ${primary.host} cannot step down: no electable member has caught up with it.`,
        );
      }
      set.stepDown(primary, catchUpTimeout);
      if (!(await until(set, clock, () => set.primary !== undefined && set.primary !== primary))) {
        throw new RangeError(`No other member was elected after the primary ${primary.host} stepped down.`);
      }
      // The former primary can be elected again.
      set.rest(primary, 0);
    },
    elect: async place => {
      const member = at(set.members, place);
      if (member.isPrimary && set.primary === member) return;
      set.catchUp(member);
      const why = set.run(member);
      if (why !== undefined) throw new RangeError(`Member ${place} was not elected: ${why}.`);
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
