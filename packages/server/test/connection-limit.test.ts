import type { ListenLimit, Listener } from '@tessera/contracts';
import { createNode } from '@tessera/node';
import { describe, expect, test } from 'vitest';
import type { ServerOptions } from '../src/index.js';
import { createServer } from '../src/index.js';
import { Client, settled, testRuntime, world } from './client.js';

const connections = async (client: Client): Promise<unknown> => {
  const { connections: counts } = await client.plain({ serverStatus: 1 }, 'admin');
  return counts;
};

describe('maxIncomingConnections', () => {
  test('closes connections beyond the limit, and accepts one again after another has closed', async () => {
    const { server, client } = world({ maxIncomingConnections: 3 });
    const [second, third, fourth, fifth] = Array.from({ length: 4 }, () => new Client(server));
    expect([second!, third!, fourth!, fifth!].map(({ closed }) => closed)).toEqual([false, false, true, true]);
    expect(await connections(client)).toMatchObject({ current: 3, available: 0, totalCreated: 3, rejected: 2 });
    third!.hangUp();
    await settled();
    const next = new Client(server);
    expect(next.closed).toBe(false);
    expect(await next.plain({ ping: 1 }, 'admin')).toMatchObject({ ok: 1 });
    expect(await connections(client)).toMatchObject({ current: 3, available: 0, totalCreated: 4, rejected: 2 });
  });

  test('bounds connections before login, also those with unfinished messages', async () => {
    const { server, client } = world({ maxIncomingConnections: 100, users: [{ user: 'ada', pwd: 'pencil' }] });
    const header = new Uint8Array(10_000);
    new DataView(header.buffer).setInt32(0, 16_384, true);
    new DataView(header.buffer).setInt32(12, 2013, true);
    const many = Array.from({ length: 1_000 }, () => {
      const one = new Client(server);
      if (!one.closed) one.send(header);
      return one;
    });
    expect(many.filter(({ closed }) => !closed)).toHaveLength(99);
    expect(await client.plain({ ping: 1 }, 'admin')).toMatchObject({ ok: 1 });
  });

  test('is the limit of the listener too, and connections that the listener refuses are counted', async () => {
    const limits: (ListenLimit | undefined)[] = [];
    const listener: Listener = {
      listen: (address, _accept, limit) => {
        limits.push(limit);
        return Promise.resolve({ address, close: () => Promise.resolve() });
      },
    };
    const server = createServer({ ...testRuntime(), listener }, { maxIncomingConnections: 3 });
    await server.listen('127.0.0.1:1');
    limits[0]?.refused?.();
    server.crash();
    await server.restart();
    expect(limits.map(limit => limit?.most)).toEqual([3, 3]);
    limits[1]?.refused?.();
    expect(await connections(new Client(server))).toMatchObject({ current: 1, available: 2, rejected: 1 });
  });

  test('is 10,000 without the option', async () => {
    const { client } = world();
    expect(await connections(client)).toMatchObject({ current: 1, available: 9_999, rejected: 0 });
  });

  test('the reply to serverStatus has "rejected" from 6.3 on', async () => {
    expect(await connections(world({ version: '6.0.0' }).client)).not.toHaveProperty('rejected');
  });

  test('is 10,000 if the option is undefined', async () => {
    const { client } = world({ maxIncomingConnections: undefined } as unknown as ServerOptions);
    expect(await connections(client)).toMatchObject({ current: 1, available: 9_999, rejected: 0 });
  });

  test.each([0, -1, 1.5, Number.NaN])('rejects %d', most => {
    expect(() => createServer(createNode(), { maxIncomingConnections: most })).toThrow(
      new RangeError(`"maxIncomingConnections" must be a whole number of at least 1, but is ${most}.`),
    );
  });
});
