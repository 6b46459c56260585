import { createHash } from 'node:crypto';
import { Binary, UUID } from 'bson';
import type { Document } from 'bson';
import { expect, test } from 'vitest';
import { Session, set } from '../txn/session.js';
import { createServer } from '../../src/index.js';
import { Client, ManualClock, settled, testRuntime } from '../client.js';
import { logIn } from './scram-client.js';

const lsid = { id: new UUID('00112233-4455-6677-8899-000000000001') };
const uid = (user: string): Binary => new Binary(createHash('sha256').update(user).digest());

/** A client without roles, a client that may read and write, and a client that may do everything. */
const people = async () => {
  const { server, client: boss } = set({ users: [{ user: 'root', pwd: 'root' }] });
  await logIn(boss, 'root', 'root');
  await boss.plain({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }] }, 'shop');
  const open = async (user: string, roles: readonly string[]): Promise<Client> => {
    await boss.plain({ createUser: user, pwd: 'pencil', roles }, 'shop');
    const client = new Client(server);
    await logIn(client, user, 'pencil', { db: 'shop' });
    return client;
  };
  return { boss, ada: await open('ada', ['readWrite']), eve: await open('eve', []) };
};

const codeOf = ({ ok, code }: Document): number => (ok === 1 ? 0 : (code as number));

const code = async (client: Client, command: Document, db = 'admin'): Promise<number> =>
  codeOf(await client.plain(command, db));

const listed = async (client: Client, spec: Document = {}): Promise<readonly unknown[]> => {
  const { cursor } = await client.plain(
    { aggregate: 1, pipeline: [{ $listLocalSessions: spec }], cursor: {} },
    'admin',
  );
  return cursor.firstBatch.map(({ _id }) => (_id as { readonly uid: Binary }).uid.toString('hex'));
};

test('a transaction is committed and aborted by its own user only', async () => {
  const { boss, eve } = await people();
  const session = new Session(boss).start();
  await session.run({ insert: 'c', documents: [{ _id: 3 }] }, 'shop');
  const others = session.on(eve);
  expect(codeOf(await others.commit())).toBe(251);
  expect(codeOf(await others.abort())).toBe(251);
  expect(await code(boss, { count: 'c' }, 'shop')).toBe(0);
  expect((await boss.plain({ count: 'c' }, 'shop')).n).toBe(2);
  expect(codeOf(await session.commit())).toBe(0);
  expect((await boss.plain({ count: 'c' }, 'shop')).n).toBe(3);
});

test.each<[string, Document]>([
  ['endSessions', { endSessions: [lsid] }],
  ['killSessions', { killSessions: [lsid] }],
  ['killSessions without names', { killSessions: [] }],
])('%s ends sessions of the same user only', async (_name, command) => {
  const { boss, ada, eve } = await people();
  const session = new Session(ada).start();
  await session.run({ insert: 'c', documents: [{ _id: 3 }] }, 'shop');
  expect(await code(eve, command)).toBe(0);
  expect(await code(boss, command)).toBe(0);
  expect(codeOf(await session.run({ find: 'c' }, 'shop'))).toBe(0);
  expect(await code(ada, command)).toBe(0);
  expect(codeOf(await session.commit())).toBe(251);
});

test.each<[string, Document]>([
  ['killSessions', { killSessions: [{ ...lsid, uid: uid('ada@shop') }] }],
  ['killAllSessions', { killAllSessions: [{ user: 'ada', db: 'shop' }] }],
  ['killAllSessionsByPattern', { killAllSessionsByPattern: [{ uid: uid('ada@shop') }] }],
  ['killAllSessionsByPattern', { killAllSessionsByPattern: [{ lsid: { ...lsid, uid: uid('ada@shop') } }] }],
])('%s ends sessions of others with killAnySession: %j', async (_name, command) => {
  const { boss, ada, eve } = await people();
  const sessions = [new Session(ada).start(), new Session(boss).start()] as const;
  for (const [i, session] of sessions.entries()) await session.run({ insert: `d${i}`, documents: [{}] }, 'shop');
  expect(await code(eve, command)).toBe(13);
  expect(codeOf(await sessions[0].run({ find: 'd0' }, 'shop'))).toBe(0);
  expect(await code(boss, command)).toBe(0);
  expect([codeOf(await sessions[0].commit()), codeOf(await sessions[1].commit())]).toEqual([251, 0]);
});

test.each(['users', 'roles'])('killAllSessionsByPattern requires impersonate for a pattern with %s', async field => {
  const { boss, ada } = await people();
  const command = { killAllSessionsByPattern: [{ [field]: [{ user: 'ada', role: 'ada', db: 'shop' }] }] };
  const privileges = [{ resource: { cluster: true }, actions: ['impersonate'] }];
  await boss.plain({ createRole: 'actor', privileges, roles: [] }, 'admin');
  expect(await code(boss, command)).toBe(13);
  await boss.plain({ grantRolesToUser: 'root', roles: ['actor'] }, 'admin');
  expect(await code(boss, command)).not.toBe(13);
  expect(await code(ada, command)).toBe(13);
});

