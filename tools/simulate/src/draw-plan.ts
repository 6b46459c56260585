import type { Address, Millis, ReadPreferenceMode, TagSet } from '@tessera/contracts';
import { createChance } from '@tessera/sim';
import type { Chance } from '@tessera/sim';
import type {
  DeploymentKind,
  Happening,
  Plan,
  PlannedEvent,
  PlannedMember,
  PlannedOperation,
  PlannedSettings,
} from './plan.js';

const modes: readonly ReadPreferenceMode[] = [
  'primary',
  'primary',
  'primaryPreferred',
  'secondary',
  'secondaryPreferred',
  'nearest',
];
const sites: readonly TagSet[] = [{ dc: 'ny' }, { dc: 'sf' }];

export const pick = <T>(chance: Chance, from: readonly T[]): T => from[chance.below(from.length)]!;
export const between = (chance: Chance, least: number, most: number): number => least + chance.below(most - least + 1);

const drawKind = (chance: Chance): DeploymentKind => {
  const unit = chance.unit();
  if (unit < 0.64) return 'replicaSet';
  if (unit < 0.78) return 'sharded';
  return unit < 0.9 ? 'loadBalanced' : 'standalone';
};

const drawMembers = (chance: Chance, kind: DeploymentKind): PlannedMember[] => {
  const distance = (): Millis => pick(chance, [1, 1, 2, 5, 12, 40]);
  if (kind === 'standalone') return [{ address: 's1:27017', part: 'data', tags: {}, distance: distance() }];
  if (kind === 'loadBalanced') return [{ address: 'lb:27017', part: 'data', tags: {}, distance: distance() }];
  const count = kind === 'sharded' ? between(chance, 1, 3) : between(chance, 1, 7);
  return Array.from({ length: count }, (_, index) => {
    const unit = chance.unit();
    // The first two hold data, so that a set without the others still has a primary.
    const part = kind === 'sharded' || index < 2 || unit < 0.75 ? 'data' : unit < 0.9 ? 'arbiter' : 'hidden';
    return { address: `m${index + 1}:27017`, part, tags: pick(chance, sites), distance: distance() };
  });
};

export const drawSettings = (chance: Chance): PlannedSettings => {
  const maxPoolSize = pick(chance, [1, 2, 3, 5, 10]);
  return {
    heartbeatFrequencyMS: pick(chance, [500, 1000, 2000, 4000, 10_000]),
    connectTimeoutMS: pick(chance, [800, 1500, 3000]),
    socketTimeoutMS: pick(chance, [1000, 2000, 4000]),
    serverSelectionTimeoutMS: pick(chance, [8000, 15_000]),
    localThresholdMS: pick(chance, [0, 15, 15, 30]),
    serverMonitoringMode: pick(chance, ['auto', 'auto', 'poll', 'stream']),
    maxPoolSize,
    minPoolSize: pick(chance, [0, 0, 0, 1, Math.min(2, maxPoolSize)]),
    maxConnecting: pick(chance, [1, 2, 2, 4]),
    maxIdleTimeMS: pick(chance, [0, 0, 300, 2000]),
    waitQueueTimeoutMS: pick(chance, [0, 0, 40, 400]),
    retryReads: chance.happens(0.8),
    retryWrites: chance.happens(0.8),
  };
};

const drawOperation = (chance: Chance): PlannedOperation => {
  const kind = pick(chance, ['insert', 'insert', 'find', 'find', 'scan'] as const);
  const mode = kind === 'insert' ? 'primary' : pick(chance, modes);
  return {
    kind,
    mode,
    ...(mode !== 'primary' && chance.happens(0.25)
      ? { tags: chance.happens(0.5) ? [pick(chance, sites)] : [pick(chance, sites), {}] }
      : {}),
    ...(mode !== 'primary' && chance.happens(0.3) ? { maxStalenessSeconds: pick(chance, [90, 120]) } : {}),
    ...(chance.happens(0.4) ? { timeoutMS: pick(chance, [20, 100, 400, 1500, 5000]) } : {}),
    ...(chance.happens(0.15) ? { abortAfter: pick(chance, [0, 3, 30, 300]) } : {}),
  };
};

