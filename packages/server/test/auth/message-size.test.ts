import { deflateSync } from 'node:zlib';
import type { Compressor } from '@tessera/contracts';
import { Binary } from 'bson';
import { describe, expect, test } from 'vitest';
import type { ServerOptions } from '../../src/index.js';
import { Client, msgOf, settled, world } from '../client.js';
import { compressed, zlib } from '../wire/compressed.js';
import { clientFinal, clientFirst, logIn } from './scram-client.js';

const most = 16_384;
const ada = { user: 'ada', pwd: 'pencil' };
const guarded = (compressors: readonly Compressor[] = []) => world({ users: [ada] }, compressors);

/** Returns a `ping` of that size. */
const pingOf = (size: number): Uint8Array => {
  const ping = (comment: string): Uint8Array => msgOf(7, { ping: 1, comment, $db: 'admin' });
  return ping('x'.repeat(size - ping('').length));
};

const packed = (frame: Uint8Array): Uint8Array => compressed(frame, 2, deflateSync(frame.subarray(16)));
const unpacked = (frame: Uint8Array): Uint8Array => compressed(frame, 0, frame.subarray(16));

/** Sends a frame, and returns what the server did. */
const outcome = async (client: Client, frame: Uint8Array): Promise<'answered' | 'closed' | 'waiting'> => {
  const before = client.received.length;
  client.send(frame);
  await settled();
  if (client.closed) return 'closed';
  return client.received.splice(before).length === 1 ? 'answered' : 'waiting';
};

/** Sends the header of a message of that size, and returns whether the server waits for the rest. */
const large = async (client: Client, size = 40_000_000): Promise<unknown> => {
  const header = new Uint8Array(16);
  new DataView(header.buffer).setInt32(0, size, true);
  new DataView(header.buffer).setInt32(12, 2013, true);
  return outcome(client, header);
};

describe('before authentication, on a server that requires it', () => {
  test('the header of a message of more than 16,384 bytes closes the connection', async () => {
    expect(await large(guarded().client)).toBe('closed');
    const { client } = guarded();
    expect(await outcome(client, pingOf(most))).toBe('answered');
    expect(await outcome(client, pingOf(most + 1).subarray(0, 15))).toBe('waiting');
    expect(await outcome(client, pingOf(most + 1).subarray(15, 16))).toBe('closed');
    expect(client.received).toEqual([]);
  });

  test('a compressed message of more than 16,384 bytes closes the connection before it is decompressed', async () => {
    const sizes: number[] = [];
    const counted: Compressor = {
      ...zlib,
      decompress: (bytes, size) => {
        sizes.push(size);
        return zlib.decompress(bytes, size);
      },
    };
    for (const pack of [packed, unpacked]) {
      const { client } = guarded([counted]);
      expect(await outcome(client, pack(pingOf(most - 9)))).toBe('answered');
      expect(await outcome(client, pack(pingOf(most + 1)))).toBe('closed');
    }
    expect(sizes).toEqual([most - 9 - 16]);
    const { client } = guarded([counted]);
    expect(await outcome(client, packed(pingOf(most)))).toBe('answered');
    expect(await large(client)).toBe('closed');
  });

  test('other connections stay open when one is closed', async () => {
    const { server, client } = guarded();
    const other = new Client(server);
    await logIn(other, 'ada', 'pencil');
    expect(await large(client)).toBe('closed');
    expect(await outcome(other, pingOf(most + 1))).toBe('answered');
  });

  test('the first user can be created', async () => {
    const { client } = world({ auth: true });
    expect(await client.plain({ createUser: 'ada', pwd: 'pencil', roles: ['root'] }, 'admin')).toEqual({ ok: 1 });
    await logIn(client, 'ada', 'pencil');
    expect(await large(client)).toBe('waiting');
    const { client: other } = world({ auth: true });
    expect(await large(other)).toBe('closed');
  });

  test('a SASL conversation in progress has the limit until its last step', async () => {
    const started = async () => {
      const { client } = guarded([zlib]);
      const { bare } = clientFirst('ada');
      const payload = new Binary(Buffer.from(`n,,${bare}`));
      const speculativeAuthenticate = {
        ...{ saslStart: 1, mechanism: 'SCRAM-SHA-256', payload, db: 'admin' },
        options: { skipEmptyExchange: true },
      };
      const hello = await client.plain({ hello: 1, speculativeAuthenticate }, 'admin');
      const first = hello['speculativeAuthenticate'] as { conversationId: number; payload: Binary };
      const serverFirst = Buffer.from(first.payload.value()).toString();
      const { payload: proof } = clientFinal('ada', 'pencil', bare, serverFirst, 'SCRAM-SHA-256');
      return { client, last: { saslContinue: 1, conversationId: first.conversationId, payload: proof } };
    };
    const { client: early } = await started();
    expect(await large(early)).toBe('closed');
    const { client, last } = await started();
    expect(await client.plain(last, 'admin')).toMatchObject({ done: true, ok: 1 });
    expect(await outcome(client, packed(pingOf(1_000_000)))).toBe('answered');
    expect(await large(client)).toBe('waiting');
  });

  test('a failed authentication does not lift the limit', async () => {
    const { client } = guarded();
    await logIn(client, 'ada', 'wrong');
    expect(await large(client)).toBe('closed');
  });
});

