import type { Socket, SocketSink } from '@tessera/contracts';
import { expect, test } from 'vitest';
import { Doc } from '@tessera/mql/engine';
import { Connection } from '../../src/wire/connection.js';

/** Returns a `ping` request of that size, padded with a string. */
const requestOf = (size: number): Uint8Array => {
  const fields = Buffer.from('\x02ping\0\0\0\0\0', 'latin1');
  const end = Buffer.from('\0\x02$db\0\x02\0\0\0a\0\0', 'latin1');
  const text = Buffer.alloc(size - 25 - fields.length - end.length, 'x');
  fields.writeInt32LE(text.length + 1, 6);
  const frame = Buffer.concat([Buffer.alloc(25), fields, text, end]);
  frame.writeInt32LE(frame.length, 0);
  frame.writeInt32LE(2013, 12);
  frame.writeInt32LE(frame.length - 21, 21);
  return frame;
};

test('a connection stops reading from a client that does not read its replies, until it does', () => {
  const calls: string[] = [];
  let sink!: SocketSink;
  let answered = 0;
  const socket: Socket = {
    readsAhead: false,
    listen: given => (sink = given),
    // The first reply fills the send buffer.
    write: () => ++answered > 1,
    end: () => calls.push('end'),
    destroy: () => calls.push('destroy'),
    pause: () => calls.push('pause'),
    resume: () => calls.push('resume'),
  };
  new Connection(1, socket).start({
    compressors: [],
    traffic: { bytesIn: 0, bytesOut: 0, requests: 0 },
    answer: () => ({ doc: Doc.EMPTY }),
    refuse: error => {
      throw error;
    },
    closed: () => calls.push('closed'),
  });
  const receive = (bytes: Uint8Array): void => {
    for (let at = 0; at < bytes.length;) {
      const room = sink.room();
      const length = Math.min(room.length, bytes.length - at);
      room.set(bytes.subarray(at, at + length));
      sink.filled(length);
      at += length;
    }
  };
  for (let i = 0; i < 3; i++) receive(requestOf(600_000));
  expect({ answered, calls }).toEqual({ answered: 1, calls: ['pause'] });
  sink.drained();
  expect({ answered, calls }).toEqual({ answered: 3, calls: ['pause', 'resume'] });
});
