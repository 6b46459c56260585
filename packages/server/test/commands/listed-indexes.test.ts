import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Client } from '../client.js';
import { typed, world } from '../client.js';

const create = (key: Document, name = 'i', more: Document = {}): Document => ({
  createIndexes: 'c',
  indexes: [{ key, name, ...more }],
});

/** Returns the second index of `listIndexes`. */
const listed = async (client: Client): Promise<string> =>
  typed((await client.run({ listIndexes: 'c' })).cursor.firstBatch[1]);

describe('text, geospatial and wildcard indexes', () => {
  test.each([
    [
      { a: 'text' },
      {},
      '{"v":{"$numberInt":"2"},"key":{"_fts":"text","_ftsx":{"$numberInt":"1"}},"name":"i","weights":{"a":{"$numberInt":"1"}},"default_language":"english","language_override":"language","textIndexVersion":{"$numberInt":"3"}}',
    ],
    [
      { x: 1, b: 'text', a: 'text', y: -1 },
      { weights: { b: 5 }, default_language: 'none' },
      '{"v":{"$numberInt":"2"},"key":{"x":{"$numberInt":"1"},"_fts":"text","_ftsx":{"$numberInt":"1"},"y":{"$numberInt":"-1"}},"name":"i","weights":{"a":{"$numberInt":"1"},"b":{"$numberInt":"5"}},"default_language":"none","language_override":"language","textIndexVersion":{"$numberInt":"3"}}',
    ],
    [
      { loc: '2dsphere' },
      {},
      '{"v":{"$numberInt":"2"},"key":{"loc":"2dsphere"},"name":"i","2dsphereIndexVersion":{"$numberInt":"3"}}',
    ],
    [
      { loc: '2d' },
      { min: -10, max: 10 },
      '{"v":{"$numberInt":"2"},"key":{"loc":"2d"},"name":"i","min":{"$numberInt":"-10"},"max":{"$numberInt":"10"}}',
    ],
    [
      { '$**': 1 },
      { wildcardProjection: { a: 0 } },
      '{"v":{"$numberInt":"2"},"key":{"$**":{"$numberInt":"1"}},"name":"i","wildcardProjection":{"a":{"$numberInt":"0"}}}',
    ],
    [{ 'a.$**': 1 }, {}, '{"v":{"$numberInt":"2"},"key":{"a.$**":{"$numberInt":"1"}},"name":"i"}'],
  ])('%j is listed as in mongod', async (key, more, expected) => {
    const { client } = world();
    expect((await client.plain(create(key, 'i', more))).numIndexesAfter).toBe(2);
    expect(await listed(client)).toBe(expected);
  });

  test('do not change query results, and a wildcard index that does not answer the query is rejected as a hint', async () => {
    const { client } = world();
    await client.plain({
      insert: 'c',
      documents: [{ _id: 1, loc: [5, 5], a: 'x' }, { _id: 2, a: ['x', 'y'] }, { _id: 3 }],
    });
    for (const key of [{ loc: '2dsphere' }, { a: 'text' }, { '$**': 1 }]) {
      expect((await client.plain(create(key, JSON.stringify(key)))).ok).toBe(1);
    }
    await client.plain({ insert: 'c', documents: [{ _id: 4, a: 'x' }] });
    const found = await client.plain({
      find: 'c',
      filter: { a: 'x' },
      sort: { loc: 1, _id: 1 },
      projection: { _id: 1 },
    });
    expect(found.cursor.firstBatch).toEqual([{ _id: 2 }, { _id: 4 }, { _id: 1 }]);
    expect(await client.plain({ validate: 'c' })).toMatchObject({ valid: true, nIndexes: 4 });
    expect(await client.refusal({ find: 'c', hint: { '$**': 1 } })).toBe(
      '291 error processing query: planner returned error :: caused by :: the hinted wildcard index does not answer the query',
    );
    expect(await client.plain({ dropIndexes: 'c', index: '{"$**":1}' })).toEqual({ nIndexesWas: 4, ok: 1 });
  });

  test('a collection has at most one text index', async () => {
    const { client } = world();
    await client.plain(create({ a: 'text' }, 'a_text'));
    expect((await client.plain(create({ a: 'text' }, 'a_text'))).numIndexesAfter).toBe(2);
    expect(await client.refusal(create({ b: 'text' }, 'b_text'))).toMatch(
      /^85 An equivalent index already exists with a different name and options\. /,
    );
    for (const more of [{ default_language: 'none' }, { language_override: 'idioma' }])
      expect(await client.refusal(create({ a: 'text' }, 'a_text', more))).toMatch(/^85 An equivalent index already/);
    expect(await client.refusal(create({ x: 1, b: 'text' }, 'x_b'))).toBe(
      '67 only one text index per collection allowed, found existing text index "a_text"',
    );
  });

  test.each([
    [{ a: 'text', b: '2d' }, {}, "67 Can't use more than one index plugin for a single index."],
    [{ a: 'text', b: 1, c: 'text' }, {}, "67 'text' fields in index must all be adjacent"],
    [{ a: 'text' }, { weights: { a: 0 } }, /^67 text index weight must be in the exclusive interval/],
    [{ a: 'text' }, { default_language: 'klingon' }, '67 default_language is not valid'],
    [{ a: '2d' }, { unique: true }, "67 This server does not support unique indexes of type '2d'"],
    [{ '$**': 1 }, { unique: true }, "67 Index type 'wildcard' does not support the unique option"],
    [{ '$**': 1 }, { sparse: true }, "67 Index type 'wildcard' does not support the sparse option"],
    [{ a: 1 }, { wildcardProjection: { a: 1 } }, /^2 The field 'wildcardProjection' is only allowed/],
    [{ 'a.$b': 1 }, {}, /^67 /],
    [{ 'a.$b': 'text' }, {}, /^67 Index key contains an illegal field name/],
    [{ a: 'text', b: 2 ** 40 }, {}, '67 expected value 1 or -1 for non-text key in compound index'],
    [{ _fts: 1 }, {}, "67 Index key contains an illegal field name: '_fts'"],
    [{ a: 1 }, { weights: { a: 1 } }, "67 The field 'weights' is only allowed in a text index"],
    [{ a: 1, at: '2d' }, {}, '16801 2d has to be first in index'],
    [{ at: '2d', there: '2d' }, {}, "16800 can't have 2 geo fields"],
  ])('%j with %j is rejected', async (key, more, refusal) => {
    expect(await world().client.refusal(create(key, 'i', more))).toMatch(
      typeof refusal === 'string' ? new RegExp(`^${refusal.replace(/[$*.'[\]()]/g, '\\$&')}$`) : refusal,
    );
  });
});
