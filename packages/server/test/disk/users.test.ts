import { UUID } from 'bson';
import { describe, expect, test } from 'vitest';
import { logIn } from '../auth/scram-client.js';
import type { Client, Reply } from '../client.js';
import { clientOf, onMachine } from './machine.js';

const root = { user: 'root', pwd: 'secret' };

/** Logs a connection in. */
const as = async (client: Client, user: string, pwd: string, db = 'admin'): Promise<Client> => {
  const replies = await logIn(client, user, pwd, { db });
  expect(replies.at(-1)).toMatchObject({ ok: 1, done: true });
  return client;
};

const usersOf = async (client: Client): Promise<readonly unknown[]> =>
  (await client.plain({ usersInfo: { forAllDBs: true } }, 'admin'))['users'] as readonly unknown[];

describe('users and roles of a server with a data folder', { timeout: 20_000 }, () => {
  test('are there after a restart, with their passwords and all later changes', () =>
    onMachine(async ({ start }) => {
      const first = start({ users: [root] });
      const client = await as(clientOf(first), 'root', 'secret');
      const find = { resource: { db: 'shop', collection: 'c' }, actions: ['find'] };
      await client.plain({ createRole: 'looks', privileges: [find], roles: [] }, 'shop');
      await client.plain({ createUser: 'ada', pwd: 'pencil', roles: ['looks'], customData: { n: 1 } }, 'shop');
      await client.plain({ createUser: 'bob', pwd: 'pen', roles: [] }, 'shop');
      await client.plain({ grantRolesToUser: 'ada', roles: [{ role: 'read', db: 'other' }] }, 'shop');
      await client.plain({ dropUser: 'bob' }, 'shop');
      const before = await usersOf(client);
      await first.close();

      const second = start({ users: [root] });
      expect((await usersOf(await as(clientOf(second), 'root', 'secret'))).slice(0, 1)).toEqual(before.slice(0, 1));
      const ada = await as(clientOf(second), 'ada', 'pencil', 'shop');
      expect(await ada.plain({ find: 'c' }, 'shop')).toMatchObject({ ok: 1 });
      expect(await ada.refusal({ find: 'd' }, 'shop')).toMatch(/^13 /);
      await second.close();
    }));

  test('given at the start keep later changes, and their given password unless it was changed', () =>
    onMachine(async ({ start }) => {
      const users = [root, { user: 'ada', pwd: 'pencil' }];
      const first = start({ users });
      const client = await as(clientOf(first), 'root', 'secret');
      await client.plain({ updateUser: 'ada', roles: ['read'] }, 'admin');
      await client.plain({ updateUser: 'root', pwd: 'changed' }, 'admin');
      await first.close();

      const second = start({ users });
      const boss = await as(clientOf(second), 'root', 'changed');
      const shown = (await boss.plain({ usersInfo: 'ada' }, 'admin'))['users'] as readonly Reply[];
      expect(shown[0]!['roles']).toEqual([{ role: 'read', db: 'admin' }]);
      await as(clientOf(second), 'ada', 'pencil');
      await second.close();
    }));

  test('are stored as in mongod, and usersInfo ignores other documents in admin.system.users', () =>
    onMachine(async ({ start }) => {
      const server = start();
      const client = clientOf(server);
      await client.plain({ createUser: 'ada', pwd: 'pencil', roles: ['read'], mechanisms: ['SCRAM-SHA-256'] }, 'shop');
      const keys = { iterationCount: 15_000, salt: expect.any(String), storedKey: expect.any(String) };
      expect((await client.plain({ find: 'system.users' }, 'admin')).cursor.firstBatch).toEqual([
        {
          _id: 'shop.ada',
          userId: expect.any(UUID) as unknown,
          user: 'ada',
          db: 'shop',
          credentials: { 'SCRAM-SHA-256': { ...keys, serverKey: expect.any(String) as unknown } },
          roles: [{ role: 'read', db: 'shop' }],
        },
      ]);
      await client.plain({ insert: 'system.users', documents: [{ _id: 'nonsense', user: 5 }] }, 'admin');
      expect(await usersOf(client)).toMatchObject([{ _id: 'shop.ada' }]);
      await server.close();
    }));
});
