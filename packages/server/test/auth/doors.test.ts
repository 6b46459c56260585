import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import { Client, world } from '../client.js';
import { logIn } from './scram-client.js';

const root = { user: 'root', pwd: 'root' };

/** A client with these roles, and a client that may do everything. */
const people = async (roles: readonly unknown[]): Promise<{ ada: Client; boss: Client }> => {
  const { server, client: boss } = world({ users: [root] });
  await logIn(boss, 'root', 'root');
  for (const name of ['c', 'secret']) await boss.plain({ insert: name, documents: [{ _id: 1 }] }, 'shop');
  await boss.plain({ insert: 'c', documents: [{ _id: 1 }] }, 'other');
  await boss.plain({ createUser: 'ada', pwd: 'pencil', roles }, 'shop');
  const ada = new Client(server);
  await logIn(ada, 'ada', 'pencil', { db: 'shop' });
  return { ada, boss };
};

/** A client with the role `clerk`, which allows these actions on the collection `shop.c`. */
const clerk = async (...actions: readonly string[]): Promise<{ ada: Client; boss: Client }> => {
  const { ada, boss } = await people([]);
  const privileges = [{ resource: { db: 'shop', collection: 'c' }, actions }];
  await boss.plain({ createRole: 'clerk', privileges, roles: [] }, 'shop');
  await boss.plain({ grantRolesToUser: 'ada', roles: ['clerk'] }, 'shop');
  return { ada, boss };
};

const code = async (client: Client, command: Document, db = 'shop'): Promise<number> => {
  const { ok, code: number } = await client.plain(command, db);
  return ok === 1 ? 0 : number;
};

describe('privileges', () => {
  const resources: readonly Document[] = [
    { anyResource: true, db: 'shop' },
    { cluster: true, db: 'shop' },
    { anyResource: true, db: 'shop', collection: '' },
    { cluster: true, db: 'shop', collection: '' },
    { anyResource: true, cluster: true },
    { anyResource: true, collection: '' },
    { cluster: false, db: 'shop', collection: '' },
    { cluster: 1 },
    { anyResource: false },
    { db: 'shop' },
    {},
  ];
  const everything = (resource: Document): readonly Document[] => [{ resource, actions: ['anyAction', 'find'] }];

  test.each(resources)('a user administrator cannot grant privileges on the resource %j', async resource => {
    const { ada } = await people(['userAdmin']);
    const privileges = everything(resource);
    expect(await code(ada, { createRole: 'plain', privileges: [], roles: [] })).toBe(0);
    for (const command of [
      { createRole: 'all', privileges, roles: [] },
      { updateRole: 'plain', privileges },
      { grantPrivilegesToRole: 'plain', privileges },
    ])
      expect([command, await code(ada, command)]).toEqual([command, 9]);
    expect(await code(ada, { find: 'c' }, 'other')).toBe(13);
  });

  test('a role of a database holds only privileges and roles of that database, even if root creates it', async () => {
    const { boss } = await people([]);
    await boss.plain({ createRole: 'plain', privileges: [], roles: [] }, 'shop');
    const roles = [{ role: 'read', db: 'other' }];
    for (const resource of [{ cluster: true }, { anyResource: true }, { db: '', collection: '' }]) {
      const privileges = everything(resource);
      expect(await code(boss, { createRole: 'all', privileges, roles: [] })).toBe(49);
      expect(await code(boss, { updateRole: 'plain', privileges })).toBe(49);
      expect(await code(boss, { grantPrivilegesToRole: 'plain', privileges })).toBe(49);
      expect(await code(boss, { createRole: `all ${Object.keys(resource)[0]!}`, privileges, roles }, 'admin')).toBe(0);
    }
    expect(await code(boss, { createRole: 'all', privileges: [], roles })).toBe(49);
    expect(await code(boss, { updateRole: 'plain', roles })).toBe(49);
    expect(await code(boss, { grantRolesToRole: 'plain', roles })).toBe(49);
  });
});

describe('changes of users and roles', () => {
  test('replacing roles or privileges requires revokeRole on all databases', async () => {
    const { ada, boss } = await people(['userAdmin']);
    await boss.plain({ createRole: 'plain', privileges: [], roles: [] }, 'shop');
    await boss.plain({ createUser: 'eve', pwd: 'pencil', roles: [{ role: 'read', db: 'other' }] }, 'shop');
    const replacing = [
      { updateUser: 'eve', roles: [] },
      { updateRole: 'plain', roles: [] },
      { updateRole: 'plain', privileges: [] },
    ];
    for (const command of replacing) expect([command, await code(ada, command)]).toEqual([command, 13]);
    const resource = { db: '', collection: '' };
    await boss.plain(
      { createRole: 'revoker', privileges: [{ resource, actions: ['revokeRole'] }], roles: [] },
      'admin',
    );
    await boss.plain({ grantRolesToUser: 'ada', roles: [{ role: 'revoker', db: 'admin' }] }, 'shop');
    for (const command of replacing) expect([command, await code(ada, command)]).toEqual([command, 0]);
  });

  test('authentication restrictions require setAuthenticationRestriction', async () => {
    const actions = ['createUser', 'createRole', 'revokeRole', 'grantRole'];
    const { ada, boss } = await people([]);
    const resource = { db: '', collection: '' };
    await boss.plain({ createRole: 'maker', privileges: [{ resource, actions }], roles: [] }, 'admin');
    await boss.plain({ grantRolesToUser: 'ada', roles: [{ role: 'maker', db: 'admin' }] }, 'shop');
    const restricted = { authenticationRestrictions: [] };
    const roles: readonly string[] = [];
    for (const [command, more] of [
      [{ createUser: 'bob', pwd: 'x', roles }, restricted],
      [{ createRole: 'plain', privileges: [], roles }, restricted],
      [{ updateRole: 'plain', roles }, restricted],
    ] as const) {
      expect(await code(ada, { ...command, ...more })).toBe(13);
      expect(await code(ada, command)).toBe(0);
    }
  });
});