describe('after authentication', () => {
  const entered = async (options: ServerOptions = { users: [ada] }) => {
    const { server, client } = world(options, [zlib]);
    await logIn(client, 'ada', 'pencil');
    return { server, client };
  };

  test('a message may have 48,000,000 bytes', async () => {
    const { server, client } = await entered();
    for (const frame of [pingOf(3_000_000), packed(pingOf(3_000_000))])
      expect(await outcome(client, frame)).toBe('answered');
    expect(await large(client, 48_000_000)).toBe('waiting');
    const other = new Client(server);
    await logIn(other, 'ada', 'pencil');
    expect(await large(other, 48_000_001)).toBe('closed');
  });

  test('logout restores the limit, also in the middle of a message', async () => {
    for (const frame of [pingOf(most + 1), packed(pingOf(most + 1))]) {
      const { client } = await entered();
      expect(await outcome(client, frame)).toBe('answered');
      await client.plain({ logout: 1 }, 'admin');
      expect(await outcome(client, pingOf(most))).toBe('answered');
      expect(await outcome(client, frame)).toBe('closed');
    }
    const { client } = await entered();
    const logout = msgOf(8, { logout: 1, $db: 'admin' });
    expect(await outcome(client, Uint8Array.from([...logout, ...pingOf(most + 1).subarray(0, 100)]))).toBe('answered');
    expect(await outcome(client, pingOf(most + 1).subarray(100, 200))).toBe('closed');
  });

  test('the removal of the user restores the limit', async () => {
    const { server, client } = await entered({ users: [ada, { user: 'boss', pwd: 'root' }] });
    const boss = new Client(server);
    await logIn(boss, 'boss', 'root');
    await boss.plain({ createUser: 'bob', pwd: 'pencil', roles: [] }, 'admin');
    const bob = new Client(server);
    await logIn(bob, 'bob', 'pencil');
    expect(await outcome(bob, pingOf(most + 1))).toBe('answered');
    await boss.plain({ dropUser: 'bob' }, 'admin');
    expect([await large(bob), await large(client)]).toEqual(['closed', 'waiting']);
  });
});

test('without required authentication, a message may have 48,000,000 bytes', async () => {
  for (const options of [{}, { users: [ada], auth: false }]) {
    const { client } = world(options, [zlib]);
    for (const frame of [pingOf(most + 1), packed(pingOf(3_000_000))])
      expect(await outcome(client, frame)).toBe('answered');
    expect(await large(client)).toBe('waiting');
  }
});
