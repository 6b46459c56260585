import { describe, expect, test } from 'vitest';
import type { Document } from 'bson';
import type { Row, World } from '../client.js';
import type { Watched } from './stream.js';
import { set, watch } from './stream.js';

const three = [{ _id: 1 }, { _id: 2 }, { _id: 3 }];

const commands: readonly (readonly [string, Document])[] = [
  ['insert', { insert: 'c', documents: three }],
  ['update', { update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } }, multi: true }] }],
  ['delete', { delete: 'c', deletes: [{ q: {}, limit: 0 }] }],
];

const timesOf = (events: readonly Row[]): readonly string[] => events.map(({ clusterTime }) => String(clusterTime));

const kinds = (events: readonly Row[]): readonly unknown[] =>
  events.map(({ operationType, documentKey }) => [operationType, (documentKey as Document)['_id']]);

const all = commands.flatMap(([name]) => [1, 2, 3].map(id => [name, id]));

/** Returns the events of all commands, and the reply to each command. */
const eventsOf = async (world: World): Promise<{ events: readonly Row[]; replies: readonly Document[] }> => {
  const stream = await watch(world);
  const replies: Document[] = [];
  for (const [, command] of commands) replies.push(await world.client.plain(command));
  return { events: await stream.more(), replies };
};

const ids = (events: readonly Row[]): readonly unknown[] => events.map(({ _id }) => _id);

describe.each([
  // Change Events, "clusterTime": from version 8.0 on, events of one bulk insert may share a clusterTime.
  ['8.2.1', [1, 3, 3]],
  ['7.0.12', [3, 3, 3]],
] as const)('in version %s', (version, counts) => {
  test('each written document has an optime, and the last one equals the operationTime', async () => {
    const { events, replies } = await eventsOf(set({ version }));
    expect(kinds(events)).toEqual(all);
    const each = [0, 1, 2].map(i => timesOf(events.slice(3 * i, 3 * i + 3)));
    expect(each.map(times => new Set(times).size)).toEqual(counts);
    expect(each.map(times => times[2])).toEqual(replies.map(({ operationTime }) => String(operationTime)));
    expect(new Set(ids(events).map(id => JSON.stringify(id))).size).toBe(9);
  });

  test('a stream can resume after each event', async () => {
    const world = set({ version });
    const { events } = await eventsOf(world);
    const rest = async (stream: Watched) => ids([...stream.first, ...(await stream.more())]);
    for (const [i, { _id }] of events.entries())
      expect(await rest(await watch(world, { resumeAfter: _id }))).toEqual(ids(events.slice(i + 1)));
  });

  test('a stream can start at the time of each event', async () => {
    const world = set({ version });
    const { events } = await eventsOf(world);
    for (const { clusterTime } of events) {
      const { first } = await watch(world, { startAtOperationTime: clusterTime });
      const from = timesOf(events).indexOf(String(clusterTime));
      expect(ids(first)).toEqual(ids(events.slice(from)));
    }
  });
});

test('inserts share an optime in groups of 500 documents or 256 KB', async () => {
  const world = set();
  const places = async (documents: readonly Document[]): Promise<readonly number[]> => {
    const stream = await watch(world);
    await world.client.plain({ insert: 'c', documents });
    const counts = new Map<string, number>();
    for (;;) {
      const events = await stream.more();
      if (events.length === 0) return [...counts.values()];
      for (const time of timesOf(events)) counts.set(time, (counts.get(time) ?? 0) + 1);
    }
  };
  expect(await places(Array.from({ length: 1_100 }, () => ({})))).toEqual([500, 500, 100]);
  expect(await places(Array.from({ length: 5 }, () => ({ s: 'x'.repeat(100_000) })))).toEqual([3, 2]);
});

test('an implicitly created collection has its own optime', async () => {
  const world = set();
  const stream = await watch(world, { showExpandedEvents: true });
  await world.client.plain({ insert: 'c', documents: three });
  const events = await stream.more();
  expect(events.map(({ operationType }) => operationType)).toEqual(['create', 'insert', 'insert', 'insert']);
  expect(timesOf(events).map(time => timesOf(events).indexOf(time))).toEqual([0, 1, 1, 1]);
});
