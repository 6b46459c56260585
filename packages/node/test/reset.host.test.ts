import type { Socket } from '@tessera/contracts';
import { expect, test } from 'vitest';
import { createNode } from '../src/index.js';

/** Returns how the client's end of a connection closes after this action on the server's end. */
const causeOf = async (end: (socket: Socket) => void): Promise<unknown> => {
  const { listener, transport } = createNode();
  const room = new Uint8Array(16);
  const listening = await listener.listen('127.0.0.1:0', accepted => {
    accepted.listen({ room: () => room, filled: () => end(accepted), drained: () => {}, closed: () => {} });
  });
  const socket = await transport.connect(listening.address, { deadline: Infinity });
  const cause = await new Promise(resolve => {
    socket.listen({ room: () => room, filled: () => {}, drained: () => {}, closed: resolve });
    socket.write(Uint8Array.of(1));
  });
  await listening.close();
  return (cause as { code?: unknown } | undefined)?.code;
};

test('the peer sees a reset after reset, and an end of the stream after end and destroy', async () => {
  expect(await causeOf(socket => socket.reset?.())).toBe('ECONNRESET');
  expect(await causeOf(socket => socket.end())).toBeUndefined();
  expect(await causeOf(socket => socket.destroy())).toBeUndefined();
});

test('a paused socket receives nothing until it resumes, and then everything', async () => {
  const { listener, transport } = createNode();
  const room = new Uint8Array(16);
  let hear: (socket: Socket) => void = () => undefined;
  const heard = (): Promise<Socket> =>
    new Promise(resolve => {
      hear = resolve;
    });
  const heardOf: number[] = [];
  const listening = await listener.listen('127.0.0.1:0', socket => {
    const filled = (): void => {
      heardOf.push(room[0]!);
      hear(socket);
    };
    socket.listen({ room: () => room, filled, drained: () => {}, closed: () => {} });
  });
  const connect = async (): Promise<Socket> => {
    const socket = await transport.connect(listening.address, { deadline: Infinity });
    socket.listen({ room: () => new Uint8Array(16), filled: () => {}, drained: () => {}, closed: () => {} });
    return socket;
  };
  const socket = await connect();
  const first = heard();
  socket.write(Uint8Array.of(1));
  const accepted = await first;
  accepted.pause?.();
  socket.write(Uint8Array.of(2));
  const other = await connect();
  const second = heard();
  other.write(Uint8Array.of(3));
  await second;
  const third = heard();
  accepted.resume?.();
  await third;
  expect(heardOf).toEqual([1, 3, 2]);
  socket.destroy();
  other.destroy();
  await listening.close();
});
