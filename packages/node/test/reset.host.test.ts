import type { Socket } from '@tessera/contracts';
import { expect, test } from 'vitest';
import { createNode } from '../src/index.js';

/** How the client's end of a connection closes when the server's end is treated so. */
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

test('reset is seen by the peer as a reset of the connection, end and destroy as an end of the stream', async () => {
  expect(await causeOf(socket => socket.reset?.())).toBe('ECONNRESET');
  expect(await causeOf(socket => socket.end())).toBeUndefined();
  expect(await causeOf(socket => socket.destroy())).toBeUndefined();
});
