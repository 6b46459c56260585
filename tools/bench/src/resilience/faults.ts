import type { Chance } from '@tessera/sim';

export type FaultName = 'transient' | 'failover' | 'outage' | 'command' | 'overload';

/** What goes wrong, in the words of the table. */
export const faultTitles: Readonly<Record<FaultName, string>> = {
  transient: 'transient network error',
  failover: 'failover with step-down',
  outage: 'persistent outage',
  command: 'command error',
  overload: 'overload',
};

export const faultNames: readonly FaultName[] = ['transient', 'failover', 'outage', 'command', 'overload'];

/** How many servers it takes: somebody else must be there to be elected. */
export const membersFor = (name: FaultName): number => (name === 'failover' ? 3 : 1);

/** What befalls one counter. */
export interface Fault {
  readonly name: FaultName;
  /** Which of the operation's commands is hit, from 0. */
  readonly step: number;
  /** Whether the server had carried it out before the connection broke. */
  readonly applied: boolean;
  /** How many tries in a row an overloaded server refuses. */
  readonly refusals: number;
}

const mostRefusals = 2;

/** Drawn for one counter. */
export const drawFault = (name: FaultName, steps: number, chance: Chance): Fault => ({
  name,
  step: Math.floor(chance.unit() * steps),
  applied: chance.unit() < 0.5,
  refusals: 1 + Math.floor(chance.unit() * mostRefusals),
});
