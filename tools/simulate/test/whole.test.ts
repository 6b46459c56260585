import { expect, test } from 'vitest';
import { judge } from '../src/invariants/invariant.js';
import type { Invariant } from '../src/invariants/invariant.js';
import type { Fact, History } from '../src/record.js';
import { timeLine } from '../src/time-line.js';
import { drawWhole } from '../src/whole/draw.js';
import { invariants } from '../src/whole/invariants/all.js';
import { sentOf } from '../src/whole/invariants/commands.js';
import { acknowledgedIsThere, neverTwice } from '../src/whole/invariants/writes.js';
import type { WholeEvent, WholePlan } from '../src/whole/plan.js';
import { runWhole } from '../src/whole/run.js';

const calm: WholePlan = {
  ...drawWhole(1),
  server: { version: '8.2.1', journalInterval: 100, distance: 1 },
  splitsWrites: false,
  settings: { ...drawWhole(1).settings, retryReads: true, retryWrites: true, socketTimeoutMS: 4000, maxPoolSize: 5 },
  healAt: 3000,
};

const live = (...events: readonly WholeEvent[]): ReturnType<typeof runWhole> => runWhole({ ...calm, events }, {});

const foundIn = ({ entries }: History): ReadonlyMap<string, number> =>
  entries.flatMap(({ fact }) => (fact.is === 'found' ? [fact.marks] : []))[0]!;

const endsOf = ({ entries }: History): readonly unknown[] =>
  entries.flatMap(({ fact }) => (fact.is === 'ended' && fact.operation < 1000 ? [fact.error] : []));

test('the same seed draws the same plan, and the same plan gives the same history, byte for byte', async () => {
  for (const seed of [2, 5]) {
    expect(drawWhole(seed)).toEqual(drawWhole(seed));
    const [first, second] = [await runWhole(drawWhole(seed)), await runWhole(drawWhole(seed))];
    expect(timeLine(second, true)).toBe(timeLine(first, true));
    expect(judge(invariants, first)).toBeUndefined();
  }
}, 60_000);

test('every kind of write leaves each of its marks once', async () => {
  const kinds = [
    'insertOne',
    'insertMany',
    'updateOne',
    'updateMany',
    'findOneAndUpdate',
    'deleteOne',
    'bulkWrite',
  ] as const;
  const events = kinds.map((kind, place): WholeEvent => ({ at: 100 * place, what: 'call', number: place + 1, kind }));
  const history = await live(...events);
  expect(judge(invariants, history)).toBeUndefined();
  expect(endsOf(history)).toEqual(kinds.map(() => undefined));
  expect([...foundIn(history)].filter(([mark]) => !mark.startsWith('100'))).toEqual(
    ['1.0', '2.0', '2.1', '2.2', '3.0', '4.0', '5.0', '6.0', '7.0', '7.1', '7.2'].map(mark => [mark, 1]),
  );
});

test('a crash takes an acknowledged write that nobody journaled, and no other', async () => {
  const at = 1010;
  const history = await live(
    { at: 100, what: 'call', number: 1, kind: 'insertOne', concern: 'memory' },
    { at, what: 'call', number: 2, kind: 'insertOne', concern: 'majority' },
    { at: at + 20, what: 'call', number: 3, kind: 'insertOne', concern: 'memory' },
    { at: at + 50, what: 'crash', lasting: 200 },
  );
  expect(endsOf(history)).toEqual([undefined, undefined, undefined]);
  expect(['1.0', '2.0', '3.0'].map(mark => foundIn(history).get(mark))).toEqual([1, 1, 0]);
  expect(judge(invariants, history)).toBeUndefined();
});

test('a write whose connection breaks is tried again under its number, and done once', async () => {
  const history = await live(
    { at: 90, what: 'fail', commands: ['insert'], times: 1, hangsUp: true },
    { at: 500, what: 'call', number: 1, kind: 'insertOne', concern: 'majority' },
  );
  const attempts = sentOf(history).filter(({ call }) => call === 1);
  expect(attempts).toHaveLength(2);
  expect(new Set(attempts.map(({ session, txnNumber }) => `${session} ${txnNumber}`)).size).toBe(1);
  expect(foundIn(history).get('1.0')).toBe(1);
  expect(judge(invariants, history)).toBeUndefined();
});

const altered = (history: History, change: (fact: Fact) => Fact): History => ({
  ...history,
  entries: history.entries.map(({ at, fact }) => ({ at, fact: change(fact) })),
});

test.each<readonly [string, Invariant, number]>([
  ['lost', acknowledgedIsThere, 0],
  ['done twice', neverTwice, 2],
])('a write that is %s is noticed', async (_, invariant, count) => {
  const history = await live({ at: 500, what: 'call', number: 1, kind: 'updateOne', concern: 'journaled' });
  expect(invariant.broken(history)).toBeUndefined();
  const wrong = altered(history, fact => (fact.is === 'found' ? { ...fact, marks: new Map([['1.0', count]]) } : fact));
  expect(invariant.broken(wrong)).toContain(`1.0 is there ${count} times`);
});

test('every invariant says what holds, in a sentence of its own', () => {
  expect(new Set(invariants.map(({ name }) => name)).size).toBe(invariants.length);
});
