import { expect, test } from 'vitest';
import { drawClient } from '../src/client/draw.js';
import { invariants } from '../src/client/invariants/all.js';
import { sentOf } from '../src/client/invariants/commands.js';
import { acknowledgedIsThere } from '../src/client/invariants/writes.js';
import type { ClientCall, ClientFault, ClientPlan } from '../src/client/plan.js';
import { runClient } from '../src/client/run.js';
import { broken, judge } from '../src/kernel/invariant.js';
import type { Invariant } from '../src/kernel/invariant.js';
import { neverTwice } from '../src/kernel/invariants/marks.js';
import type { PlannedEvent } from '../src/kernel/plan.js';
import type { Fact, History } from '../src/kernel/record.js';
import { timeLine } from '../src/kernel/time-line.js';

type ClientEvent = PlannedEvent<ClientCall, ClientFault>;

const calm: ClientPlan = {
  ...drawClient(1),
  server: { version: '8.2.1', journalInterval: 100, distance: 1 },
  splitsWrites: false,
  settings: { ...drawClient(1).settings, retryReads: true, retryWrites: true, socketTimeoutMS: 4000, maxPoolSize: 5 },
  healAt: 3000,
};

const live = (...events: readonly ClientEvent[]): ReturnType<typeof runClient> => runClient({ ...calm, events }, {});

const foundIn = ({ entries }: History): ReadonlyMap<string, number> =>
  entries.flatMap(({ fact }) => (fact.is === 'found' ? [fact.marks] : []))[0]!;

const endsOf = ({ entries }: History): readonly unknown[] =>
  entries.flatMap(({ fact }) => (fact.is === 'ended' && fact.operation < 1000 ? [fact.error] : []));

test('the same seed draws the same plan, and the same plan gives the same history byte for byte', async () => {
  for (const seed of [2, 5]) {
    expect(drawClient(seed)).toEqual(drawClient(seed));
    const [first, second] = [await runClient(drawClient(seed)), await runClient(drawClient(seed))];
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
  const events = kinds.map((kind, place): ClientEvent => ({
    at: 100 * place,
    what: 'call',
    call: { number: place + 1, kind },
  }));
  const history = await live(...events);
  expect(judge(invariants, history)).toBeUndefined();
  expect(endsOf(history)).toEqual(kinds.map(() => undefined));
  expect([...foundIn(history)].filter(([mark]) => !mark.startsWith('100'))).toEqual(
    ['1.0', '2.0', '2.1', '2.2', '3.0', '4.0', '5.0', '6.0', '7.0', '7.1', '7.2'].map(mark => [mark, 1]),
  );
});

test('a crash loses an acknowledged write that was not journaled, and no other write', async () => {
  const at = 1010;
  const history = await live(
    { at: 100, what: 'call', call: { number: 1, kind: 'insertOne', concern: 'memory' } },
    { at, what: 'call', call: { number: 2, kind: 'insertOne', concern: 'majority' } },
    { at: at + 20, what: 'call', call: { number: 3, kind: 'insertOne', concern: 'memory' } },
    { at: at + 50, what: 'crash', lasting: 200 },
  );
  expect(endsOf(history)).toEqual([undefined, undefined, undefined]);
  expect(['1.0', '2.0', '3.0'].map(mark => foundIn(history).get(mark))).toEqual([1, 1, 0]);
  expect(judge(invariants, history)).toBeUndefined();
});

test('a write whose connection breaks is retried with its transaction number and carried out once', async () => {
  const history = await live(
    { at: 90, what: 'fail', times: 1, data: { failCommands: ['insert'], closeConnection: true } },
    { at: 500, what: 'call', call: { number: 1, kind: 'insertOne', concern: 'majority' } },
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
  ['carried out twice', neverTwice, 2],
])('the invariants find a write that was %s', async (_, invariant, count) => {
  const history = await live({ at: 500, what: 'call', call: { number: 1, kind: 'updateOne', concern: 'journaled' } });
  expect(broken(invariant, history)).toBeUndefined();
  const wrong = altered(history, fact => (fact.is === 'found' ? { ...fact, marks: new Map([['1.0', count]]) } : fact));
  expect(broken(invariant, wrong)).toContain(`mark 1.0 exists ${count} times`);
});

test('every invariant has a unique name', () => {
  expect(new Set(invariants.map(({ name }) => name)).size).toBe(invariants.length);
});
