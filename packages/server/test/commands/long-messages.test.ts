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
