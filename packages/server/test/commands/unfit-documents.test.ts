import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Client } from '../client.js';
import { world } from '../client.js';

const made = async (index: Document): Promise<Client> => {
  const { client } = world();
  await client.plain({ createIndexes: 'c', indexes: [{ name: 'i', ...index }] });
  return client;
};

const written = async (client: Client, document: Document): Promise<string> => {
  const { writeErrors } = await client.plain({ insert: 'c', documents: [{ _id: 1, ...document }] });
  const [error] = (writeErrors ?? []) as { code: number; errmsg: string }[];
  return error === undefined ? 'written' : `${error.code} ${error.errmsg}`;
};

const line = { type: 'LineString', coordinates: [[1, 2], [3, 4]] }; // prettier-ignore

describe('a 2dsphere index', () => {
  const onSphere = (): Promise<Client> => made({ key: { at: '2dsphere' } });

  test.each([
    [{}],
    [{ at: null }],
    [{ at: [] }],
    [{ at: {} }],
    [{ at: [1, 2] }],
    [{ at: { lng: 1, lat: 2 } }],
    [{ at: { type: 'Point', coordinates: [180, -90] } }],
    [{ at: line }],
  ])('accepts %j', async document => {
    expect(await written(await onSphere(), document)).toBe('written');
  });

  test.each([
    [{ at: 'x' }, '{ _id: 1, at: "x" }  geo element must be an array or object: at: "x"'],
    [
      { at: { type: 'Point' } },
      '{ _id: 1, at: { type: "Point" } }  Point must be an array or object, instead got type missing',
    ],
    [
      { at: { type: 'Point', coordinates: ['1', 2] } },
      '{ _id: 1, at: { type: "Point", coordinates: [ "1", 2 ] } }  Point must only contain numeric elements',
    ],
    [
      { at: { type: 'Point', coordinates: [500, 0] } },
      '{ _id: 1, at: { type: "Point", coordinates: [ 500, 0 ] } }  longitude/latitude is out of bounds, lng: 500 lat: 0',
    ],
    [{ at: [0, 91] }, '{ _id: 1, at: [ 0, 91 ] }  longitude/latitude is out of bounds, lng: 0 lat: 91'],
    [
      { at: { coordinates: [1, 2] } },
      '{ _id: 1, at: { coordinates: [ 1, 2 ] } }  unknown GeoJSON type: { coordinates: [ 1, 2 ] }',
    ],
    [
      { at: { type: 'Place', coordinates: [1, 2] } },
      '{ _id: 1, at: { type: "Place", coordinates: [ 1, 2 ] } }  unknown GeoJSON type: { type: "Place", coordinates: [ 1, 2 ] }',
    ],
    [
      { at: { type: 'Polygon', coordinates: [0, 1] } },
      '{ _id: 1, at: { type: "Polygon", coordinates: [ 0, 1 ] } }  GeoJSON coordinates must be an array',
    ],
    [
      { at: [{ type: 'Point', coordinates: [1, 2] }] },
      '{ _id: 1, at: [ { type: "Point", coordinates: [ 1, 2 ] } ] }  Point must only contain numeric elements',
    ],
  ])('rejects %j', async (document, why) => {
    expect(await written(await onSphere(), document)).toBe(`16755 Can't extract geo keys: ${why}`);
  });

  test('checks each element of an array on the path of its field', async () => {
    const client = await made({ key: { 'list.at': '2dsphere', a: 1 } });
    const list = [{ at: [1, 2] }, { other: 1 }, { at: { type: 'Point', coordinates: [3, 4] } }];
    expect(await written(client, { list })).toBe('written');
    const update = { q: { _id: 1 }, u: { $set: { 'list.0.at': 'x' } } };
    expect(await client.plain({ update: 'c', updates: [update] })).toMatchObject({
      writeErrors: [{ code: 16755, errmsg: expect.stringMatching(/geo element must be an array or object: at: "x"$/) }],
    });
  });

  test('checks only documents that match its partialFilterExpression', async () => {
    const client = await made({ key: { at: '2dsphere' }, partialFilterExpression: { on: true } });
    expect(await written(client, { at: 'x' })).toBe('written');
    const update = { q: { _id: 1 }, u: { $set: { on: true } } };
    expect(await client.plain({ update: 'c', updates: [update] })).toMatchObject({ writeErrors: [{ code: 16755 }] });
  });

  test('rejects existing documents when it is created', async () => {
    const { client } = world();
    await client.plain({ insert: 'c', documents: [{ _id: 1, at: 'x' }] });
    expect(await client.refusal({ createIndexes: 'c', indexes: [{ key: { at: '2dsphere' }, name: 'i' }] })).toMatch(
      /^16755 /,
    );
    expect((await client.plain({ listIndexes: 'c' })).cursor.firstBatch).toHaveLength(1);
  });
});

