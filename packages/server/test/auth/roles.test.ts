import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import { Doc } from '@tessera/mql/engine';
import { createCommands } from '../../src/commands/all.js';
import { needsOf } from '../../src/auth/needs.js';
import { Client, world } from '../client.js';
import { logIn } from './scram-client.js';

/** The privilege of the role `enableSharding`, the same in every database. */
const sharding = {
  resource: { db: '', collection: '' },
  actions: [
    ...['analyzeShardKey', 'enableSharding', 'moveCollection', 'refineCollectionShardKey', 'reshardCollection'],
    'unshardCollection',
  ],
};

const root = { user: 'root', pwd: 'root' };

/** A client with these roles, and a client that may do everything. */
const people = async (roles: readonly unknown[], version = '8.2.1'): Promise<{ ada: Client; boss: Client }> => {
  const { server, client: boss } = world({ users: [root], version });
  await logIn(boss, 'root', 'root');
  await boss.plain({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }] }, 'shop');
  await boss.plain({ createUser: 'ada', pwd: 'pencil', roles }, 'shop');
  const ada = new Client(server);
  await logIn(ada, 'ada', 'pencil', { db: 'shop' });
  return { ada, boss };
};

const code = async (client: Client, command: Document, db = 'shop'): Promise<number> => {
  const { ok, code: number } = await client.plain(command, db);
  return ok === 1 ? 0 : number;
};

test('the error of an unauthorized command quotes the command, without passwords', async () => {
  const { ada } = await people(['read']);
  expect(await ada.refusal({ insert: 'c', documents: [{ _id: 3 }] }, 'shop')).toBe(
    '13 not authorized on shop to execute command { insert: "c", documents: [ { _id: 3 } ], $db: "shop" }',
  );
  expect(await ada.refusal({ find: 'c' }, 'other')).toBe(
    '13 not authorized on other to execute command { find: "c", $db: "other" }',
  );
  expect(await ada.refusal({ createUser: 'eve', pwd: 'secret', roles: [] }, 'shop')).toBe(
    '13 not authorized on shop to execute command { createUser: "eve", pwd: "xxx", roles: [], $db: "shop" }',
  );
});

