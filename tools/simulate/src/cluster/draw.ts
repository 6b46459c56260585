import type { Millis, ReadPreferenceMode } from '@tessera/contracts';
import { createChance } from '@tessera/sim';
import type { Chance } from '@tessera/sim';
import {
  between,
  createNumbers,
  drawCalls,
  drawMoment,
  drawSettings,
  drawTimeout,
  inTime,
  pick,
  several,
} from '../kernel/draw.js';
import type { PlannedEvent } from '../kernel/plan.js';
import { accounts } from './plan.js';
import type { ClusterCall, ClusterFault, ClusterPlan } from './plan.js';

const modes: readonly ReadPreferenceMode[] = ['primary', 'secondary', 'secondaryPreferred', 'nearest'];
const lasting = (chance: Chance): Millis => pick(chance, [100, 700, 2000, 4000]);

const drawCall = (chance: Chance, number: number, hasSnapshots: boolean): ClusterCall => {
  const rest = { number, ...drawTimeout(chance, 0.3, [100, 600, 3000, 8000]) };
  const unit = chance.unit();
  if (unit < 0.3) return { kind: 'insert', w: pick(chance, ['majority', 'majority', 1]), ...rest };
  if (unit < 0.45) return { kind: 'push', w: pick(chance, ['majority', 'majority', 1]), ...rest };
  if (unit < 0.8) {
    const from = chance.below(accounts);
    const to = (from + between(chance, 1, accounts - 1)) % accounts;
    return { kind: 'transfer', from, to, amount: between(chance, 1, 9), aborts: chance.happens(0.15), ...rest };
  }
  const by = hasSnapshots ? pick(chance, ['transaction', 'snapshot'] as const) : 'transaction';
  return { kind: 'sum', by, mode: by === 'transaction' ? 'primary' : pick(chance, modes), ...rest };
};

/** Draws a conversation. Its timeouts are short, so that it continues while the outcome of its writes is unknown. */
const drawConversation = (chance: Chance, next: () => number): readonly ClusterCall[] =>
  several(chance, [4, 10], (): ClusterCall => {
    const rest = { number: next(), ...drawTimeout(chance, 0.7, [100, 300, 1500]) };
    return chance.happens(0.5)
      ? { kind: 'count', ...rest }
      : { kind: 'look', mode: pick(chance, ['primary', ...modes]), ...rest };
  });

const load = { bursts: [1, 4], inBurst: [2, 5], spread: 5, singles: [3, 8] } as const;

const drawLoad = (chance: Chance, until: Millis, hasSnapshots: boolean): PlannedEvent<ClusterCall, never>[] => {
  const next = createNumbers();
  return [
    ...drawCalls(chance, until, load, () => drawCall(chance, next(), hasSnapshots)),
    ...several(chance, [2, 4], () => {
      const at = chance.below(until);
      return { at, what: 'converse', causal: true, calls: drawConversation(chance, next) } as const;
    }),
  ];
};

const drawFault = (chance: Chance, members: number): ClusterFault => {
  const member = chance.below(members);
  const unit = chance.unit();
  if (unit < 0.15) return { what: 'stepDown' };
  if (unit < 0.22) return { what: 'elect', member };
  if (unit < 0.34) return { what: 'crash', lasting: lasting(chance) };
  if (unit < 0.4) return { what: 'crash', member, lasting: lasting(chance) };
  if (unit < 0.45) return { what: 'shutDown', member, quiesce: pick(chance, [0, 200]), lasting: lasting(chance) };
  if (unit < 0.75)
    return { what: 'part', others: between(chance, 0, Math.floor((members - 1) / 2)), lasting: lasting(chance) };
  if (unit < 0.8) return { what: 'lag', member, by: pick(chance, [50, 500, 3000]), lasting: lasting(chance) };
  if (unit < 0.86) return { what: 'freeze', member, lasting: lasting(chance) };
  if (unit < 0.94) return { what: 'reset', member };
  if (unit < 0.97) return { what: 'cutOff', member, lasting: lasting(chance) };
  return { what: 'mishaps', reset: pick(chance, [0, 0.05]), stall: pick(chance, [0, 0.1]), lasting: lasting(chance) };
};

/** Draws a plan. The same seed draws the same plan. */
export const drawCluster = (seed: number): ClusterPlan => {
  const chance = createChance(seed, 'cluster');
  const healAt = pick(chance, [3000, 6000, 12_000]);
  const version = pick(chance, ['4.4.0', '5.0.0', '7.0.12', '8.2.1']);
  const members = pick(chance, [3, 3, 5]);
  const calls = drawLoad(chance, healAt, version !== '4.4.0');
  // Long enough for an election that comes after the faults have ended.
  const settings = { ...drawSettings(chance), serverSelectionTimeoutMS: 15_000 };
  const faults = several(chance, [1, 6], () => ({
    at: drawMoment(chance, calls, healAt, [-50, -1, 0, 5, 15, 30, 60]),
    ...drawFault(chance, members),
  }));
  const server = {
    version,
    journalInterval: pick(chance, [30, 100, 500]),
    members,
    electionTimeoutMillis: pick(chance, [300, 1000, 3000]),
    latency: pick(chance, [0, 1, 5, 30]),
    distance: pick(chance, [1, 2, 8]),
  };
  return {
    ...{ seed, deployment: 'replicaSet', splitsWrites: true, server, settings, healAt },
    events: inTime([...calls, ...faults], healAt),
  };
};
