import { expect, test } from 'vitest';
import { Client, msgOf } from '../../../server/test/client.js';
import { logIn } from '../../../server/test/auth/scram-client.js';
import { Session } from '../../../server/test/txn/session.js';
import type { House } from './house.js';
import { balanced, house } from './house.js';

const names = (list: unknown): readonly string[] => (list as readonly { name: string }[]).map(({ name }) => name);

/** Returns a connection of a user who may read one collection, and one of an administrator. */
const people = async (): Promise<{ ada: Client; boss: Client }> => {
  const { client: boss, mongos } = house({ shards: 2, users: [{ user: 'root', pwd: 'root' }] });
  await logIn(boss, 'root', 'root');
  for (const db of ['shop', 'other']) await boss.run({ insert: 'c', documents: [{ _id: 1 }] }, db);
  await boss.run({ insert: 'secret', documents: [{ _id: 1 }] }, 'shop');
  const find = { resource: { db: 'shop', collection: 'c' }, actions: ['find', 'listCollections'] };
  await boss.run({ createRole: 'reader', privileges: [find], roles: [] }, 'shop');
  await boss.run({ createUser: 'ada', pwd: 'pencil', roles: ['reader'] }, 'shop');
  const ada = new Client(mongos[0]);
  await logIn(ada, 'ada', 'pencil', { db: 'shop' });
  return { ada, boss };
};

test('a mongos lists only the databases that the user may access', async () => {
  const { ada, boss } = await people();
  const list = { listDatabases: 1, nameOnly: true };
  expect(names((await boss.run(list, 'admin'))['databases'])).toEqual(
    expect.arrayContaining(['admin', 'config', 'other', 'shop']),
  );
  expect(names((await ada.run(list, 'admin'))['databases'])).toEqual(['shop']);
  expect(await ada.refusal({ ...list, authorizedDatabases: false }, 'admin')).toMatch(/^13 not authorized on admin/);
});

test('a mongos lists only the collections that the user may access', async () => {
  const { ada, boss } = await people();
  const list = { listCollections: 1, nameOnly: true, authorizedCollections: true };
  const shown = async (client: Client): Promise<readonly string[]> =>
    names(((await client.run(list, 'shop'))['cursor'] as { firstBatch: unknown }).firstBatch);
  expect(await shown(boss)).toEqual(['c', 'secret']);
  expect(await shown(ada)).toEqual(['c']);
});

test('a mongos closes a connection that announces a large message before authentication', async () => {
  const { client, other } = house({ users: [{ user: 'root', pwd: 'root' }] });
  await logIn(client, 'root', 'root');
  const text = 'x'.repeat(1_000_000);
  expect(await client.plain({ insert: 'c', documents: [{ _id: 1, text }] })).toMatchObject({ n: 1, ok: 1 });
  other.send(msgOf(1, { insert: 'c', documents: [{ _id: 2, text }], $db: 'db' }).subarray(0, 16));
  expect([client.closed, other.closed]).toEqual([false, true]);
});

test('a mongos rejects commands for the transactions and sessions of other users', async () => {
  const { ada, boss } = await people();
  const session = new Session(boss).start();
  for (const db of ['shop', 'other']) await session.run({ insert: 'c', documents: [{ _id: 2 }] }, db);
  const others = session.on(ada);
  expect((await others.commit()).code).toBe(251);
  expect((await others.abort()).code).toBe(251);
  for (const command of [{ killSessions: [session.lsid] }, { endSessions: [session.lsid] }, { killSessions: [] }])
    expect((await ada.plain(command, 'admin')).ok).toBe(1);
  expect((await session.commit()).ok).toBe(1);
  const again = session.start();
  await again.run({ insert: 'c', documents: [{ _id: 3 }] }, 'shop');
  expect((await boss.plain({ killSessions: [] }, 'admin')).ok).toBe(1);
  expect((await again.commit()).code).toBe(251);
});

test('a mongos shows the operations of shards only to users with the privilege inprog', async () => {
  const { ada, boss } = await people();
  const stage = (spec: object) => ({ aggregate: 1, pipeline: [{ $currentOp: spec }], cursor: {} });
  expect(await ada.refusal(stage({}), 'admin')).toMatch(/^13 not authorized on admin/);
  expect((await ada.plain(stage({ localOps: true }), 'admin')).ok).toBe(1);
  expect(await ada.refusal({ currentOp: 1, $ownOps: true }, 'admin')).toMatch(/^13 not authorized on admin/);
  expect((await boss.plain(stage({}), 'admin')).ok).toBe(1);
});

test('a mongos closes connections beyond maxIncomingConnections', () => {
  const { mongos } = house();
  const all = Array.from({ length: 30 }, () => new Client(mongos[0]));
  expect(all.filter(({ closed }) => !closed)).toHaveLength(19);
});

test.each<[state: string, set: (here: House) => unknown]>([
  ['is full', ({ mongos }) => Array.from({ length: 30 }, () => new Client(mongos[0]))],
  ['has crashed', ({ mongos }) => mongos[0].crash()],
  [
    'limits the rate of connections',
    async ({ client, mongos }) => {
      for (const [name, value] of Object.entries({ RatePerSec: 1, BurstCapacitySecs: 1, RateLimiterEnabled: true }))
        await client.run({ setParameter: 1, [`ingressConnectionEstablishment${name}`]: value }, 'admin');
      new Client(mongos[0]).hangUp();
    },
  ],
])('a mongos that %s reports the end of a connection that it refuses', async (_, set) => {
  const here = house();
  await set(here);
  let closed = 0;
  const client = new Client({ accept: socket => here.mongos[0].accept(socket, { closed: () => (closed += 1) }) });
  expect([client.closed, closed]).toEqual([true, 1]);
});

test('a load balancer skips a full mongos, and closes connections once all are full', () => {
  const here = house();
  const balancer = balanced(here);
  for (let i = 0; i < 10; i++) new Client(here.mongos[0]);
  const all = Array.from({ length: 30 }, () => new Client(balancer));
  expect(all.map(({ closed }) => closed)).toEqual([...Array(28).fill(false), true, true]);
});
