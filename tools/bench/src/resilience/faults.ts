import type { Chance } from '@tessera/sim';

export type FaultName = 'transient' | 'failover' | 'outage' | 'command' | 'overload';

/** The names of the faults in the table. */
export const faultTitles: Readonly<Record<FaultName, string>> = {
  transient: 'transient network error',
  failover: 'failover with step-down',
  outage: 'persistent outage',
  command: 'command error',
  overload: 'overload',
};

export const faultNames: readonly FaultName[] = ['transient', 'failover', 'outage', 'command', 'overload'];

/** Returns the number of replica set members for a fault: a failover needs members that can be elected. */
export const membersFor = (name: FaultName): number => (name === 'failover' ? 3 : 1);

/** The fault during one increment. */
export interface Fault {
  readonly name: FaultName;
  /** The index of the operation's command that fails. */
  readonly step: number;
  /** Whether the server executed the command before the connection failed. */
  readonly applied: boolean;
  /** How many consecutive tries an overloaded server rejects. */
  readonly refusals: number;
}

const mostRefusals = 2;

/** Returns a random fault for one increment. */
export const drawFault = (name: FaultName, steps: number, chance: Chance): Fault => ({
  name,
  step: Math.floor(chance.unit() * steps),
  applied: chance.unit() < 0.5,
  refusals: 1 + Math.floor(chance.unit() * mostRefusals),
});
