import { bson } from '@tessera/bson';
import { createConnect } from '@tessera/connection';
import type { Document, Socket } from '@tessera/contracts';
import { createWire } from '@tessera/wire';
import { Long, ObjectId } from 'bson';
import { expect, test } from 'vitest';
import { createTopology } from '../src/index.js';
import { frameOf } from './replica-set.js';
import { listen, poolsOf, world } from './scripted.js';

const wire = createWire({ bson, compressors: [] });
const processId = new ObjectId('0123456789abcdef01234567');

/** Answers hello, and answers an awaitable hello with this many replies at once, each with a newer topologyVersion. */
const flood = (socket: Socket, replies: number): void => {
  let counter = 0;
  const hello = (): Document => ({
    ...{ ok: 1, helloOk: true, isWritablePrimary: true, minWireVersion: 0, maxWireVersion: 25 },
    topologyVersion: { processId, counter: Long.fromNumber(counter++) },
  });
  const room = Buffer.alloc(65_536);
  let pending = Buffer.alloc(0);
  socket.listen({
    room: () => room,
    filled: length => {
      pending = Buffer.concat([pending, room.subarray(0, length)]);
      if (pending.length < 4 || pending.length < pending.readInt32LE(0)) return;
      const frame = pending;
      pending = Buffer.alloc(0);
      const command = wire.document(frame);
      const requestId = frame.readInt32LE(4);
      const many = command['topologyVersion'] === undefined ? 1 : replies;
      socket.write(Buffer.concat(Array.from({ length: many }, () => frameOf(hello(), requestId, many > 1))));
    },
    drained: () => undefined,
    closed: () => undefined,
  });
};

test('disconnects a server that floods its monitor with replies after ten of them, and checks it again after a pause', async () => {
  const inner = world();
  const { runtime, network } = inner;
  await inner.run(async () => {
    const events = listen();
    const listening = await inner.at('a').listener.listen('a:27017', socket => {
      flood(socket, 200);
    });
    const connect = createConnect({ ...runtime, bson, wire, events });
    const topology = createTopology({ ...runtime, events, connect, openPool: poolsOf().open }, { seeds: ['a:27017'] });
    const succeeded = (): number => events.emitted.filter(({ name }) => name === 'serverHeartbeatSucceeded').length;
    topology.open();
    await runtime.clock.sleep(9000);
    expect([succeeded(), network.connections]).toEqual([11, 0]);
    expect(topology.description.servers.get('a:27017')?.type).toBe('Standalone');
    await runtime.clock.sleep(9000);
    expect([succeeded(), network.connections]).toEqual([22, 0]);
    await topology.close();
    await listening.close();
    await runtime.clock.sleep(10);
  });
  expect(inner.leftovers()).toEqual([]);
});
