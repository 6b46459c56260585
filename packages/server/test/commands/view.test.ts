import { beforeEach, describe, expect, test } from 'vitest';
import type { Client } from '../client.js';
import { world } from '../client.js';

let client: Client;
const collation = { locale: 'en', strength: 2 };

beforeEach(async () => {
  ({ client } = world());
  await client.plain({ insert: 'c', documents: [{ _id: 1, s: 'x' }] });
  await client.plain({ create: 'blind', viewOn: 'c', pipeline: [], collation });
  await client.plain({ create: 'v', viewOn: 'c', pipeline: [] });
  await client.plain({ create: 'over', viewOn: 'v', pipeline: [] });
});

describe('the collation of a view', () => {
  const other = { locale: 'fr' };
  const same = { strength: 2, locale: 'en', caseLevel: false };
  test.each([
    { find: 'blind', filter: {} },
    { aggregate: 'blind', pipeline: [], cursor: {} },
    { count: 'blind' },
    { distinct: 'blind', key: 's' },
  ])('applies to %j: another collation fails, and the same one succeeds', async command => {
    const refusal = "167 Cannot override a view's default collation";
    expect(await client.refusal({ ...command, collation: other })).toBe(refusal);
    expect(await client.refusal({ ...command, collation: { locale: 'simple' } })).toBe(refusal);
    expect(await client.plain({ ...command, collation: same })).toMatchObject({ ok: 1 });
    expect(await client.plain(command)).toMatchObject({ ok: 1 });
  });

  test('is the simple collation by default', async () => {
    expect(await client.refusal({ find: 'v', collation })).toMatch(/^167 /);
    expect(await client.plain({ find: 'v', collation: { locale: 'simple' } })).toMatchObject({ ok: 1 });
  });

  test('must equal the collations of the views that it is defined on', async () => {
    expect(await client.refusal({ create: 'w', viewOn: 'blind', pipeline: [] })).toBe(
      '167 View db.w has conflicting collation with view db.blind',
    );
    expect(await client.plain({ create: 'w', viewOn: 'blind', pipeline: [], collation })).toMatchObject({ ok: 1 });
  });
});

describe('a view that would read itself', () => {
  test.each([
    { create: 'w', viewOn: 'w', pipeline: [] },
    { create: 'w', viewOn: 'c', pipeline: [{ $lookup: { from: 'w', pipeline: [], as: 'x' } }] },
    { collMod: 'v', viewOn: 'over', pipeline: [] },
    { collMod: 'v', viewOn: 'c', pipeline: [{ $unionWith: 'over' }] },
  ])('is rejected: %j', async command => {
    expect(await client.refusal(command)).toMatch(/^5 View cycle detected: /);
    expect((await client.plain({ find: 'over' })).cursor.firstBatch).toEqual([{ _id: 1, s: 'x' }]);
  });
});

test.each([
  [{ collMod: 'v', viewOn: 'c', pipeline: [{ $out: 'x' }] }, /^167 /],
  [{ collMod: 'v', viewOn: 'c', pipeline: [{ $nope: 1 }] }, /^40324 /],
])('%j: collMod rejects a pipeline that create would reject', async (command, refusal) => {
  expect(await client.refusal(command)).toMatch(refusal);
  expect((await client.plain({ find: 'v' })).cursor.firstBatch).toEqual([{ _id: 1, s: 'x' }]);
});

test('renameCollection cannot replace a view', async () => {
  const rename = { renameCollection: 'db.c', to: 'db.blind', dropTarget: true };
  expect(await client.refusal(rename, 'admin')).toBe('48 a view already exists with that name: db.blind');
});
