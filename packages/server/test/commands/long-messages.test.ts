import { expect, test } from 'vitest';
import { world } from '../client.js';

const long = 'x'.repeat(3_000_000);
const numbers = Array.from({ length: 300_000 }, (_, i) => i);

test.each<[what: string, code: number, command: Record<string, unknown>]>([
  [
    'a geometry that an index cannot store',
    16755,
    { insert: 'places', documents: [{ p: { type: 'Polygon', coordinates: [numbers] } }] },
  ],
  ['an unknown operator', 2, { find: 'c', filter: { a: { [`$${long}`]: 1 } } }],
  ['a string that is not a number', 241, { aggregate: 'c', pipeline: [{ $set: { x: { $toInt: long } } }], cursor: {} }],
  ['a value of the wrong type', 14, { find: 'c', limit: long }],
  ['an update of an immutable field', 66, { update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { _id: numbers } } }] }],
  ['an unknown stage', 40324, { aggregate: 'c', pipeline: [{ [`$${long}`]: 1 }], cursor: {} }],
  [
    'an unknown expression of a projection',
    31325,
    { aggregate: 'c', pipeline: [{ $project: { a: { [`$${long}`]: 1 } } }], cursor: {} },
  ],
  ['an unknown field', 40415, { find: 'c', [long]: 1 }],
])('the message about %s is short, even if the value is long', async (_what, code, command) => {
  const { client } = world();
  await client.plain({ insert: 'c', documents: [{ _id: 1 }] });
  await client.plain({ createIndexes: 'places', indexes: [{ key: { p: '2dsphere' }, name: 'p' }] });
  const reply = await client.plain(command);
  const { code: found, errmsg } = reply.writeErrors?.[0] ?? reply;
  expect(found).toBe(code);
  expect(String(errmsg).length).toBeLessThan(20_100);
});

test.each<[command: string, statement: (name: string) => object]>([
  ['update', name => ({ q: { [name]: 1 }, u: { $set: { a: 1 } } })],
  ['delete', name => ({ q: { [name]: 1 }, limit: 1 })],
  ['insert', name => ({ _id: name })],
  ['bulkWrite', name => ({ delete: 0, filter: { [name]: 1 } })],
])('the messages of many failed statements of a command have 1 MiB in all: %s', async (command, statement) => {
  const { client } = world();
  const name = `$${'x'.repeat(20_000)}`;
  await client.plain({ insert: 'c', documents: [{ _id: name }] });
  const list = Array.from({ length: 500 }, () => statement(name));
  const fields: Record<string, object> = {
    update: { update: 'c', updates: list },
    delete: { delete: 'c', deletes: list },
    insert: { insert: 'c', documents: list },
    bulkWrite: { bulkWrite: 1, nsInfo: [{ ns: 'db.c' }], ops: list },
  };
  const reply = await client.plain({ ...fields[command], ordered: false }, command === 'bulkWrite' ? 'admin' : 'db');
  const errors: readonly { readonly code: number; readonly errmsg: string }[] =
    reply.writeErrors ?? reply.cursor.firstBatch;
  const lengths = errors.map(({ errmsg }) => errmsg.length);
  const sum = lengths.reduce((total, length) => total + length, 0);
  expect(errors).toHaveLength(500);
  expect(new Set(errors.map(({ code }) => code)).size).toBe(1);
  expect(sum).toBeGreaterThan(1 << 20);
  expect(sum).toBeLessThan((1 << 20) + 20_100);
  expect(lengths.slice(lengths.indexOf(0)).every(length => length === 0)).toBe(true);
});