/** Bursts, so that pools run out of connections, and single operations between them. */
const drawLoad = (chance: Chance, until: Millis): PlannedEvent[] => {
  const events: PlannedEvent[] = [];
  for (let bursts = between(chance, 2, 5); bursts > 0; bursts -= 1) {
    const at = chance.below(until);
    const repeated = chance.happens(0.4) ? drawOperation(chance) : undefined;
    for (let count = between(chance, 1, 9); count > 0; count -= 1)
      events.push({ at: at + chance.below(3), what: 'operate', ...(repeated ?? drawOperation(chance)) });
  }
  for (let count = between(chance, 3, 12); count > 0; count -= 1)
    events.push({ at: chance.below(until), what: 'operate', ...drawOperation(chance) });
  return events;
};

type Draw = (chance: Chance, member: Address, at: Millis) => readonly PlannedEvent[];

const lasting = (chance: Chance): Millis => pick(chance, [50, 300, 1500, 5000]);
const one =
  (happening: (chance: Chance, member: Address) => Happening): Draw =>
  (chance, member, at) => [{ at, ...happening(chance, member) }];

const faultsOfNetwork: readonly Draw[] = [
  one((_, member) => ({ what: 'reset', member })),
  one((chance, member) => ({ what: 'partition', member, lasting: lasting(chance) })),
  one((chance, member) => ({ what: 'silence', member, lasting: lasting(chance) })),
  one((chance, member) => ({ what: 'refuse', member, lasting: lasting(chance) })),
  one((chance, member) => ({ what: 'slow', member, by: pick(chance, [5, 60, 400, 2500]), lasting: lasting(chance) })),
  one((_, member) => ({ what: 'hangUp', member })),
  one((chance, member) => ({
    what: 'restart',
    member,
    notice: pick(chance, [0, 0, 200, 1000]),
    lasting: lasting(chance),
  })),
  one(chance => ({
    what: 'mishaps',
    reset: pick(chance, [0, 0.02, 0.1]),
    stall: pick(chance, [0, 0.05, 0.2]),
    lasting: lasting(chance),
  })),
  one(chance => ({ what: 'wallClock', by: pick(chance, [-3_600_000, -500, 500, 3_600_000]) })),
];

const elect = (chance: Chance, member: Address): Happening => ({
  what: 'elect',
  member,
  unnoticedFor: pick(chance, [0, 0, 200, 2000, 6000]),
});

const faultsOfSets: readonly Draw[] = [
  one(elect),
  one(elect),
  (chance, member, at) => [
    { at, what: 'stepDown' },
    { at: at + between(chance, 50, 2500), ...elect(chance, member) },
  ],
  one((chance, member) => ({ what: 'recover', member, lasting: lasting(chance) })),
  one((chance, member) => ({ what: 'lag', member, by: pick(chance, [0, 50_000, 100_000, 200_000]) })),
  (chance, member, at) => [
    { at, what: 'remove', member },
    ...(chance.happens(0.6) ? [{ at: at + between(chance, 300, 4000), what: 'add', member } as const] : []),
  ],
];

const drawFaults = (chance: Chance, kind: DeploymentKind, members: readonly PlannedMember[], until: Millis) => {
  const events: PlannedEvent[] = [];
  for (let count = between(chance, 0, 8); count > 0; count -= 1) {
    const draws = kind === 'replicaSet' && chance.happens(0.55) ? faultsOfSets : faultsOfNetwork;
    const member = pick(chance, members).address;
    events.push(...pick(chance, draws)(chance, member, chance.below(until)));
  }
  return events;
};

/** While an operation is under way, most likely. */
const drawClose = (chance: Chance, load: readonly PlannedEvent[]): PlannedEvent[] =>
  chance.happens(0.08) ? [{ at: pick(chance, load).at + 5, what: 'closeClient' }] : [];

/** The same seed draws the same plan. */
export const drawPlan = (seed: number): Plan => {
  const chance = createChance(seed, 'plan');
  const kind = drawKind(chance);
  const members = drawMembers(chance, kind);
  const settings = drawSettings(chance);
  const healAt = pick(chance, [2000, 5000, 10_000]);
  const load = drawLoad(chance, healAt);
  const events = [...load, ...drawFaults(chance, kind, members, healAt), ...drawClose(chance, load)];
  const hasOneSeed = kind === 'replicaSet' && chance.happens(0.3);
  const namesSet = chance.happens(0.7);
  const splitsWrites = chance.happens(0.2);
  const direct = kind === 'replicaSet' && chance.happens(0.06);
  return {
    seed,
    kind,
    members,
    seeds: hasOneSeed || direct ? [members[0]!.address] : members.map(({ address }) => address),
    namesSet,
    direct,
    splitsWrites,
    settings,
    events: events.filter(({ at }) => at < healAt).sort((a, b) => a.at - b.at),
    healAt,
  };
};
