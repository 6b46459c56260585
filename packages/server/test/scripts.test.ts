import { Code, Long, ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';
import { typed, world } from './client.js';
import type { World } from './client.js';

const filled = async (options: Parameters<typeof world>[0] = {}): Promise<World> => {
  const made = world(options);
  const documents = [1, 2, 3].map(a => ({ _id: a, a, word: ['x', 'y', 'x'][a - 1] }));
  await made.client.plain({ insert: 'c', documents });
  return made;
};

const js = (body: unknown, ...args: readonly unknown[]): object => ({ $function: { body, args, lang: 'js' } });

const averageLength = {
  $accumulator: {
    init: 'function (start) { return { count: start, sum: 0 } }',
    initArgs: [0],
    accumulate: 'function ({ count, sum }, value) { return { count: count + 1, sum: sum + value } }',
    accumulateArgs: ['$a'],
    merge: 'function () { throw new Error("never called") }',
    finalize: 'function ({ count, sum }) { return sum / count }',
    lang: 'js',
  },
};

// This test comes first: it runs before the engine is loaded.
test('statements before the first script are executed once, although the engine is loaded first', async () => {
  const { client } = await filled();
  const updates = [
    { q: { _id: 1 }, u: { $inc: { n: 1 } } },
    { q: { $where: 'this.a == 2' }, u: { $inc: { n: 1 } } },
    { q: { _id: 1 }, u: [{ $set: { m: js('function (a) { return a + 1 }', '$a') } }] },
  ];
  expect(await client.plain({ update: 'c', updates })).toEqual({ n: 3, nModified: 3, ok: 1 });
  const found = await client.plain({ find: 'c', filter: { n: 1 }, projection: { word: 0 } });
  expect(found.cursor.firstBatch).toEqual([
    { _id: 1, a: 1, n: 1, m: 2 },
    { _id: 2, a: 2, n: 1 },
  ]);
});

describe('$function', () => {
  test('computes values in pipelines, filters, projections, updates and views', async () => {
    const { client } = await filled();
    const twice = js('function (a) { return 2 * a }', '$a');
    const of = async (command: object): Promise<unknown> => (await client.plain(command)).cursor.firstBatch;
    const pipeline = [{ $match: { a: { $gt: 2 } } }, { $project: { b: twice } }];
    expect(await of({ aggregate: 'c', pipeline, cursor: {} })).toEqual([{ _id: 3, b: 6 }]);
    expect(await of({ find: 'c', filter: { $expr: { $eq: [twice, 4] } }, projection: { b: twice } })).toEqual([
      { _id: 2, b: 4 },
    ]);
    await client.plain({ create: 'v', viewOn: 'c', pipeline: [{ $set: { b: twice } }, { $limit: 1 }] });
    expect(await of({ find: 'v', projection: { b: 1 } })).toEqual([{ _id: 1, b: 2 }]);
    const command = { findAndModify: 'c', query: { _id: 1 }, update: [{ $set: { b: twice } }], new: true };
    expect((await client.plain(command)).value).toEqual({ _id: 1, a: 1, word: 'x', b: 2 });
  });

  test('receives and returns any BSON type, with an empty document as `this`', async () => {
    const { client } = await filled();
    const document = { id: new ObjectId('65f0c0ffee65f0c0ffee0001'), long: Long.fromNumber(5), n: 1 };
    const body = new Code('function (x, missing) { return [x, missing, tojson(this), x.long + 1] }');
    const stages = [{ $limit: 1 }, { $project: { _id: 0, r: js(body, { $literal: document }, '$none') } }];
    const reply = await client.run({ aggregate: 'c', pipeline: stages, cursor: {} });
    expect(typed(reply)).toContain(
      '"r":[{"id":{"$oid":"65f0c0ffee65f0c0ffee0001"},"long":{"$numberLong":"5"},"n":{"$numberInt":"1"}},null,"{  }",{"$numberDouble":"6.0"}]',
    );
  });

  test.each([
    [1, '31260 Invalid $project :: caused by :: $function requires an object as an argument, found: int'],
    [{ args: [], lang: 'js' }, '31261 Invalid $project :: caused by :: The body function must be specified.'],
    [
      { body: '$a', args: [], lang: 'js' },
      '31432 Invalid $project :: caused by :: The body function must be a constant expression',
    ],
    [
      { body: 1, args: [], lang: 'js' },
      '31262 Invalid $project :: caused by :: The body function must evaluate to type string or code',
    ],
    [{ body: 'x', lang: 'js' }, '31263 Invalid $project :: caused by :: The args field must be specified.'],
    [{ body: 'x', args: [] }, '31418 Invalid $project :: caused by :: The lang field must be specified.'],
    [
      { body: 'x', args: [], lang: 'ts' },
      "31419 Invalid $project :: caused by :: Currently the only supported language specifier is 'js'.",
    ],
    [{ body: '1', args: '$a', lang: 'js' }, 'The args field must be of type array'],
    [{ body: 'missing', args: [], lang: 'js' }, '139 .*ReferenceError: missing is not defined'],
    [{ body: ')', args: [], lang: 'js' }, '139 .*SyntaxError: '],
    [{ body: 'throw { code: 77 }', args: [], lang: 'js' }, '77 .*"code" : 77'],
    [{ body: 'for (;;);', args: [], lang: 'js' }, '50 .*operation exceeded time limit'],
  ])('is rejected as %j', async ($function, refusal) => {
    const { client } = await filled();
    const pipeline = [{ $project: { b: { $function } } }];
    const name = refusal.replaceAll(/[$.]/g, '\\$&').replaceAll('\\.*', '.*');
    expect(await client.refusal({ aggregate: 'c', pipeline, cursor: {} })).toMatch(new RegExp(name));
  });
});

test('$function is rejected in a validator', async () => {
  const { client } = await filled();
  const validator = { $expr: js('true') };
  expect(await client.refusal({ create: 'd', validator })).toBe('4660800 $function cannot be used inside a validator.');
});

describe('$accumulator', () => {
  test('accumulates the documents of each group', async () => {
    const { client } = await filled();
    const pipeline = [{ $group: { _id: '$word', average: averageLength } }, { $sort: { _id: 1 } }];
    expect((await client.plain({ aggregate: 'c', pipeline, cursor: {} })).cursor.firstBatch).toEqual([
      { _id: 'x', average: 2 },
      { _id: 'y', average: 2 },
    ]);
  });

  const spec = averageLength.$accumulator;
  test.each([
    [1, '4544703 $accumulator expects an object as an argument; found: int'],
    [{ ...spec, init: '$a' }, "4544701 $accumulator 'init' must be a constant expression"],
    [{ ...spec, merge: 1 }, "4544702 $accumulator 'merge' must be a String or Code"],
    [{ ...spec, lang: 1 }, '4544704 $accumulator lang must be a string; found: int'],
    [{ ...spec, lang: 'ts' }, "4544705 $accumulator only supports lang: 'js'"],
    [{ ...spec, more: 1 }, '4544706 $accumulator got an unexpected field: more'],
    [{ ...spec, init: '' }, "4544707 $accumulator missing required argument 'init'"],
    [{ init: '1', merge: '1' }, "4544708 $accumulator missing required argument 'accumulate'"],
    [{ init: '1', accumulate: '1' }, "4544709 $accumulator missing required argument 'merge'"],
    [{ init: '1', accumulate: '1', merge: '1' }, "4544710 $accumulator missing required argument 'accumulateArgs'"],
  ])('is rejected as %j', async ($accumulator, refusal) => {
    const { client } = await filled();
    const pipeline = [{ $group: { _id: null, a: { $accumulator } } }];
    expect(await client.refusal({ aggregate: 'c', pipeline, cursor: {} })).toBe(refusal);
  });

  test.each([
    [{ initArgs: '$_id' }, '4544711 .*initArgs must evaluate to an array'],
    [{ accumulateArgs: '$a' }, '4544712 .*accumulateArgs must evaluate to an array'],
  ])('fails while it runs with %j', async (change, refusal) => {
    const { client } = await filled();
    const pipeline = [{ $group: { _id: '$word', a: { $accumulator: { ...spec, ...change } } } }];
    expect(await client.refusal({ aggregate: 'c', pipeline, cursor: {} })).toMatch(new RegExp(refusal));
  });
});

test('global variables last for one command', async () => {
  const { client } = await filled();
  const count = 'function () { counted = (typeof counted === "undefined" ? 0 : counted) + 1; return counted }';
  const command = { aggregate: 'c', pipeline: [{ $project: { n: js(count) } }], cursor: {} };
  const counts = [
    { _id: 1, n: 1 },
    { _id: 2, n: 2 },
    { _id: 3, n: 3 },
  ];
  expect((await client.plain(command)).cursor.firstBatch).toEqual(counts);
  expect((await client.plain(command)).cursor.firstBatch).toEqual(counts);
});
