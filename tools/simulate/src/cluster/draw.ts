import type { Millis, ReadPreferenceMode } from '@tessera/contracts';
import { createChance } from '@tessera/sim';
import type { Chance } from '@tessera/sim';
import { between, drawSettings, pick } from '../draw-plan.js';
import { accounts } from './plan.js';
import type { ClusterCall, ClusterEvent, ClusterHappening, ClusterPlan } from './plan.js';

const modes: readonly ReadPreferenceMode[] = ['primary', 'secondary', 'secondaryPreferred', 'nearest'];
const lasting = (chance: Chance): Millis => pick(chance, [100, 700, 2000, 4000]);

type Numbers = () => number;

const timed = (chance: Chance): { readonly timeoutMS?: Millis } =>
  chance.happens(0.3) ? { timeoutMS: pick(chance, [100, 600, 3000, 8000]) } : {};

const drawCall = (chance: Chance, number: number, hasSnapshots: boolean): ClusterCall => {
  const rest = { number, ...timed(chance) };
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

/** Short of time, so that it goes on while what it wrote is still uncertain. */
const drawConversation = (chance: Chance, next: Numbers): readonly ClusterCall[] =>
  Array.from({ length: between(chance, 4, 10) }, (): ClusterCall => {
    const rest = { number: next(), ...(chance.happens(0.7) ? { timeoutMS: pick(chance, [100, 300, 1500]) } : {}) };
    return chance.happens(0.5)
      ? { kind: 'count', ...rest }
      : { kind: 'look', mode: pick(chance, ['primary', ...modes]), ...rest };
  });

const drawLoad = (chance: Chance, next: Numbers, until: Millis, hasSnapshots: boolean): ClusterEvent[] => {
  const events: ClusterEvent[] = [];
  const call = (at: Millis): void =>
    void events.push({ at, what: 'call', call: drawCall(chance, next(), hasSnapshots) });
  for (let bursts = between(chance, 1, 4); bursts > 0; bursts -= 1) {
    const at = chance.below(until);
    for (let count = between(chance, 2, 5); count > 0; count -= 1) call(at + chance.below(5));
  }
  for (let count = between(chance, 3, 8); count > 0; count -= 1) call(chance.below(until));
  for (let count = between(chance, 2, 4); count > 0; count -= 1)
    events.push({ at: chance.below(until), what: 'converse', calls: drawConversation(chance, next) });
  return events;
};

const drawFault = (chance: Chance, members: number): ClusterHappening => {
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

/** Most of them where they meet a call. */
const drawFaults = (
  chance: Chance,
  load: readonly ClusterEvent[],
  until: Millis,
  members: number,
): readonly ClusterEvent[] =>
  Array.from({ length: between(chance, 1, 6) }, () => {
    const at = chance.happens(0.7)
      ? pick(chance, load).at + pick(chance, [-50, -1, 0, 5, 15, 30, 60])
      : chance.below(until);
    return { at: Math.max(0, at), ...drawFault(chance, members) };
  });

/** The same seed draws the same plan. */
export const drawCluster = (seed: number): ClusterPlan => {
  const chance = createChance(seed, 'cluster');
  let number = 0;
  const next = (): number => (number += 1);
  const healAt = pick(chance, [3000, 6000, 12_000]);
  const version = pick(chance, ['4.4.0', '5.0.0', '7.0.12', '8.2.1']);
  const members = pick(chance, [3, 3, 5]);
  const load = drawLoad(chance, next, healAt, version !== '4.4.0');
  const settings = drawSettings(chance);
  const events = [...load, ...drawFaults(chance, load, healAt, members)];
  return {
    seed,
    kind: 'cluster',
    server: {
      version,
      journalInterval: pick(chance, [30, 100, 500]),
      members,
      electionTimeoutMillis: pick(chance, [300, 1000, 3000]),
      latency: pick(chance, [0, 1, 5, 30]),
      distance: pick(chance, [1, 2, 8]),
    },
    // Long enough for an election that comes after the faults have ended.
    settings: { ...settings, serverSelectionTimeoutMS: 15_000 },
    events: events.filter(({ at }) => at < healAt).sort((a, b) => a.at - b.at),
    healAt,
  };
};
