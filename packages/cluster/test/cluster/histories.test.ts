import { describe, expect, test } from 'vitest';
import type { Reply } from '../../../server/test/client.js';
import { settled } from '../../../server/test/client.js';
import type { Members } from './members.js';
import { idsAt, members } from './members.js';

/** Returns pseudorandom numbers for a seed. */
const chanceOf = (seed: number): ((below: number) => number) => {
  let state = (seed * 2654435761 + 12345) >>> 0;
  return below => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 0x1_0000_0000) * below);
  };
};

interface Told {
  /** The ids that a majority acknowledged. They must never be lost. */
  readonly acknowledged: number[];
  /** The ids of each member's last majority read. Later reads of the member must contain them. */
  readonly seen: Map<number, readonly unknown[]>;
  /** Ids that one majority read of a member returned and a later one did not. */
  readonly vanished: unknown[];
}

type Step = (set: Members, pick: (below: number) => number, told: Told) => void;

const running = (set: Members): readonly number[] => set.members.flatMap(({ isRunning }, i) => (isRunning ? [i] : []));

let next = 0;

const write: Step = (set, pick, { acknowledged }) => {
  const primaries = running(set).filter(i => set.members[i]!.isPrimary);
  if (primaries.length === 0) return;
  const _id = next++;
  const majority = pick(3) > 0;
  const writeConcern = majority ? { w: 'majority' } : { w: 1 };
  const client = set.connect(primaries[pick(primaries.length)]!);
  client.plain({ insert: 'c', documents: [{ _id }], writeConcern }).then(
    (reply: Reply & { readonly writeConcernError?: unknown }) => {
      if (majority && reply.ok === 1 && reply.writeConcernError === undefined) acknowledged.push(_id);
    },
    () => undefined,
  );
};

const read: Step = (set, pick, { seen, vanished }) => {
  const all = running(set);
  const member = all[pick(all.length)];
  if (member === undefined) return;
  idsAt(set.connect(member), { readConcern: { level: 'majority' } }).then(
    ids => {
      const before = seen.get(member) ?? [];
      vanished.push(...before.filter(id => !ids.includes(id)));
      seen.set(member, ids);
    },
    () => undefined,
  );
};

const isFrozen = (set: Members, place: number): boolean => set.set.members[place]!.isFrozen;

const steps: readonly Step[] = [
  write,
  write,
  write,
  write,
  read,
  (set, pick) => {
    const all = running(set);
    if (all.length > 1) set.crash(all[pick(all.length)]!);
  },
  (set, pick) => {
    const down = set.members.flatMap(({ isRunning }, i) => (isRunning ? [] : [i]));
    if (down.length > 0) void set.restart(down[pick(down.length)]!);
  },
  (set, pick) => {
    const side = set.members.map(() => pick(2));
    const group = (which: number): readonly number[] => side.flatMap((one, i) => (one === which ? [i] : []));
    set.partition(group(0), group(1));
  },
  set => set.heal(),
  (set, pick) => set.latency([0, 0, 5, 40][pick(4)]!),
  (set, pick) => set.lag(pick(set.members.length), [0, 0, 100, 1_000][pick(4)]!),
  (set, pick) => void set.elect(pick(set.members.length)).catch(() => undefined),
  (set, pick) => {
    const place = pick(set.members.length);
    if (isFrozen(set, place)) set.thaw(place);
    else if (set.members[place]!.isRunning) set.freeze(place);
  },
  set => {
    const { primary } = set.set;
    if (primary !== undefined) set.set.stepDown(primary, 1_000);
  },
];

const play = async (seed: number): Promise<void> => {
  const pick = chanceOf(seed);
  const set = members([3, 4, 5][seed % 3], { settings: { electionTimeoutMillis: 200 } });
  const told: Told = { acknowledged: [], seen: new Map(), vanished: [] };
  next = 0;
  for (let i = 0; i < 80; i++) {
    steps[pick(steps.length)]!(set, pick, told);
    await settled();
    await set.clock.advance(pick(3) === 0 ? pick(400) : pick(10));
  }
  set.latency(0);
  set.members.forEach((_, i) => set.lag(i, 0));
  for (const [i, { isRunning }] of set.members.entries()) if (!isRunning) await set.restart(i);
  set.heal();
  await set.clock.advance(5_000);
  expect(set.members.filter(({ isPrimary }) => isPrimary)).toHaveLength(1);
  const last = await Promise.all(
    set.members.map((_, i) => set.connect(i).plain({ count: 'c', $readPreference: { mode: 'nearest' } })),
  );
  expect(new Set(last.map(({ n }) => n)).size).toBe(1);
  const [values] = [set.set.members.map(({ engine }) => engine.value.namespaces)];
  for (const value of values) expect(value).toBe(values[0]);
  const kept = new Set<unknown>();
  for (const [, record] of set.set.members[0]!.engine.value.namespaces) {
    if ('records' in record) for (const [, doc] of record.records) kept.add(doc.get('_id'));
  }
  expect(told.vanished).toEqual([]);
  expect(told.acknowledged.filter(id => !kept.has(id))).toEqual([]);
  await set.close();
  expect(set.clock.pending).toBe(0);
};

describe('random failures of the members of a set', () => {
  const seeds = Array.from({ length: 40 }, (_, seed) => seed);
  test.each(seeds)('all members end with everything that a majority acknowledged (history %d)', play, 20_000);
});
