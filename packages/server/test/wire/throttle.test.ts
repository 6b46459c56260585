import type { Socket, SocketSink } from '@tessera/contracts';
import { expect, test } from 'vitest';
import { Doc } from '@tessera/mql/engine';
import { Connection } from '../../src/wire/connection.js';

/** A request of that size: its one field is a text. */
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

test('whoever sends on and on and never reads is read no further until it has read', () => {
  const said: string[] = [];
  let sink!: SocketSink;
  let answered = 0;
  const socket: Socket = {
    readsAhead: false,
    listen: given => (sink = given),
    // The first answer already fills what the system holds for the peer.
    write: () => ++answered > 1,
    end: () => said.push('end'),
    destroy: () => said.push('destroy'),
    pause: () => said.push('pause'),
    resume: () => said.push('resume'),
  };
  new Connection(1, socket).start({
    compressors: [],
    answer: () => ({ doc: Doc.EMPTY }),
    refuse: error => {
      throw error;
    },
    closed: () => said.push('closed'),
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
  expect({ answered, said }).toEqual({ answered: 1, said: ['pause'] });
  sink.drained();
  expect({ answered, said }).toEqual({ answered: 3, said: ['pause', 'resume'] });
});
