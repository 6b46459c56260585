import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Client } from '../client.js';
import { world } from '../client.js';

interface Setting {
  readonly source: readonly Document[];
  readonly target?: readonly Document[];
  readonly indexes?: readonly Document[];
  readonly version?: string;
}

const insensitive = { locale: 'en', strength: 2 };

const filled = async ({ source, target = [], indexes = [], version = '8.2.1' }: Setting): Promise<Client> => {
  const { client } = world({ version });
  await client.plain({ insert: 'from', documents: source });
  if (target.length > 0) await client.plain({ insert: 'to', documents: target });
  if (indexes.length > 0)
    expect(
      await client.plain({ createIndexes: 'to', indexes: indexes.map(one => ({ name: 'k', unique: true, ...one })) }),
    ).toMatchObject({ ok: 1 });
  return client;
};

/** Runs `$merge`, and returns the code of its failure, or 0, and the documents of the target. */
const merged = async (client: Client, merge: Document, more: Document = {}): Promise<readonly [number, unknown]> => {
  const pipeline = [{ $merge: { into: 'to', ...merge } }];
  const { ok, code } = await client.plain({ aggregate: 'from', pipeline, cursor: {}, ...more });
  return [ok === 1 ? 0 : code, (await client.plain({ find: 'to', sort: { _id: 1 } })).cursor.firstBatch];
};

describe('a document that $merge cannot write does not keep its batch from being written', () => {
  const source = [{ _id: 1, a: 1 }, { _id: 2, a: 2 }, { _id: 3, a: 3 }]; // prettier-ignore

  test.each<readonly [Document, readonly Document[], number, readonly Document[]]>([
    [{ whenNotMatched: 'fail' }, [{ _id: 1 }, { _id: 3 }], 13113, [{ _id: 1, a: 1 }, { _id: 3, a: 3 }]],
    [{ whenNotMatched: 'fail', whenMatched: 'replace' }, [{ _id: 3, b: 1 }], 13113, [{ _id: 3, a: 3 }]],
    [{ whenMatched: 'fail' }, [{ _id: 2 }], 11000, [{ _id: 1, a: 1 }, { _id: 2 }, { _id: 3, a: 3 }]],
  ])('%j into %j', async (merge, target, code, expected) => {
    expect(await merged(await filled({ source, target }), merge)).toEqual([code, expected]);
  }); // prettier-ignore

  test('and a later batch of 16 MiB is not written', async () => {
    const padding = 'x'.repeat(6 * 1024 * 1024);
    const client = await filled({ source: source.slice(0, 2).map(doc => ({ ...doc, padding })), target: [{ _id: 2 }, { _id: 3 }] });
    await client.plain({ insert: 'from', documents: [{ _id: 3, a: 3, padding }] });
    const [code, documents] = await merged(client, { whenNotMatched: 'fail' });
    expect([code, (documents as Document[]).map(({ _id, a }) => [_id, a])]).toEqual([13113, [[2, 2], [3, undefined]]]);
  }); // prettier-ignore
});

test('the error of a duplicate key says whether the "on" fields or others have it', async () => {
  const refusal = async (source: Document): Promise<string> => {
    const client = await filled({ source: [source], target: [{ _id: 1, a: 0, b: { c: 2 } }], indexes: [{ key: { a: 1, 'b.c': 1 } }] });
    const pipeline = [{ $merge: { into: 'to', whenMatched: 'fail', on: ['a', 'b.c'] } }];
    return client.refusal({ aggregate: 'from', pipeline, cursor: {} });
  };
  expect(await refusal({ _id: 2, a: 0, b: { c: 2 } })).toMatch(
    /^11000 .* \$merge with whenMatched: fail found an existing document with the same values for the 'on' fields :: caused by :: E11000/,
  );
  expect(await refusal({ _id: 1, a: 3, b: { c: 4 } })).toMatch(
    /^11000 .* \$merge failed due to a DuplicateKey error :: caused by :: E11000/,
  );
}); // prettier-ignore

