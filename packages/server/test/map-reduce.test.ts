import { Code } from 'bson';
import { beforeAll, describe, expect, test } from 'vitest';
import { typed, world } from './client.js';
import type { World } from './client.js';

const map = 'function () { emit(this.who, this.price) }';
const reduce = 'function (key, values) { return Array.sum(values) }';

const filled = async (options: Parameters<typeof world>[0] = {}): Promise<World> => {
  const made = world(options);
  const documents = [
    { _id: 1, who: 'b', price: 5 },
    { _id: 2, who: 'a', price: 1 },
    { _id: 3, who: 'b', price: 7 },
    { _id: 4, who: 'c', price: 2 },
  ];
  await made.client.plain({ insert: 'c', documents });
  return made;
};

// Later servers run scripts without waiting for the engine, so their tests can move the clock at once.
beforeAll(async () => {
  const { client } = await filled();
  await client.plain({ find: 'c', filter: { $where: 'true' } });
});

const command = { mapReduce: 'c', map, reduce, out: { inline: 1 } };

describe('mapReduce', () => {
  test('maps each document, reduces the values of keys with several values, and sorts by key', async () => {
    const { client } = await filled();
    expect(typed(await client.run(command))).toBe(
      '{"results":[' +
        '{"_id":"a","value":{"$numberDouble":"1.0"}},' +
        '{"_id":"b","value":{"$numberDouble":"12.0"}},' +
        '{"_id":"c","value":{"$numberDouble":"2.0"}}' +
        '],"ok":{"$numberDouble":"1.0"}}',
    );
  });

  test('supports code, the lower-case name, query, sort, limit, scope and finalize', async () => {
    const { client } = await filled();
    const reply = await client.plain({
      mapreduce: 'c',
      map: new Code('function m() { return emit(0, this.price * factor) }'),
      reduce: new Code('(key, values) => values.reduce((sum, x) => sum + x)'),
      finalize: new Code('function (key, value) { return { key, value } }'),
      query: { $where: 'this.price < 7' },
      sort: { price: -1 },
      limit: 2,
      scope: { factor: 10 },
      out: { inline: 1 },
    });
    expect(reply).toEqual({ results: [{ _id: 0, value: { key: 0, value: 70 } }], ok: 1 });
  });

  test('returns counts and timeMillis before version 4.4', async () => {
    const { client } = await filled({ version: '4.2.0' });
    const counts = { input: 4, emit: 4, reduce: 1, output: 3 };
    const results = [
      { _id: 'a', value: 1 },
      { _id: 'b', value: 12 },
      { _id: 'c', value: 2 },
    ];
    expect(await client.plain(command)).toEqual({ results, timeMillis: 0, counts, ok: 1 });
    expect(await client.plain({ ...command, out: 'd' })).toEqual({ result: 'd', timeMillis: 0, counts, ok: 1 });
  });

  test('waits while its scripts sleep', async () => {
    const { client, clock } = await filled({ version: '4.2.0' });
    const reply = client.plain({ ...command, map: 'function () { sleep(10); emit(1, 1) }', out: 'd' });
    await clock.advance(39);
    expect(client.received).toEqual([]);
    await clock.advance(1);
    expect((await reply)['timeMillis']).toBe(40);
  });

  test('on a missing collection returns no results, and fails before version 4.4', async () => {
    expect(await world().client.plain(command)).toEqual({ results: [], ok: 1 });
    expect(await world({ version: '4.2.0' }).client.refusal(command)).toBe("26 ns doesn't exist");
  });
});

