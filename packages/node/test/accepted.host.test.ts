import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket as NetSocket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { acceptedSocket } from '../src/listener.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Accepts a connection and returns both ends. */
const accept = async (): Promise<{ accepted: NetSocket; peer: NetSocket; connections: () => Promise<number> }> => {
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
  cleanups.push(() => server.close());
  await once(server, 'listening');
  const peer = connect((server.address() as AddressInfo).port, '127.0.0.1');
  cleanups.push(() => peer.destroy());
  const [accepted] = (await once(server, 'connection')) as [NetSocket];
  const connections = (): Promise<number> =>
    new Promise((resolve, reject) => {
      server.getConnections((error, count) => {
        if (error === null) resolve(count);
        else reject(error);
      });
    });
  return { accepted, peer, connections };
};

/** Records the calls of a sink while the peer sends two messages, the second after the first was received. */
const heardOf = async (accepted: NetSocket, peer: NetSocket): Promise<readonly string[]> => {
  const heard: string[] = [];
  const room = new Uint8Array(16);
  const socket = acceptedSocket(accepted);
  cleanups.push(() => {
    socket.destroy();
  });
  let wake = (): void => undefined;
  socket.listen({
    room: () => {
      heard.push('room');
      return room;
    },
    filled: length => {
      heard.push(String.fromCharCode(...room.subarray(0, length)));
      setImmediate(wake);
    },
    drained: () => undefined,
    closed: () => undefined,
  });
  for (const message of ['one', 'two']) {
    const done = new Promise<void>(resolve => (wake = resolve));
    peer.write(message);
    await done;
  }
  return heard;
};

test("after the first read, bytes for an accepted socket are written directly to the sink's memory", async () => {
  const { accepted, peer } = await accept();
  expect(await heardOf(accepted, peer)).toEqual(['room', 'one', 'room', 'two', 'room']);
});

test('an accepted socket is read even if its handle does not support user buffers', async () => {
  const { accepted, peer } = await accept();
  const { _handle: handle } = accepted as unknown as { _handle: object };
  Object.defineProperty(handle, 'useUserBuffer', { value: undefined });
  expect(await heardOf(accepted, peer)).toEqual(['room', 'one', 'room', 'two']);
});

test('the server does not wait for the original accepted socket to close', async () => {
  const { accepted, connections } = await accept();
  const socket = acceptedSocket(accepted);
  cleanups.push(() => {
    socket.destroy();
  });
  await once(accepted, 'close');
  expect(await connections()).toBe(0);
});
