import type { Document } from 'bson';
import { Double, Long } from 'bson';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Client } from '../client.js';
import { typed, world } from '../client.js';

const scalar = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.constantFrom<unknown>(null, 'x', 'y', true, Long.fromNumber(1), new Double(1), new Double(2.5), { z: 1 }),
);
const value = fc.oneof({ weight: 5, arbitrary: scalar }, { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) });
const field = fc.constantFrom('a', 'b', 'c.d');
// Arrays occur in one field only, because a compound index rejects documents with two parallel arrays.
const assignment = fc.oneof(fc.tuple(fc.constant('a'), value), fc.tuple(fc.constantFrom('b', 'c.d'), scalar));
const _id = fc.integer({ min: 0, max: 12 });

const document = fc
  .record({ a: value, b: scalar, c: fc.record({ d: scalar }, { requiredKeys: [] }) }, { requiredKeys: [] })
  .map((doc): Document => doc);
const condition = fc.oneof(
  value,
  fc.tuple(fc.constantFrom('$gt', '$gte', '$lt', '$lte', '$ne', '$eq'), scalar).map(([op, v]) => ({ [op]: v })),
  fc.tuple(scalar, scalar).map(([low, high]) => ({ $gte: low, $lt: high })),
  fc.array(value, { maxLength: 3 }).map(values => ({ $in: values })),
  fc.boolean().map($exists => ({ $exists })),
);
const filter = fc
  .array(fc.oneof(fc.tuple(field, condition), fc.tuple(fc.constant('_id'), _id)), { maxLength: 2 })
  .map((entries): Document => Object.fromEntries(entries));
const sort = fc.uniqueArray(fc.tuple(field, fc.constantFrom(1, -1)), {
  minLength: 1,
  maxLength: 2,
  selector: ([name]) => name,
});

const step = fc.oneof(
  fc.tuple(_id, document).map(([id, doc]): Document => ({ insert: 'c', documents: [{ _id: id, ...doc }] })),
  fc.tuple(_id, document).map(([id, doc]): Document => ({ insert: 'c', documents: [{ _id: id, ...doc }] })),
  fc
    .tuple(filter, assignment)
    .map(([q, [name, v]]): Document => ({ update: 'c', updates: [{ q, u: { $set: { [name]: v } }, multi: true }] })),
  fc.tuple(_id, document).map(([id, u]): Document => ({ update: 'c', updates: [{ q: { _id: id }, u, upsert: true }] })),
  fc
    .tuple(_id, field)
    .map(([id, name]): Document => ({ findAndModify: 'c', query: { _id: id }, update: { $unset: { [name]: 1 } } })),
  filter.map((q): Document => ({ delete: 'c', deletes: [{ q: { ...q, _id: { $lt: 6 } }, limit: 0 }] })),
  filter.map((query): Document => ({ count: 'c', query })),
  fc
    .tuple(filter, sort)
    .map(([query, by]): Document => ({ find: 'c', filter: query, sort: { ...Object.fromEntries(by), _id: 1 } })),
  fc.tuple(filter, sort, fc.nat(5)).map(([query, by, skip]): Document => ({
    find: 'c',
    filter: query,
    sort: { ...Object.fromEntries(by), _id: -1 },
    skip,
    limit: 3,
  })),
  filter.map((query): Document => ({
    aggregate: 'c',
    pipeline: [{ $match: query }, { $sort: { _id: 1 } }],
    cursor: {},
  })),
);

const indexes = [
  { key: { a: 1 }, name: 'a' },
  { key: { b: -1, a: 1 }, name: 'ba' },
  { key: { 'c.d': 1, b: 1 }, name: 'cdb' },
  { key: { b: 1 }, name: 'b sparse', sparse: true },
  { key: { a: -1 }, name: 'a partial', partialFilterExpression: { b: { $exists: true } } },
  { key: { _id: 'hashed' }, name: '_id hashed' },
];

const all = async (client: Client): Promise<string> =>
  typed((await client.run({ find: 'c', sort: { _id: 1 } })).cursor.firstBatch);

test('any commands return the same replies with and without indexes, and validate finds the indexes consistent', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 40 }),
      fc.subarray(indexes, { minLength: 1 }),
      async (steps, chosen) => {
        const [plain, indexed] = [world().client, world().client];
        await plain.run({ create: 'c' });
        await indexed.run({ createIndexes: 'c', indexes: chosen });
        for (const command of steps) {
          expect({ command, reply: typed(await indexed.run(command)) }).toEqual({
            command,
            reply: typed(await plain.run(command)),
          });
        }
        expect(await all(indexed)).toBe(await all(plain));
        expect(await indexed.plain({ validate: 'c' })).toMatchObject({ valid: true });
      },
    ),
    { numRuns: process.env['TESTS'] === 'full' ? 400 : 150 },
  );
}, 60_000);
