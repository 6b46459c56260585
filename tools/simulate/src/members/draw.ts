import type { Address, Millis, ReadPreferenceMode, TagSet } from '@tessera/contracts';
import { createChance } from '@tessera/sim';
import type { Chance } from '@tessera/sim';
import {
  between,
  createNumbers,
  drawAbort,
  drawCalls,
  drawClose,
  drawSettings,
  drawTimeout,
  inTime,
  pick,
  several,
} from '../kernel/draw.js';
import type { DeploymentKind } from '../kernel/plan.js';
import type { MemberFault, MembersPlan, PlannedMember, PlannedOperation } from './plan.js';

const modes: readonly ReadPreferenceMode[] = [
  'primary',
  'primary',
  'primaryPreferred',
  'secondary',
  'secondaryPreferred',
  'nearest',
];
const sites: readonly TagSet[] = [{ dc: 'ny' }, { dc: 'sf' }];

const drawDeployment = (chance: Chance): DeploymentKind => {
  const unit = chance.unit();
  if (unit < 0.64) return 'replicaSet';
  if (unit < 0.78) return 'sharded';
  return unit < 0.9 ? 'loadBalanced' : 'standalone';
};

const drawMemberList = (chance: Chance, deployment: DeploymentKind): PlannedMember[] => {
  const distance = (): Millis => pick(chance, [1, 1, 2, 5, 12, 40]);
  if (deployment === 'standalone') return [{ address: 's1:27017', part: 'data', tags: {}, distance: distance() }];
  if (deployment === 'loadBalanced') return [{ address: 'lb:27017', part: 'data', tags: {}, distance: distance() }];
  const number = createNumbers();
  return several(chance, [1, deployment === 'sharded' ? 3 : 7], () => {
    const place = number();
    const unit = chance.unit();
    // The first two hold data, so that a set without the others still has a primary.
    const part = deployment === 'sharded' || place <= 2 || unit < 0.75 ? 'data' : unit < 0.9 ? 'arbiter' : 'hidden';
    return { address: `m${place}:27017`, part, tags: pick(chance, sites), distance: distance() };
  });
};

const drawOperation = (chance: Chance): PlannedOperation => {
  const kind = pick(chance, ['insert', 'insert', 'find', 'find', 'scan'] as const);
  const mode = kind === 'insert' ? 'primary' : pick(chance, modes);
  return {
    number: 0,
    kind,
    mode,
    ...(mode !== 'primary' && chance.happens(0.25)
      ? { tags: chance.happens(0.5) ? [pick(chance, sites)] : [pick(chance, sites), {}] }
      : {}),
    ...(mode !== 'primary' && chance.happens(0.3) ? { maxStalenessSeconds: pick(chance, [90, 120]) } : {}),
    ...drawTimeout(chance, 0.4, [20, 100, 400, 1500, 5000]),
    ...drawAbort(chance, 0.15),
  };
};

const load = { bursts: [2, 5], inBurst: [1, 9], spread: 3, singles: [3, 12] } as const;

/** In some bursts all operations are the same. */
const drawOfBurst = (chance: Chance): (() => PlannedOperation) => {
  const repeated = chance.happens(0.4) ? drawOperation(chance) : undefined;
  return () => repeated ?? drawOperation(chance);
};

type FaultEvent = { readonly at: Millis } & MemberFault;
type Draw = (chance: Chance, member: Address, at: Millis) => readonly FaultEvent[];

const lasting = (chance: Chance): Millis => pick(chance, [50, 300, 1500, 5000]);
const one =
  (fault: (chance: Chance, member: Address) => MemberFault): Draw =>
  (chance, member, at) => [{ at, ...fault(chance, member) }];

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

const elect = (chance: Chance, member: Address): MemberFault => ({
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

const drawFaults = (chance: Chance, isSet: boolean, members: readonly PlannedMember[], until: Millis): FaultEvent[] =>
  several(chance, [0, 8], () => {
    const draws = isSet && chance.happens(0.55) ? faultsOfSets : faultsOfNetwork;
    const member = pick(chance, members).address;
    return pick(chance, draws)(chance, member, chance.below(until));
  }).flat();

/** Draws a plan. The same seed draws the same plan. */
export const drawMembers = (seed: number): MembersPlan => {
  const chance = createChance(seed, 'plan');
  const deployment = drawDeployment(chance);
  const isSet = deployment === 'replicaSet';
  const members = drawMemberList(chance, deployment);
  const settings = drawSettings(chance);
  const healAt = pick(chance, [2000, 5000, 10_000]);
  const calls = drawCalls(
    chance,
    healAt,
    load,
    () => drawOperation(chance),
    () => drawOfBurst(chance),
  );
  const events = [...calls, ...drawFaults(chance, isSet, members, healAt), ...drawClose(chance, 0.08, calls)];
  const hasOneSeed = isSet && chance.happens(0.3);
  const namesSet = chance.happens(0.7);
  const splitsWrites = chance.happens(0.2);
  const direct = isSet && chance.happens(0.06);
  const number = createNumbers();
  return {
    ...{ seed, deployment, members, namesSet, direct, splitsWrites, settings, healAt },
    seeds: hasOneSeed || direct ? [members[0]!.address] : members.map(({ address }) => address),
    // Operations are numbered in the order in which they begin.
    events: inTime(events, healAt).map(event =>
      event.what === 'call' ? { ...event, call: { ...event.call, number: number() } } : event,
    ),
  };
};