describe('usersInfo', () => {
  test('rejects requests for all users inside a list of names, also in nested lists', async () => {
    const { ada } = await people([]);
    const own = { user: 'ada', db: 'shop' };
    for (const users of [
      { ...own, forAllDBs: true },
      [{ ...own, forAllDBs: true }],
      [[own]],
      [1],
      [{ forAllDBs: true }],
    ])
      expect([users, await code(ada, { usersInfo: users, showCredentials: true })]).toEqual([users, 2]);
    expect(await code(ada, { usersInfo: { forAllDBs: true }, showCredentials: true })).toBe(13);
    expect(await code(ada, { usersInfo: [own], showCredentials: true })).toBe(0);
  });

  test('a user administrator cannot list users of other databases, also in nested lists', async () => {
    const { ada } = await people(['userAdmin']);
    const boss = { user: 'root', db: 'admin' };
    expect(await code(ada, { usersInfo: [boss], showCredentials: true })).toBe(13);
    expect(await code(ada, { usersInfo: [[boss]], showCredentials: true })).toBe(2);
    expect(await code(ada, { usersInfo: [{ user: 'ada', db: 'shop' }, boss], showCredentials: true })).toBe(13);
  });
});

describe('mapReduce', () => {
  const scripts = { map: 'function () { emit(this._id, 1); }', reduce: 'function (key, values) { return 1; }' };
  const mapReduce = (out: unknown, name = 'mapReduce'): Document => ({ [name]: 'c', ...scripts, out });
  const outs: readonly Document[] = ['replace', 'merge', 'reduce'].flatMap(kind => [
    { [kind]: 'secret' },
    { sharded: true, [kind]: 'secret' },
    { nonAtomic: true, [kind]: 'secret' },
    { db: 'other', [kind]: 'c' },
    { [kind]: 'c', db: 'other' },
    { sharded: true, [kind]: 'system.users', db: 'shop' },
    { sharded: true, [kind]: 'system.views' },
  ]);

  test.each(['secret', ...outs])('requires privileges on the output collection of out: %j', async out => {
    const { ada } = await clerk('find', 'insert', 'update', 'remove');
    for (const name of ['mapReduce', 'mapreduce'])
      expect([name, await code(ada, mapReduce(out, name))]).toEqual([name, 13]);
  });

  test.each(outs.filter(out => Object.values(out).some(value => value === 'system.views' || value === 'system.users')))(
    'rejects out: %j for users who can write only to the ordinary collections of the database',
    async out => {
      const { ada } = await people(['readWrite']);
      expect(await code(ada, mapReduce(out))).toBe(13);
    },
  );

  test.each<[kind: string, missing: string, bypass: Document]>([
    ['replace', 'remove', {}],
    ['replace', 'insert', {}],
    ['merge', 'update', {}],
    ['reduce', 'update', {}],
    ['merge', 'insert', {}],
    ['merge', 'bypassDocumentValidation', { bypassDocumentValidation: true }],
  ])('with out: { %s } requires the action %s', async (kind, missing, bypass) => {
    const actions = ['find', 'insert', 'update', 'remove', 'bypassDocumentValidation'];
    const { ada } = await clerk(...actions.filter(action => action !== missing));
    const command = { ...mapReduce({ [kind]: 'c' }), ...bypass };
    expect(await code(ada, command)).toBe(13);
    expect(await code((await clerk(...actions)).ada, command)).toBe(0);
  });

  test('with inline output requires privileges on the source collection only', async () => {
    const { ada } = await clerk('find');
    expect(await code(ada, mapReduce({ inline: 1 }))).toBe(0);
    expect(await code(ada, { ...mapReduce({ inline: 1 }), mapReduce: 'secret' })).toBe(13);
  });

  test('does not write to system collections or internal databases, even for root', async () => {
    const { boss } = await people([]);
    const users = async (): Promise<number> =>
      ((await boss.plain({ usersInfo: { forAllDBs: true } }, 'admin'))['users'] as readonly unknown[]).length;
    const before = await users();
    await boss.plain({ insert: 'c', documents: [{ _id: 1 }] }, 'admin');
    expect(await code(boss, mapReduce({ sharded: true, replace: 'system.users' }), 'admin')).toBe(17385);
    expect(await code(boss, mapReduce({ merge: 'system.users' }), 'admin')).toBe(31319);
    expect(await code(boss, mapReduce({ reduce: 'system.js' }))).toBe(31319);
    expect(await code(boss, mapReduce('system.js'))).toBe(17385);
    expect(await code(boss, mapReduce('c'), 'admin')).toBe(31321);
    expect(await code(boss, mapReduce({ merge: 'c' }), 'admin')).toBe(31320);
    expect(await users()).toBe(before);
  });
});

