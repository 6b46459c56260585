import { expect, test } from 'vitest';
import { judge as judgeBy } from '../src/kernel/invariant.js';
import { planText } from '../src/kernel/plan.js';
import type { DeploymentKind } from '../src/kernel/plan.js';
import type { History } from '../src/kernel/record.js';
import { timeLine } from '../src/kernel/time-line.js';
import { drawMembers } from '../src/members/draw.js';
import { members } from '../src/members/kind.js';
import { deploymentText } from '../src/members/plan.js';
import type { MembersPlan } from '../src/members/plan.js';
import { runMembers } from '../src/members/run.js';

const judge = (history: History): ReturnType<typeof judgeBy> => judgeBy(members.invariants, history);

const calm: MembersPlan = { ...drawMembers(1), seed: 1, events: [], healAt: 1000, direct: false, splitsWrites: false };

test('the same seed draws the same plan, and another seed draws another plan', () => {
  expect(drawMembers(7)).toEqual(drawMembers(7));
  const textOf = (plan: MembersPlan): string => planText(plan, deploymentText(plan));
  expect(textOf(drawMembers(8))).not.toBe(textOf(drawMembers(7)));
});

test(
  'the same plan gives the same history byte for byte, with every timer and packet',
  { timeout: 60_000 },
  async () => {
    for (const seed of [2, 3, 5]) {
      const [first, second] = [await runMembers(drawMembers(seed)), await runMembers(drawMembers(seed))];
      expect(timeLine(second, true)).toBe(timeLine(first, true));
      expect(first.entries.length).toBeGreaterThan(50);
      expect(judge(first)).toBeUndefined();
    }
  },
);

test.each<[DeploymentKind, string, readonly string[]]>([
  ['standalone', 'Standalone', ['s1:27017']],
  ['replicaSet', 'RSPrimary', ['m1:27017', 'm2:27017', 'm3:27017']],
  ['sharded', 'Mongos', ['m1:27017', 'm2:27017']],
  ['loadBalanced', 'LoadBalancer', ['lb:27017']],
])(
  'discovers a %s without faults as its type, and carries out one insert once',
  async (deployment, type, addresses) => {
    const members = addresses.map(address => ({ address, part: 'data', tags: {}, distance: 1 }) as const);
    const history = await runMembers({ ...calm, deployment, members, seeds: addresses });
    expect(judge(history)).toBeUndefined();
    const found = history.entries.flatMap(({ fact }) =>
      fact.is === 'event' && fact.event.name === 'serverDescriptionChanged' ? [fact.event.newDescription.type] : [],
    );
    expect(found).toContain(type);
    expect(history.entries.filter(({ fact }) => fact.is === 'applied')).toHaveLength(1);
    expect(history.entries.filter(({ fact }) => fact.is === 'ended').map(({ fact }) => fact)).toEqual([
      { is: 'ended', operation: 1003, error: undefined },
    ]);
  },
);

test('a deposed primary that has not noticed accepts a write and never carries it out', async () => {
  const members = ['m1:27017', 'm2:27017', 'm3:27017'].map(
    address => ({ address, part: 'data', tags: {}, distance: 1 }) as const,
  );
  const history = await runMembers({
    ...calm,
    deployment: 'replicaSet',
    members,
    seeds: members.map(({ address }) => address),
    settings: { ...calm.settings, serverMonitoringMode: 'poll', heartbeatFrequencyMS: 10_000, retryWrites: false },
    events: [
      { at: 100, what: 'call', call: { number: 1, kind: 'find', mode: 'primary' } },
      { at: 900, what: 'elect', member: 'm2:27017', unnoticedFor: 500 },
      { at: 910, what: 'call', call: { number: 2, kind: 'insert', mode: 'primary' } },
    ],
    healAt: 3000,
  });
  expect(judge(history)).toBeUndefined();
  const applied = history.entries.flatMap(({ fact }) => (fact.is === 'applied' ? [[fact.address, fact.key]] : []));
  // The insert of the second operation is lost. The new primary carries out the last insert, after all faults ended.
  expect(applied).toEqual([['m2:27017', 1003]]);
});

test('every invariant has a unique name', () => {
  const { invariants } = members;
  expect(new Set(invariants.map(({ name }) => name)).size).toBe(invariants.length);
});