describe('a 2d index', () => {
  const onPlane = () => made({ key: { at: '2d' }, min: -10, max: 10 });

  test.each([
    [{ at: [1, 2] }],
    [{ at: { x: 1, y: -10, z: 'x' } }],
    [{ at: [[1, 2], { x: 3, y: 4 }, []] }],
    [{ at: [] }],
    [{ at: 'x' }],
    [{ other: 1 }],
  ])('takes %j', async document => {
    expect(await written(await onPlane(), document)).toBe('written');
  });

  test.each([
    [{ at: { type: 'Point', coordinates: [1, 2] } }, /^16804 location object expected/],
    [{ at: [[1, 2], 1] }, /^16804 location object expected/],
    [{ at: [1] }, /^13068 geo field only has 1 element$/],
    [{ at: [1, 'x'] }, /^13026 geo values must be 'legacy coordinate pairs' for 2d indexes :: caused by :: \{ _id: 1/],
    [{ at: [1, 10.1] }, /^13027 point not in interval of \[ -10, 10 \] :: caused by :: \{ _id: 1/],
    [{ at: [-10.1, 1] }, /^13027 /],
    [{ at: [Number.NaN, 1] }, /^13027 /],
  ])('rejects %j', async (document, why) => {
    expect(await written(await onPlane(), document)).toMatch(why);
  });

  test('has bounds of 180 by default', async () => {
    const client = await made({ key: { at: '2d' } });
    expect(await written(client, { at: [-180, 180] })).toBe('written');
    expect(await written(await made({ key: { at: '2d' } }), { at: [0, 180.5] })).toMatch(/^13027 /);
  });
});

describe('a hashed index', () => {
  test.each([
    [{ key: { a: 'hashed' } }, { a: [1] }, 'a'],
    [{ key: { a: 'hashed' } }, { a: [] }, 'a'],
    [{ key: { a: 'hashed' }, sparse: true }, { a: [1] }, 'a'],
    [{ key: { 'a.b': 'hashed' } }, { a: [{ b: 1 }] }, 'a.b'],
    [{ key: { a: 'hashed', b: 1 } }, { b: [1] }, 'b'],
    [{ key: { b: 1, a: 'hashed' } }, { a: 1, b: [1] }, 'b'],
    [{ key: { a: 'hashed' }, partialFilterExpression: { c: 1 } }, { a: [1], c: 1 }, 'a'],
  ])('%j rejects %j', async (index, document, path) => {
    const refusal = `16766 Error: hashed indexes do not currently support array values. Found array at path: ${path}`;
    expect(await written(await made(index), document)).toBe(refusal);
    const { client } = world();
    await client.plain({ insert: 'c', documents: [document] });
    expect(await client.refusal({ createIndexes: 'c', indexes: [{ name: 'i', ...index }] })).toBe(refusal);
  });

  test('rejects an update to an array, and accepts arrays that its filter excludes', async () => {
    const client = await made({ key: { a: 'hashed' }, partialFilterExpression: { c: 1 } });
    expect(await written(client, { a: [1] })).toBe('written');
    const update = { q: { _id: 1 }, u: { $set: { c: 1 } } };
    expect(await client.plain({ update: 'c', updates: [update] })).toMatchObject({ writeErrors: [{ code: 16766 }] });
  });
});

describe('a text index and the language of a document', () => {
  test.each([
    [{ language: 'Spanish' }, 'written'],
    [{ language: 'en-US' }, '17262 language override unsupported: en-US'],
    [{ language: 5 }, '17261 found language override field in document with non-string type'],
    [{ lang: 'en-US' }, 'written'],
  ])('%j', async (document, expected) => {
    expect(await written(await made({ key: { a: 'text' } }), document)).toBe(expected);
  });

  test('language_override names the field with the language', async () => {
    const client = await made({ key: { a: 'text' }, language_override: 'lang' });
    expect(await written(client, { language: 'en-US', lang: 'en-US' })).toMatch(/^17262 /);
    expect(await written(client, { language: 'en-US', lang: 'en' })).toBe('written');
  });
});
