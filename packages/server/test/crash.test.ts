import type { Document } from 'bson';
import { Long, UUID } from 'bson';
import { describe, expect, test } from 'vitest';
import { createWorld } from '@tessera/sim';
import type { ServerOptions } from '../src/index.js';
import { createServer } from '../src/index.js';
import type { World } from './client.js';
import { Client, testRuntime, world } from './client.js';

const set = (options: ServerOptions = {}): World => world({ replicaSet: 'rs0', testCommands: true, ...options });

const lsid = { id: new UUID('00112233-4455-6677-8899-aabbccddeeff') };

const idsIn = async (client: Client): Promise<readonly unknown[]> =>
  (await client.plain({ find: 'c', sort: { _id: 1 } })).cursor.firstBatch.map(({ _id }) => _id);

const insert = (client: Client, _id: number, writeConcern: Document): Promise<unknown> =>
  client.plain({ insert: 'c', documents: [{ _id }], writeConcern });

/** Crashes and restarts the server, and returns a client of the new process. */
const restarted = async ({ server }: World): Promise<Client> => {
  server.crash();
  await server.restart();
  return new Client(server);
};

describe('a server that crashes', () => {
  test('closes its connections, and accepts none while it is down', () => {
    const { server, client } = set();
    server.crash();
    expect(client.closed).toBe(true);
    expect(new Client(server).closed).toBe(true);
  });

  test.each([
    ['with the default write concern majority', {}],
    ['with j: true', { writeConcern: { w: 1, j: true } }],
    ['with w: "majority"', { writeConcern: { w: 'majority' } }],
  ])('keeps a write acknowledged %s', async (_how, concern) => {
    const set1 = set();
    await set1.client.plain({ insert: 'c', documents: [{ _id: 1 }], ...concern });
    expect(await idsIn(await restarted(set1))).toEqual([1]);
  });

  test.each([
    [{ w: 1 }, '8.2.1'],
    [{ w: 1, j: false }, '8.2.1'],
    [{ w: 'majority', j: false }, '8.2.1'],
    [{}, '4.4.0'],
  ])('loses writes acknowledged with %j since the last journal write (version %s)', async (concern, version) => {
    const set1 = set({ version, journalInterval: 100 });
    const { client, clock } = set1;
    await insert(client, 1, concern);
    await clock.advance(100);
    await insert(client, 2, concern);
    await insert(client, 3, concern);
    expect(await idsIn(await restarted(set1))).toEqual([1]);
  });

  test('keeps writes with w: 1 once the journal interval has passed', async () => {
    const set1 = set({ journalInterval: 100 });
    await insert(set1.client, 1, { w: 1 });
    await set1.clock.advance(100);
    expect(await idsIn(await restarted(set1))).toEqual([1]);
  });

  test('keeps a write that a majority read returned', async () => {
    const set1 = set();
    await insert(set1.client, 1, { w: 1 });
    await set1.client.plain({ find: 'c', readConcern: { level: 'majority' } });
    expect(await idsIn(await restarted(set1))).toEqual([1]);
  });

  test('recognizes retries of the writes that it kept, and executes retries of the writes that it lost', async () => {
    const set1 = set();
    const write = (number: number, w: unknown): Document => ({
      update: 'c',
      updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } }, upsert: true }],
      lsid,
      txnNumber: Long.fromInt(number),
      writeConcern: { w },
    });
    await set1.client.plain(write(1, 'majority'));
    await set1.client.plain(write(2, 1));
    const next = await restarted(set1);
    expect(await next.plain(write(1, 1))).toMatchObject({ n: 1, retriedStmtIds: [0] });
    expect(await next.plain(write(2, 1))).not.toHaveProperty('retriedStmtIds');
    expect(await next.plain({ find: 'c' })).toMatchObject({ cursor: { firstBatch: [{ _id: 1, n: 2 }] } });
  });

  test('restarts as a new process: primary of a later term, without cursors, sessions or fail points', async () => {
    const set1 = set();
    const { client, server, clock } = set1;
    const before = await client.plain({ hello: 1 });
    await client.plain({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }], lsid });
    const { cursor } = await client.run({ find: 'c', batchSize: 1 });
    const point = {
      configureFailPoint: 'failCommand',
      mode: 'alwaysOn',
      data: { failCommands: ['find'], errorCode: 8 },
    };
    await client.plain(point, 'admin');
    const next = await restarted(set1);
    const after = await next.plain({ hello: 1 });
    expect(after).toMatchObject({
      isWritablePrimary: true,
      connectionId: 1,
      topologyVersion: { counter: 1 },
    });
    expect(String(after['electionId'])).toBe('7fffffff0000000000000002');
    const processOf = (hello: Document): string => String(hello['topologyVersion'].processId);
    expect(processOf(after)).not.toBe(processOf(before));
    expect(await next.refusal({ getMore: cursor.id, collection: 'c' })).toMatch(/^43 /);
    const local = { aggregate: 1, pipeline: [{ $listLocalSessions: {} }], cursor: {} };
    expect((await next.plain(local)).cursor.firstBatch).toEqual([]);
    expect(await idsIn(next)).toEqual([1, 2]);
    await server.close();
    expect(clock.pending).toBe(0);
  });

  test('does not execute queued commands', async () => {
    const set1 = set({ capacity: { serviceTime: 10, queue: 5 } });
    void insert(set1.client, 1, { w: 1 }).catch(() => undefined);
    const next = await restarted(set1);
    await set1.clock.advance(50);
    const found = idsIn(next);
    await set1.clock.advance(50);
    expect(await found).toEqual([]);
  });

  test('cannot be restarted while it runs', async () => {
    const { server } = set();
    await expect(server.restart()).rejects.toThrow(RangeError);
    server.crash();
    await server.restart();
    await expect(server.restart()).rejects.toThrow(RangeError);
  });

  test('in a simulated world refuses connections until it is restarted at the same address', async () => {
    const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
    const simulated = createWorld({ turn, crypto: testRuntime().crypto });
    await simulated.run(async () => {
      const runtime = simulated.at('db1');
      const server = createServer(runtime, { replicaSet: 'rs0' });
      const { address } = await server.listen('db1:27017');
      const connect = (): Promise<string> =>
        simulated.runtime.transport.connect(address, { deadline: Infinity }).then(
          socket => {
            socket.listen({
              room: () => new Uint8Array(1),
              filled: () => undefined,
              drained: () => undefined,
              closed: () => undefined,
            });
            socket.destroy();
            return 'connected';
          },
          ({ kind }: { readonly kind: string }) => kind,
        );
      expect(await connect()).toBe('connected');
      server.crash();
      expect(await connect()).toBe('network');
      await server.restart();
      expect(await connect()).toBe('connected');
      await server.close();
    });
  });
});