test('users and roles of a pattern do not select sessions, and a pattern has at most one user', async () => {
  const { boss, ada } = await people();
  const privileges = [{ resource: { cluster: true }, actions: ['impersonate'] }];
  await boss.plain({ createRole: 'actor', privileges, roles: [] }, 'admin');
  await boss.plain({ grantRolesToUser: 'root', roles: ['actor'] }, 'admin');
  const sessions = [new Session(ada).start(), new Session(boss).start()] as const;
  for (const [i, session] of sessions.entries()) await session.run({ insert: `d${i}`, documents: [{}] }, 'shop');
  const [one, two] = [{ user: 'ada', db: 'shop' }, { user: 'eve', db: 'shop' }]; // prettier-ignore
  const roles = [{ role: 'clerk', db: 'shop' }];
  expect(await boss.refusal({ killAllSessionsByPattern: [{ users: [one, two], roles }] })).toBe(
    '2 Too many users in impersonation data',
  );
  expect(codeOf(await sessions[1].run({ find: 'd1' }, 'shop'))).toBe(0);
  expect(await code(boss, { killAllSessionsByPattern: [{ users: [one], roles }] })).toBe(0);
  expect([codeOf(await sessions[0].commit()), codeOf(await sessions[1].commit())]).toEqual([251, 251]);
});

test('only users who may impersonate give the digest of another user', async () => {
  const { boss, ada, eve } = await people();
  const others = { find: 'c', lsid: { ...lsid, uid: uid('ada@shop') } };
  expect(await code(ada, others, 'shop')).toBe(0);
  expect(await eve.refusal({ ping: 1, lsid: others.lsid }, 'shop')).toBe(
    '13 Unauthorized to set user digest in LogicalSessionId',
  );
  expect(await code(boss, others, 'shop')).toBe(13);
  const impersonate = [{ resource: { cluster: true }, actions: ['impersonate'] }];
  await boss.plain({ createRole: 'actor', privileges: impersonate, roles: [] }, 'admin');
  await boss.plain({ grantRolesToUser: 'eve', roles: [{ role: 'actor', db: 'admin' }] }, 'shop');
  expect(await code(eve, { ping: 1, lsid: others.lsid }, 'shop')).toBe(0);
  expect(await code(ada, { ping: 1, lsid: { ...lsid, uid: 'ada@shop' } }, 'shop')).toBe(14);
});

test('$listLocalSessions shows the sessions of others with listSessions only', async () => {
  const { boss, ada, eve } = await people();
  for (const client of [boss, ada, eve]) await client.plain({ ping: 1, lsid }, 'admin');
  const [ofBoss, ofAda, ofEve] = ['root@admin', 'ada@shop', 'eve@shop'].map(user => uid(user).toString('hex'));
  expect(await listed(eve)).toEqual([ofEve]);
  expect(await listed(eve, { users: [{ user: 'eve', db: 'shop' }] })).toEqual([ofEve]);
  expect(await listed(boss)).toEqual([ofBoss]);
  expect((await listed(boss, { allUsers: true })).toSorted()).toEqual([ofBoss, ofAda, ofEve].toSorted());
  expect(await listed(boss, { users: [{ user: 'ada', db: 'shop' }] })).toEqual([ofAda]);
  for (const spec of [{ allUsers: true }, { users: [{ user: 'ada', db: 'shop' }] }])
    expect(await code(eve, { aggregate: 1, pipeline: [{ $listLocalSessions: spec }], cursor: {} })).toBe(13);
});

/** A clock that advances each time it is read, so that long commands yield to others. */
class HurriedClock extends ManualClock {
  #looks = 0;

  override now(): number {
    return super.now() + this.#looks++;
  }
}

test('$currentOp and currentOp show operations of others with inprog only', async () => {
  const clock = new HurriedClock();
  const server = createServer({ ...testRuntime(), clock }, { users: [{ user: 'root', pwd: 'root' }] });
  const [boss, ada, busy, eve] = [new Client(server), new Client(server), new Client(server), new Client(server)];
  await logIn(boss, 'root', 'root');
  await boss.plain({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }] }, 'shop');
  await boss.plain({ createUser: 'ada', pwd: 'pencil', roles: ['read'] }, 'shop');
  await boss.plain({ createUser: 'eve', pwd: 'pencil', roles: [] }, 'shop');
  for (const client of [ada, busy]) await logIn(client, 'ada', 'pencil', { db: 'shop' });
  await logIn(eve, 'eve', 'pencil', { db: 'shop' });
  const seven = Array.from({ length: 7 }, (_, i) => i);
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const pipeline = [
    { $set: Object.fromEntries(names.map(name => [name, seven])) },
    ...names.map(name => ({ $unwind: `$${name}` })),
    { $count: 'n' },
  ];
  void busy.plain({ aggregate: 'c', pipeline, cursor: {} }, 'shop').catch(() => undefined);
  await settled();
  const shown = async (client: Client, spec: Document): Promise<readonly unknown[]> => {
    const { cursor } = await client.plain({ aggregate: 1, pipeline: [{ $currentOp: spec }], cursor: {} }, 'admin');
    return cursor.firstBatch.map(({ ns }) => ns);
  };
  const itself = 'admin.$cmd.aggregate';
  expect(await shown(eve, {})).toEqual([itself]);
  expect(await shown(boss, {})).toEqual([itself]);
  expect(await shown(ada, {})).toEqual([itself, 'shop.c']);
  expect(await shown(boss, { allUsers: true })).toEqual([itself, 'shop.c']);
  expect(await code(eve, { aggregate: 1, pipeline: [{ $currentOp: { allUsers: true } }], cursor: {} })).toBe(13);
  expect(await code(eve, { aggregate: 1, pipeline: [{ $currentOp: { allUsers: 1 } }], cursor: {} })).toBe(9);
  expect(await code(eve, { currentOp: 1 })).toBe(13);
  expect((await eve.plain({ currentOp: 1, $ownOps: true }, 'admin'))['inprog']).toHaveLength(1);
  expect((await ada.plain({ currentOp: 1, $ownOps: true }, 'admin'))['inprog']).toHaveLength(2);
  expect((await boss.plain({ currentOp: 1 }, 'admin'))['inprog']).toHaveLength(2);
  busy.hangUp();
});
