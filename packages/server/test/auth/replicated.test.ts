import { expect, test } from 'vitest';
import type { Client } from '../client.js';
import { members } from '../../../cluster/test/cluster/members.js';
import { logIn } from './scram-client.js';

const known = async (client: Client): Promise<readonly unknown[]> =>
  ((await client.plain({ usersInfo: 1 }, 'shop'))['users'] as readonly { readonly user: string }[]).map(
    ({ user }) => user,
  );

const made = { createUser: 'ada', pwd: 'pencil', roles: [] };

test('Users are replicated: a secondary has a user once it replicated the user, and rejects createUser', async () => {
  const set = members(3);
  const [primary, secondary] = set.clients as [Client, Client];
  set.lag(1, 500);
  expect(await secondary.refusal(made, 'shop')).toBe('10107 not primary');
  await primary.plain({ ...made, writeConcern: { w: 1 } }, 'shop');
  expect([await known(primary), await known(secondary)]).toEqual([['ada'], []]);
  await set.clock.advance(500);
  expect(await known(secondary)).toEqual(['ada']);
  expect((await logIn(secondary, 'ada', 'pencil', { db: 'shop' })).at(-1)).toMatchObject({ done: true });
  await set.close();
});

test('A user that no majority had is gone after a rollback', async () => {
  const set = members(3);
  const [old] = set.clients as [Client];
  set.partition([0], [1, 2]);
  await old.plain({ ...made, writeConcern: { w: 1 } }, 'shop');
  await set.clock.advance(30_000);
  set.heal();
  await set.clock.advance(1000);
  expect(await known(set.connect(0))).toEqual([]);
  await set.close();
});