const find = { find: 'c' };
const insert = { insert: 'c', documents: [{}] };
const index = { createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a' }] };
const out = { aggregate: 'c', pipeline: [{ $out: 'o' }], cursor: {} };
const lookup = {
  aggregate: 'c',
  pipeline: [{ $lookup: { from: 'secret', localField: 'a', foreignField: 'a', as: 'x' } }],
  cursor: {},
};
const validate = { validate: 'c' };
const createUser = { createUser: 'bob', pwd: 'pwd', roles: [] };
const status = { serverStatus: 1 };

describe('built-in roles', () => {
  const cases: readonly (readonly [role: unknown, may: readonly Document[], mayNot: readonly Document[]])[] = [
    ['read', [find, lookup, { listCollections: 1 }], [insert, index, out, validate, createUser, status]],
    ['readWrite', [find, insert, index, out], [validate, createUser, status, { dropDatabase: 1 }]],
    ['dbAdmin', [index, validate, { dropDatabase: 1 }], [find, insert, createUser]],
    ['userAdmin', [createUser, { usersInfo: 1 }], [find, insert, validate]],
    ['dbOwner', [find, insert, validate, createUser, { dropDatabase: 1 }], [status]],
    [{ role: 'readAnyDatabase', db: 'admin' }, [find], [insert]],
    [{ role: 'clusterMonitor', db: 'admin' }, [status], [find, insert]],
    [{ role: 'hostManager', db: 'admin' }, [{ killAllSessions: [] }], [status, find]],
    [{ role: 'backup', db: 'admin' }, [find, status], [insert]],
    [{ role: 'restore', db: 'admin' }, [insert, createUser], [find, status]],
    [{ role: 'root', db: 'admin' }, [find, insert, status, createUser, validate], []],
  ];

  test.each(cases)('%j grants its own privileges only', async (role, may, mayNot) => {
    const { ada } = await people([role]);
    for (const command of mayNot) expect([command, await code(ada, command)]).toEqual([command, 13]);
    for (const command of may) expect([command, await code(ada, command)]).toEqual([command, 0]);
  });

  test('no role of a database grants access to its system collections', async () => {
    const { ada } = await people(['readWrite']);
    expect(await code(ada, { find: 'system.users' })).toBe(13);
    expect(await code(ada, { find: 'system.js' })).toBe(0);
  });
});

describe('user-defined roles', () => {
  const privileges = [{ resource: { db: 'shop', collection: 'c' }, actions: ['find'] }];

  test('grant their privileges on their resource only, together with those of their inherited roles', async () => {
    const { ada, boss } = await people([]);
    expect(await code(ada, find)).toBe(13);
    await boss.plain({ createRole: 'reader', privileges, roles: [] }, 'shop');
    await boss.plain({ createRole: 'clerk', privileges: [], roles: ['reader'] }, 'shop');
    await boss.plain({ grantRolesToUser: 'ada', roles: ['clerk'] }, 'shop');
    expect(await code(ada, find)).toBe(0);
    expect(await code(ada, { find: 'd' })).toBe(13);
    await boss.plain(
      {
        grantPrivilegesToRole: 'clerk',
        privileges: [{ resource: { db: 'shop', collection: '' }, actions: ['insert'] }],
      },
      'shop',
    );
    expect(await code(ada, { insert: 'd', documents: [{}] })).toBe(0);
    await boss.plain({ dropRole: 'reader' }, 'shop');
    expect(await code(ada, find)).toBe(13);
    await boss.plain({ dropUser: 'ada' }, 'shop');
    expect(await ada.refusal(find, 'shop')).toBe('13 Command find requires authentication');
  });

  test('are listed by rolesInfo', async () => {
    const { boss } = await people([]);
    await boss.plain({ createRole: 'reader', privileges, roles: ['enableSharding'] }, 'shop');
    const { roles } = await boss.plain({ rolesInfo: 'reader', showPrivileges: true }, 'shop');
    const inherited = [...privileges, sharding];
    const part = [{ role: 'enableSharding', db: 'shop' }];
    expect(roles).toEqual([
      {
        ...{ _id: 'shop.reader', role: 'reader', db: 'shop', privileges, roles: part, inheritedRoles: part },
        ...{ inheritedPrivileges: inherited, isBuiltin: false },
      },
    ]);
    expect(await boss.plain({ rolesInfo: 1 }, 'shop')).toMatchObject({ roles: [{ role: 'reader' }] });
  });

  test.each([
    [{ createRole: 'read', privileges: [], roles: [] }, '2 Cannot create roles with the same name as a built-in role'],
    [{ createRole: 'mine', privileges: [], roles: [] }, '51002 Role "mine@shop" already exists'],
    [{ dropRole: 'none' }, "31 Role 'none@shop' not found"],
    [{ dropRole: 'read' }, '49 read@shop is a built-in role and cannot be modified'],
    [{ createRole: 'more', privileges: [], roles: ['none'] }, '31 Could not find role: none@shop'],
    [
      { createRole: 'more', privileges: [{ resource: { cluster: true }, actions: ['fly'] }], roles: [] },
      '9 Unrecognized action privilege strings: fly',
    ],
    [
      { grantRolesToRole: 'mine', roles: ['mine'] },
      '49 Granting mine@shop to itself would introduce a cycle in the role graph',
    ],
  ])('%j is rejected', async (command, refusal) => {
    const { boss } = await people([]);
    await boss.plain({ createRole: 'mine', privileges: [], roles: [] }, 'shop');
    expect(await boss.refusal(command, 'shop')).toBe(refusal);
  });
});

test('usersInfo returns privileges and credentials if showPrivileges and showCredentials are set', async () => {
  const { boss } = await people(['enableSharding']);
  const { users } = await boss.plain({ usersInfo: 'ada', showPrivileges: true, showCredentials: true }, 'shop');
  const key = expect.stringMatching(/^[0-9A-Za-z+/]+=*$/) as unknown;
  const keys = { salt: key, storedKey: key, serverKey: key };
  expect((users as readonly Document[])[0]).toMatchObject({
    credentials: {
      'SCRAM-SHA-1': { iterationCount: 10_000, ...keys },
      'SCRAM-SHA-256': { iterationCount: 15_000, ...keys },
    },
    inheritedPrivileges: [sharding],
  });
});

test('connectionStatus lists the privileges of the authenticated users', async () => {
  const { ada } = await people(['enableSharding']);
  expect((await ada.plain({ connectionStatus: 1, showPrivileges: true }))['authInfo']).toEqual({
    authenticatedUsers: [{ user: 'ada', db: 'shop' }],
    authenticatedUserRoles: [{ role: 'enableSharding', db: 'shop' }],
    authenticatedUserPrivileges: [sharding],
  });
});

test('listDatabases lists only the databases that the user may read', async () => {
  const { ada, boss } = await people(['read']);
  await boss.plain(insert, 'secret');
  const names = async (client: Client): Promise<unknown> =>
    ((await client.plain({ listDatabases: 1, nameOnly: true }, 'admin'))['databases'] as readonly Document[]).map(
      ({ name }) => name as unknown,
    );
  expect(await names(ada)).toEqual(['shop']);
  expect(await names(boss)).toEqual(['admin', 'config', 'local', 'secret', 'shop']);
});

test('$listCatalog and $listClusterCatalog need privileges on the collections that they list', async () => {
  const listing = (stage: string, target: unknown = 1): Document => ({
    aggregate: target,
    pipeline: [{ [stage]: {} }],
    cursor: {},
  });
  const { ada } = await people(['read', { role: 'userAdminAnyDatabase', db: 'admin' }]);
  expect(await code(ada, listing('$listCatalog', 'c'))).toBe(0);
  expect(await code(ada, listing('$listCatalog'), 'admin')).toBe(13);
  expect(await code(ada, listing('$listCatalog', 'c'), 'admin')).toBe(13);
  expect(await code(ada, listing('$listClusterCatalog'))).toBe(0);
  expect(await code(ada, listing('$listClusterCatalog'), 'other')).toBe(13);
  const { ada: eve } = await people([{ role: 'readAnyDatabase', db: 'admin' }]);
  expect(await code(eve, listing('$listCatalog'), 'admin')).toBe(0);
  expect(await code(eve, listing('$listClusterCatalog'), 'other')).toBe(0);
});

test('a digested password works with SCRAM-SHA-1 only', async () => {
  const { boss } = await people([]);
  const user = { createUser: 'eve', pwd: 'digest', digestPassword: false, roles: [] };
  expect(await boss.refusal(user, 'shop')).toBe('2 Use of SCRAM-SHA-256 requires undigested passwords');
  expect(await boss.plain({ ...user, mechanisms: ['SCRAM-SHA-1'] }, 'shop')).toEqual({ ok: 1 });
});

test('every command declares the privileges that it requires', () => {
  const request = (name: string) => ({
    db: 'db',
    body: Doc.of([[name, name === 'applyOps' ? [] : 'c']]),
    asking: new Set<string>(),
    roles: new Set<string>(),
    named: () => undefined,
  });
  const missing = createCommands(true).all.filter(({ name }) => needsOf(name, request(name)) === undefined);
  expect(missing.map(({ name }) => name)).toEqual([]);
});