describe('a field with a leading dollar', () => {
  const source = [{ _id: 1, $dollar: 1 }];
  const pipeline = [{ $set: { b: 1 } }];

  test.each<readonly [Document, number, Document]>([
    [{ whenMatched: 'replace' }, 52, { _id: 1, a: 1 }],
    [{ whenMatched: 'merge' }, 52, { _id: 1, a: 1 }],
    [{ whenMatched: 'keepExisting' }, 0, { _id: 1, a: 1 }],
    [{ whenMatched: 'fail' }, 11000, { _id: 1, a: 1 }],
    [{ whenMatched: pipeline }, 0, { _id: 1, a: 1, b: 1 }],
  ])('in a matched document with %j', async (merge, code, expected) => {
    expect(await merged(await filled({ source, target: [{ _id: 1, a: 1 }] }), merge)).toEqual([code, [expected]]);
  });

  test.each(['replace', 'merge', 'keepExisting', 'fail', pipeline])(
    'is inserted with whenMatched: %j',
    async whenMatched => {
      expect(await merged(await filled({ source }), { whenMatched })).toEqual([0, source]);
    },
  );
});

describe('the collation of the pipeline', () => {
  const setting = { source: [{ _id: 1, s: 'ABC' }], target: [{ _id: 1, s: 'abc', a: 1 }] };

  test.each<readonly [Document | undefined, Document | undefined, number]>([
    [insensitive, insensitive, 0],
    [insensitive, undefined, 51183],
    [undefined, insensitive, 51183],
    [insensitive, { locale: 'en', strength: 1 }, 51183],
    [undefined, { locale: 'simple' }, 0],
  ])('with an index of %j and a pipeline of %j', async (collation, collationOfPipeline, code) => {
    const client = await filled({ ...setting, indexes: [{ key: { s: 1 }, ...(collation && { collation }) }] });
    const more = collationOfPipeline === undefined ? {} : { collation: collationOfPipeline };
    expect((await merged(client, { on: 's', whenMatched: 'keepExisting', whenNotMatched: 'insert' }, more))[0]).toBe(
      collation === undefined && code === 0 ? 11000 : code,
    );
  });

  test('decides which documents match', async () => {
    const client = await filled({ ...setting, indexes: [{ key: { s: 1 }, collation: insensitive }] });
    expect(await merged(client, { on: 's' }, { collation: insensitive })).toEqual([0, [{ _id: 1, s: 'ABC', a: 1 }]]);
  });
});

describe('the "on" fields', () => {
  test.each<readonly [Document, string, string, number]>([
    [{ a: [1] }, 'a', '8.2.1', 51185],
    [{ a: [{ b: 1 }] }, 'a.b', '8.2.1', 51132],
    [{ a: 'x' }, 'a.b', '8.2.1', 0],
    [{}, 'a', '8.2.1', 0],
    [{ a: null }, 'a', '8.2.1', 0],
    [{}, 'a', '8.0.0', 51132],
    [{ a: null }, 'a', '7.0.0', 51132],
  ])('accept or reject %j at %s in version %s', async (source, on, version, code) => {
    const client = await filled({ source: [source], indexes: [{ key: { [on]: 1 } }], version });
    expect((await merged(client, { on }))[0]).toBe(code);
  });

  test('may not be those of a text index', async () => {
    const client = await filled({ source: [{}], indexes: [{ key: { a: 1, s: 'text' } }] });
    expect((await merged(client, { on: 'a' }))[0]).toBe(51183);
  });

  test.each([
    ['$a', 16410],
    ['', 40352],
    ['a..b', 15998],
  ])('reject the path "%s"', async (on, code) => {
    expect((await merged(await filled({ source: [{}] }), { on }))[0]).toBe(code);
  });
});

test('the target needs the name of a database', async () => {
  const client = await filled({ source: [{}] });
  expect((await merged(client, { into: { db: '', coll: 'to' } }))[0]).toBe(73);
});
