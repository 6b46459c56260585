import { expect, test } from 'vitest';
import { world } from './client.js';

const reduced = (times: number, initialValue: unknown, next: unknown): object => ({
  $reduce: { input: { $range: [0, times] }, initialValue, in: next },
});

const memory = 'would use too much memory';

test.each([
  ['doubles a string', reduced(40, 'ab', { $concat: ['$$value', '$$value'] }), 13548, 'past the 64MB limit'],
  ['doubles an array', reduced(40, [1], { $concatArrays: ['$$value', '$$value'] }), 146, memory],
  ['nests documents', reduced(50_000, {}, { a: '$$value' }), 15, 'maximum nested object depth'],
  ['nests arrays', reduced(50_000, [], ['$$value']), 15, 'maximum nested object depth'],
  ['creates a huge range', { $range: [0, 2_147_483_647] }, 146, memory],
])('rejects an expression that %s', async (_title, r, code, text) => {
  const { client } = world();
  await client.plain({ insert: 'c', documents: [{ _id: 1 }] });
  const reply = await client.plain({ aggregate: 'c', pipeline: [{ $project: { r } }], cursor: {} });
  expect({ ok: reply.ok, code: reply.code }).toEqual({ ok: 0, code });
  expect(reply.errmsg).toContain(text);
  expect(await client.plain({ ping: 1 })).toEqual({ ok: 1 });
});