describe('mapReduce writes its results', () => {
  const existing = [
    { _id: 'a', value: 100 },
    { _id: 'z', value: 200 },
  ];
  const results = [
    { _id: 'a', value: 1 },
    { _id: 'b', value: 12 },
    { _id: 'c', value: 2 },
  ];
  const z = { _id: 'z', value: 200 };

  test.each([
    ['to a collection name', 'd', results],
    ['with replace', { replace: 'd' }, results],
    ['with merge', { merge: 'd' }, [...results, z]],
    ['with reduce', { reduce: 'd' }, [{ _id: 'a', value: 101 }, ...results.slice(1), z]],
  ])('%s', async (_title, out, expected) => {
    const { client } = await filled();
    await client.plain({ insert: 'd', documents: existing });
    expect(await client.plain({ ...command, out })).toEqual({ result: 'd', ok: 1 });
    const found = await client.plain({ find: 'd', sort: { _id: 1 } });
    expect(found.cursor.firstBatch).toEqual(expected);
  });

  test('to another database', async () => {
    const { client } = await filled();
    const out = { replace: 'd', db: 'other' };
    expect(await client.plain({ ...command, out })).toEqual({ result: { db: 'other', collection: 'd' }, ok: 1 });
    expect((await client.plain({ count: 'd' }, 'other')).n).toBe(3);
  });

  test('completely or not at all: a script error leaves the target collection unchanged', async () => {
    const { client } = await filled();
    await client.plain({ insert: 'd', documents: existing });
    const failing = { ...command, finalize: 'function (key) { return key == "c" ? missing : 1 }', out: 'd' };
    expect(await client.refusal(failing)).toBe(
      '139 MapReduce internal error :: caused by :: ReferenceError: missing is not defined :\n@:1:32\n',
    );
    expect((await client.plain({ find: 'd' })).cursor.firstBatch).toEqual(existing);
  });
});

describe('mapReduce is rejected', () => {
  const cases: readonly (readonly [change: object, refusal: string])[] = [
    [{ map: 1 }, "2 'map' must be of string or code type"],
    [{ reduce: new Code('x', { a: 1 }) }, "2 'reduce' must be of string or code type"],
    [{ map: undefined }, "40414 BSON field 'mapReduce.map' is missing but a required field"],
    [{ out: undefined }, "40414 BSON field 'mapReduce.out' is missing but a required field"],
    [{ out: 1 }, "2 'out' must be either a string or an object"],
    [{ out: { inline: 2 } }, "2 'inline' takes only numeric '1'"],
    [{ out: { inline: 1, db: 'x' } }, "72 'inline' must be specified alone"],
    [{ out: {} }, "2 'out' requires 'replace', 'merge' or 'reduce'"],
    [{ out: { merge: 1 } }, "2 'merge' supports only string consisting of output collection name"],
    [{ out: { merge: 'd', db: 'admin' } }, '115 cannot target internal database as output'],
    [{ out: { merge: 'd', nonAtomic: false } }, '2 nonAtomic field value must be true'],
    [
      { out: { merge: 'd', what: 1 } },
      "2 'out' supports only output type with collection name, optional 'sharded' and optional 'db'",
    ],
    [{ mapReduce: 'view' }, '166 Namespace db.view is a view, not a collection'],
    [{ map: 'emit(1)' }, '31220 MapReduce internal error :: caused by :: emit takes 2 args'],
    [
      { map: 'for (;;);' },
      '50 MapReduce internal error :: caused by :: operation exceeded time limit: it takes more than 5000000 steps for one document',
    ],
    [{ what: 1 }, "40415 BSON field 'mapReduce.what' is an unknown field."],
  ];

  test.each(cases)('with %j', async (change, refusal) => {
    const { client } = await filled();
    await client.plain({ create: 'view', viewOn: 'c', pipeline: [] });
    const given = Object.entries({ ...command, ...change }).filter(([, value]) => value !== undefined);
    expect(await client.refusal(Object.fromEntries(given))).toBe(refusal);
  });

  test('on a secondary only if it writes', async () => {
    const { client } = await filled({ replicaSet: 'rs0', testCommands: true });
    await client.plain({ replSetStepDown: 60, force: true }, 'admin');
    const $readPreference = { mode: 'secondaryPreferred' };
    expect((await client.plain({ ...command, $readPreference })).ok).toBe(1);
    expect(await client.refusal({ ...command, out: 'd', $readPreference })).toBe('10107 not primary');
  });
});
