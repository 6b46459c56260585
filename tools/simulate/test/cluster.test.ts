import { expect, test } from 'vitest';
import { drawCluster } from '../src/cluster/draw.js';
import { abortedIsNotThere, invariants, majorityIsKept, neverBack, neverHalf } from '../src/cluster/invariants.js';
import type { ClusterCall, ClusterFault, ClusterPlan } from '../src/cluster/plan.js';
import { runCluster } from '../src/cluster/run.js';
import { broken, judge } from '../src/kernel/invariant.js';
import type { Invariant } from '../src/kernel/invariant.js';
import type { PlannedEvent } from '../src/kernel/plan.js';
import type { Fact, History } from '../src/kernel/record.js';
import { timeLine } from '../src/kernel/time-line.js';

const calm: ClusterPlan = {
  ...drawCluster(1),
  server: { version: '8.2.1', journalInterval: 100, members: 3, electionTimeoutMillis: 1000, latency: 1, distance: 1 },
  settings: {
    ...drawCluster(1).settings,
    retryReads: true,
    retryWrites: true,
    serverMonitoringMode: 'stream',
    socketTimeoutMS: 4000,
    maxPoolSize: 5,
    waitQueueTimeoutMS: 0,
  },
  healAt: 6000,
};

const live = (...events: readonly PlannedEvent<ClusterCall, ClusterFault>[]): Promise<History> =>
  runCluster({ ...calm, events });

const factsIn = <K extends Fact['is']>({ entries }: History, is: K): readonly Extract<Fact, { is: K }>[] =>
  entries.flatMap(({ fact }) => (fact.is === is ? [fact as Extract<Fact, { is: K }>] : []));

const marksIn = (history: History): Record<string, number> => {
  const [found] = factsIn(history, 'found');
  return Object.fromEntries([...found!.marks].filter(([mark]) => Number(mark) < 1000));
};

const transfer = (number: number, rest: { readonly aborts?: boolean } = {}): ClusterCall => ({
  ...{ kind: 'transfer', from: 0, to: 1, amount: 5, aborts: false, number },
  ...rest,
});

test('the same seed draws the same plan, and the same plan gives the same history byte for byte', async () => {
  expect(drawCluster(4)).toEqual(drawCluster(4));
  const [first, second] = [await runCluster(drawCluster(4)), await runCluster(drawCluster(4))];
  expect(timeLine(second, true)).toBe(timeLine(first, true));
  expect(judge(invariants, first)).toBeUndefined();
}, 120_000);

test('inserts, updates and transactions leave their marks once, and aborted transactions leave none', async () => {
  const history = await live(
    { at: 0, what: 'call', call: { kind: 'insert', w: 'majority', number: 1 } },
    { at: 50, what: 'call', call: { kind: 'push', w: 1, number: 2 } },
    { at: 100, what: 'call', call: transfer(3) },
    { at: 100, what: 'call', call: { kind: 'sum', by: 'snapshot', mode: 'secondary', number: 4 } },
    { at: 200, what: 'call', call: transfer(5, { aborts: true }) },
  );
  expect(judge(invariants, history)).toBeUndefined();
  expect(marksIn(history)).toEqual({ 1: 1, 2: 1, 3: 1, 5: 0 });
  expect(factsIn(history, 'summed').map(({ sum }) => sum)).toEqual([400, 400]);
}, 60_000);

test('writes during a step-down or a crash of the primary are carried out once', async () => {
  const history = await live(
    { at: 100, what: 'call', call: { kind: 'insert', w: 'majority', number: 1 } },
    { at: 101, what: 'stepDown' },
    { at: 101, what: 'call', call: transfer(2) },
    { at: 2000, what: 'crash', lasting: 2000 },
    { at: 2010, what: 'call', call: { kind: 'insert', w: 'majority', number: 3 } },
  );
  expect(judge(invariants, history)).toBeUndefined();
  expect(factsIn(history, 'ended').filter(({ error }) => error !== undefined)).toEqual([]);
  expect(marksIn(history)).toEqual({ 1: 1, 2: 1, 3: 1 });
}, 60_000);

test('a primary that is partitioned from the majority acknowledges no majority write that is lost', async () => {
  const history = await live(
    { at: 100, what: 'part', others: 0, lasting: 4000 },
    { at: 110, what: 'call', call: { kind: 'insert', w: 'majority', number: 1, timeoutMS: 500 } },
    { at: 110, what: 'call', call: { kind: 'insert', w: 1, number: 2, timeoutMS: 500 } },
  );
  expect(judge(invariants, history)).toBeUndefined();
  const [first, second] = factsIn(history, 'ended').filter(({ operation }) => operation < 1000);
  expect([first!.operation, first!.error, second!.operation, second!.error === undefined]).toEqual([
    2,
    undefined,
    1,
    false,
  ]);
  expect(marksIn(history)).toMatchObject({ 2: 0 });
}, 60_000);

const historyOf = (...facts: readonly Fact[]): History => ({
  plan: calm,
  entries: facts.map(fact => ({ at: 0, fact })),
});

const began = (planned: ClusterCall): Fact => ({
  is: 'began',
  operation: planned.number,
  planned,
  deadline: Infinity,
});
const ended = (operation: number, error?: unknown): Fact => ({ is: 'ended', operation, error });
const found = (marks: Record<string, number>): Fact => ({ is: 'found', marks: new Map(Object.entries(marks)) });

test.each<[Invariant, History, string]>([
  [
    majorityIsKept,
    historyOf(began({ kind: 'insert', w: 'majority', number: 1 }), ended(1), found({ 1: 0 })),
    'insert 1 was acknowledged, and exists 0 times',
  ],
  [
    abortedIsNotThere,
    historyOf(began(transfer(1, { aborts: true })), ended(1), found({ 1: 1 })),
    'transfer 1 was never committed, and exists 1 times',
  ],
  [neverHalf, historyOf({ is: 'summed', operation: 3, sum: 395 }), 'operation 3 read a sum of 395 instead of 400'],
  [
    neverBack,
    historyOf({ is: 'looked', operation: 3, value: 1, least: 2, most: 2 }),
    'operation 3 read 1, expected 2 to 2',
  ],
])('finds a breach of: $name', (invariant, history, seen) => {
  expect(broken(invariant, history)).toBe(seen);
});