describe('aggregate', () => {
  const aggregate = (...pipeline: readonly Document[]): Document => ({ aggregate: 'c', pipeline, cursor: {} });

  test.each<[stage: Document, code: number]>([
    [{ $out: 'system.js' }, 17385],
    [{ $out: { db: 'shop', coll: 'system.js' } }, 17385],
    [{ $merge: 'system.js' }, 31319],
    [{ $merge: { into: { db: 'other', coll: 'system.js' } } }, 31319],
  ])('%j fails with code %i, even for root', async (stage, refusal) => {
    const { boss } = await people([]);
    expect(await code(boss, aggregate(stage))).toBe(refusal);
  });

  test.each<Document>([
    { $out: 'secret' },
    { $out: { db: 'other', coll: 'c' } },
    { $merge: 'secret' },
    { $merge: { into: 'secret' } },
    { $merge: { into: { coll: 'secret' } } },
    { $merge: { into: { db: 'other', coll: 'c' } } },
    { $unionWith: 'secret' },
    { $unionWith: { coll: 'secret' } },
    { $unionWith: { coll: 'secret', pipeline: [] } },
    { $unionWith: { coll: 'c', pipeline: [{ $unionWith: 'secret' }] } },
    { $lookup: { from: 'secret', localField: 'a', foreignField: 'a', as: 'x' } },
    { $lookup: { from: 'c', pipeline: [{ $lookup: { from: 'secret', pipeline: [], as: 'x' } }], as: 'x' } },
    { $lookup: { from: { db: 'other', coll: 'c' }, pipeline: [], as: 'x' } },
    { $graphLookup: { from: 'secret', startWith: '$a', connectFromField: 'a', connectToField: 'a', as: 'x' } },
    { $facet: { a: [{ $unionWith: 'secret' }] } },
    { $facet: { a: [{ $lookup: { from: 'c', pipeline: [{ $unionWith: 'secret' }], as: 'x' } }] } },
  ])('the stage %j requires privileges on its target', async stage => {
    const { ada } = await clerk('find', 'insert', 'update', 'remove');
    expect(await code(ada, aggregate(stage))).toBe(13);
    expect(await code(ada, { explain: aggregate(stage) })).toBe(13);
  });

  test('bypassDocumentValidation requires its privilege on the target of $out and $merge', async () => {
    const { ada, boss } = await clerk('find', 'bypassDocumentValidation');
    const resource = { db: 'shop', collection: 'target' };
    const privileges = [{ resource, actions: ['insert', 'update', 'remove'] }];
    await boss.plain({ grantPrivilegesToRole: 'clerk', privileges }, 'shop');
    for (const stage of [{ $out: 'target' }, { $merge: 'target' }]) {
      expect(await code(ada, aggregate(stage))).toBe(0);
      expect(await code(ada, { ...aggregate(stage), bypassDocumentValidation: true })).toBe(13);
    }
  });
});

describe('explain', () => {
  const modify = { query: {}, update: { $set: { a: 1 } } };

  test.each<Document>([
    { findAndModify: 'secret', ...modify },
    { findandmodify: 'secret', ...modify },
    { explain: { findandmodify: 'secret', ...modify } },
    { explain: { find: 'secret' } },
    { mapreduce: 'secret', map: '', reduce: '', out: { inline: 1 } },
    { aggregate: 'secret', pipeline: [], cursor: {} },
    { count: 'secret' },
    { distinct: 'secret', key: '_id' },
    { update: 'secret', updates: [{ q: {}, u: {} }] },
    { delete: 'secret', deletes: [{ q: {}, limit: 1 }] },
    { dbhash: 1 },
    { collstats: 'secret' },
    { deleteIndexes: 'secret', index: '*' },
  ])('requires the privileges of the explained command %j', async command => {
    const { ada } = await clerk('find', 'update', 'remove');
    expect(await code(ada, { explain: command })).toBe(13);
  });

  test('explains findandmodify like findAndModify', async () => {
    const { boss } = await people([]);
    const plan = async (name: string): Promise<unknown> =>
      (await boss.plain({ explain: { [name]: 'c', ...modify } }, 'shop'))['queryPlanner'];
    expect(await plan('findandmodify')).toEqual(await plan('findAndModify'));
    expect(await boss.refusal({ explain: { findAndMODIFY: 'c' } }, 'shop')).toBe(
      '59 Explain failed due to unknown command: findAndMODIFY',
    );
  });
});
