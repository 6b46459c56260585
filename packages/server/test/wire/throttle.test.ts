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

interface Stalled {
  readonly calls: readonly string[];
  /** Returns the number of requests that were answered. */
  answered(): number;
  receive(bytes: Uint8Array): void;
  drain(): void;
}

/** A connection to a client that does not read: the first reply fills the send buffer. */
const stalled = (longest: number): Stalled => {
  const calls: string[] = [];
  let sink!: SocketSink;
  let answered = 0;
  const socket: Socket = {
    readsAhead: false,
    listen: given => (sink = given),
    write: () => ++answered > 1,
    end: () => calls.push('end'),
    destroy: () => calls.push('destroy'),
    pause: () => calls.push('pause'),
    resume: () => calls.push('resume'),
  };
  new Connection(1, socket).start({
    compressors: [],
    traffic: { bytesIn: 0, bytesOut: 0, requests: 0 },
    longest: () => longest,
    answer: () => ({ doc: Doc.EMPTY }),
    refuse: error => {
      throw error;
    },
    closed: () => calls.push('closed'),
  });
  return {
    calls,
    answered: () => answered,
    receive: bytes => {
      for (let at = 0; at < bytes.length;) {
        const room = sink.room();
        const length = Math.min(room.length, bytes.length - at);
        room.set(bytes.subarray(at, at + length));
        sink.filled(length);
        at += length;
      }
    },
    drain: () => sink.drained(),
  };
};

test.each([
  [600_000, 48_000_000],
  [10_000, 16_384],
])(
  'a connection stops reading from a client that does not read its replies, until it does: requests of %i bytes',
  (size, longest) => {
    const { calls, answered, receive, drain } = stalled(longest);
    receive(requestOf(size));
    receive(requestOf(size));
    expect([answered(), calls]).toEqual([1, []]);
    receive(requestOf(size));
    expect([answered(), calls]).toEqual([1, ['pause']]);
    drain();
    expect([answered(), calls]).toEqual([3, ['pause', 'resume']]);
  },
);

test.each([
  [6_000_000, 48_000_000],
  [2048, 16_384],
])(
  'a connection whose socket ignores pauses is closed when more than four of the longest messages are waiting: requests of %i bytes',
  (size, longest) => {
    const { calls, answered, receive } = stalled(longest);
    const waiting = Math.floor((4 * longest) / size);
    for (let i = 0; i <= waiting; i++) receive(requestOf(size));
    expect([answered(), calls]).toEqual([1, ['pause']]);
    receive(requestOf(size));
    expect([answered(), calls]).toEqual([1, ['pause', 'destroy', 'closed']]);
  },
);
