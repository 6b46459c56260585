import type { Binary } from 'bson';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BsonCodec, Compressor, Document } from '@tessera/contracts';
import { int32, kind0, kind1, listening, opCompressed, opMsg, wireOf } from './dialogue.js';
import type { Received } from './dialogue.js';
import { npmCodec } from './npm-codec.js';

/** A compressor that inverts all bits and completes later, in the order that the test chooses. */
const turned = (bytes: Uint8Array): Uint8Array => bytes.map(byte => ~byte);
const tick = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

const slow = () => {
  const waiting: (() => void)[] = [];
  const later: Compressor = {
    id: 9,
    name: 'later',
    compress: turned,
    decompress: bytes => new Promise(resolve => waiting.push(() => resolve(turned(bytes)))),
  };
  return { later, waiting };
};

const atOnce: Compressor = { id: 8, name: 'at-once', compress: turned, decompress: turned };
const inThePool: Compressor = {
  id: 9,
  name: 'in-the-pool',
  compress: turned,
  decompress: async bytes => {
    await tick();
    return turned(bytes);
  },
};

const content = (document: Document): Buffer => Buffer.concat([Buffer.alloc(4), kind0(document)]);

describe('a stream of frames', () => {
  const aMessage = fc.record({
    how: fc.constantFrom('plain', 'sequence', 'noop', 'at-once', 'pool'),
    size: fc.oneof(fc.nat(50), fc.nat(3000)),
    more: fc.boolean(),
  });

  test('gives the same messages in the same order however it is split', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(aMessage, { minLength: 1, maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 2000 }), { minLength: 1, maxLength: 20 }),
        fc.boolean(),
        async (messages, cuts, readsAhead) => {
          const expected: Received[] = [];
          const frames = messages.map(({ how, size, more }, n) => {
            const document = { n, text: 'x'.repeat(size), ok: 1 };
            const header = { id: n + 100, responseTo: n };
            const withSequence = how === 'sequence';
            const packed = how !== 'plain' && !withSequence;
            expected.push({
              responseTo: n,
              id: n + 100,
              more: !packed && more,
              document: withSequence ? { ...document, list: [{ n }] } : document,
            });
            if (how === 'noop') return opCompressed(content(document), header);
            if (packed) {
              return opCompressed(turned(content(document)), { ...header, compressor: how === 'pool' ? 9 : 8 });
            }
            const tail = withSequence ? kind1('list', { n }) : Buffer.alloc(0);
            return opMsg(more ? 2 : 0, Buffer.concat([kind0(document), tail]), header);
          });
          const { received, failures, send } = listening(wireOf([atOnce, inThePool]), readsAhead);
          const stream = Buffer.concat(frames);
          for (let at = 0, i = 0; at < stream.length; i++) {
            const cut = cuts[i % cuts.length]!;
            send(stream.subarray(at, at + cut));
            at += cut;
          }
          for (let i = 0; i <= messages.length; i++) await tick();
          expect(failures).toEqual([]);
          expect(received).toEqual(expected);
        },
      ),
      { numRuns: 150 },
    );
  });

  test('fails once on a malformed header, however it is split, and keeps room for later bytes', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('HTTP/1.1 400 Bad Request\r\n\r\n', '\\u0015\\u0003\\u0003 not a message', '\0'.repeat(40)),
        fc.integer({ min: 1, max: 60 }),
        fc.boolean(),
        fc.boolean(),
        (text, most, readsAhead, isSecond) => {
          const { reader, received } = listening(wireOf(), readsAhead);
          const before = isSecond ? opMsg(0, kind0({ ok: 1 })) : new Uint8Array(0);
          const bytes = Buffer.concat([before, Buffer.from(text, 'latin1')]);
          const errors: unknown[] = [];
          for (let at = 0; at < bytes.length;) {
            const room = reader.room();
            expect(room.length).toBeGreaterThan(0);
            const length = Math.min(room.length, bytes.length - at, most);
            room.set(bytes.subarray(at, at + length));
            at += length;
            try {
              reader.filled(length);
            } catch (error) {
              errors.push(error);
            }
          }
          expect(errors).toMatchObject([{ kind: 'protocol' }]);
          expect(received).toHaveLength(isSecond ? 1 : 0);
        },
      ),
    );
  });

  test('is read byte by byte', () => {
    const { received, send } = listening(wireOf());
    send(Buffer.concat([opMsg(0, kind0({ n: 1 })), opMsg(0, kind0({ n: 2 }))]), 1);
    expect(received.map(({ document }) => document)).toEqual([{ n: 1 }, { n: 2 }]);
  });

  test('two sockets share memory if they do not read ahead, and never if they do', () => {
    const wire = wireOf();
    const rooms = (readsAhead: boolean): Uint8Array[] => [0, 1].map(() => listening(wire, readsAhead).reader.room());
    const [a, b] = rooms(false);
    expect(a).toBe(b);
    expect(a).toHaveLength(128 * 1024);
    const [c, d] = rooms(true);
    expect(c?.buffer).not.toBe(d?.buffer);
  });

  test("sockets alternate in the shared memory without damaging each other's partial messages", () => {
    const wire = wireOf();
    const bytes = (n: number): Uint8Array => opMsg(0, kind0({ n, text: String(n).repeat(500) }));
    const listeners = [1, 2, 3].map(n => ({ n, bytes: bytes(n), ...listening(wire) }));
    for (let at = 0; at < 2000; at += 10) {
      for (const listener of listeners) listener.send(listener.bytes.subarray(at, at + 10));
    }
    expect(listeners.map(({ received }) => received.map(({ document }) => document['n'] as number))).toEqual([
      [1],
      [2],
      [3],
    ]);
  });
});

describe('memory', () => {
  /** A codec that records how each reply was passed to it. */
  const spying = (): { codec: BsonCodec; reads: { lasting: boolean; whole: number }[] } => {
    const reads: { lasting: boolean; whole: number }[] = [];
    return {
      reads,
      codec: {
        ...npmCodec,
        read: (bytes, start, end, lasting = false) => {
          reads.push({ lasting, whole: bytes.buffer.byteLength });
          return npmCodec.read(bytes, start, end);
        },
      },
    };
  };

  test('a reply that arrives at once is read in the receive buffer, and a reply in parts gets its own lasting memory', () => {
    const { codec, reads } = spying();
    const { send } = listening(wireOf([], codec));
    const bytes = opMsg(0, kind0({ text: 'x'.repeat(300_000) }));
    send(opMsg(0, kind0({ n: 1 })));
    send(bytes);
    expect(reads).toEqual([
      { lasting: false, whole: 128 * 1024 },
      { lasting: true, whole: bytes.length },
    ]);
  });

  test('a reply of several sections has its own lasting memory, and a message with one body shares that of the message', () => {
    const { codec, reads } = spying();
    const { send } = listening(wireOf([], codec));
    send(opMsg(0, Buffer.concat([kind0({ n: 1 }), kind1('list', { n: 2 })])));
    expect(reads).toEqual([{ lasting: true, whole: expect.any(Number) as number }]);
    expect(reads[0]!.whole).toBeLessThan(1000);
  });

  test('a decompressed reply has its own lasting memory, whether it is decompressed at once, later, or in the queue', async () => {
    const { codec, reads } = spying();
    const { send } = listening(wireOf([atOnce, inThePool], codec));
    const packed = (compressor: number): Uint8Array => opCompressed(turned(content({ n: 1 })), { compressor });
    send(packed(8));
    send(Buffer.concat([packed(9), packed(8), opMsg(0, kind0({ n: 2 }))]));
    await tick();
    await tick();
    expect(reads.map(({ lasting }) => lasting)).toEqual([true, true, true, true]);
  });

  test('a complete or partial header determines the memory of the message', () => {
    const bytes = opMsg(0, kind0({ text: 'x'.repeat(100) }));
    for (const most of [15, 16, 17]) {
      const { reader, send, received } = listening(wireOf());
      send(bytes.subarray(0, most));
      expect(reader.room()).toHaveLength(most === 15 ? 1 : bytes.length - most);
      send(bytes.subarray(most, 16));
      expect(reader.room().buffer.byteLength).toBe(bytes.length);
      send(bytes.subarray(Math.max(most, 16)));
      expect(received).toHaveLength(1);
    }
  });

  test('a whole message frees the shared room', () => {
    const { reader, send } = listening(wireOf());
    const room = reader.room();
    send(opMsg(0, kind0({ n: 1 })));
    expect(reader.room()).toBe(room);
  });

  test('the rest of a large message is received directly into its memory', () => {
    const { reader, send } = listening(wireOf());
    const bytes = opMsg(0, kind0({ text: 'x'.repeat(200_000) }));
    send(bytes.subarray(0, 1000));
    const room = reader.room();
    expect(room).toHaveLength(bytes.length - 1000);
    expect(room.byteOffset).toBe(1000);
  });

  test('a claim of 48 MB takes memory only as its bytes arrive, and each byte is copied at most twice', () => {
    const { received, reader, send } = listening(wireOf());
    const size = 40_000_000; // { b: Binary } by hand: npm bson encodes at most 17 MB
    const parts = [
      Buffer.from([0]),
      int32(size + 13),
      Buffer.from('\x05b\0'),
      int32(size),
      Buffer.alloc(size + 1, 120),
    ];
    const bytes = opMsg(0, Buffer.concat([...parts, Buffer.from([0])]));
    const sizes = new Set<number>();
    for (let at = 0; at < bytes.length; at += 500_000) {
      send(bytes.subarray(at, at + 500_000));
      if (at + 500_000 < bytes.length) {
        const taken = reader.room().buffer.byteLength;
        sizes.add(taken);
        expect(taken).toBeLessThanOrEqual(Math.max(17 << 20, 4 * (at + 500_000)));
      }
    }
    expect([...sizes]).toEqual([17 << 20, bytes.length]);
    expect((received[0]!.document['b'] as Binary).length()).toBe(size);
  });
});

describe('OP_COMPRESSED with slow decompression', () => {
  test('queues messages that arrive meanwhile and keeps their order', async () => {
    const { later, waiting } = slow();
    const { received, send } = listening(wireOf([later]));
    const packed = (n: number): Uint8Array => opCompressed(turned(content({ n })), { compressor: 9 });
    send(Buffer.concat([packed(1), opMsg(0, kind0({ n: 2 })), packed(3)]));
    send(opMsg(0, kind0({ n: 4, text: 'overwrites the room'.repeat(20) })));
    expect([received.length, waiting.length]).toEqual([0, 1]);
    waiting.shift()?.();
    await tick();
    expect(received.map(({ document }) => document['n'] as number)).toEqual([1, 2]);
    waiting.shift()?.();
    await tick();
    expect(received.map(({ document }) => document['n'] as number)).toEqual([1, 2, 3, 4]);
    send(opMsg(0, kind0({ n: 5 })));
    expect(received).toHaveLength(5);
  });

  test('reports a failure once, and reads nothing more', async () => {
    const broken: Compressor = { ...inThePool, decompress: () => Promise.reject(new Error('corrupt')) };
    const { received, failures, send } = listening(wireOf([broken]));
    send(Buffer.concat([opCompressed(new Uint8Array(9), { compressor: 9 }), opMsg(0, kind0({ n: 2 }))]));
    await tick();
    send(opMsg(0, kind0({ n: 3 })));
    expect(received).toEqual([]);
    expect(failures).toEqual([
      expect.objectContaining({
        kind: 'protocol',
        message: 'OP_COMPRESSED: in-the-pool failed.',
        cause: new Error('corrupt'),
      }),
    ]);
  });

  test('keeps a busy connection open after a total of more bytes than may wait at once', async () => {
    const { later, waiting } = slow();
    const { received, failures, send } = listening(wireOf([later]));
    const large = opMsg(0, kind0({ text: 'x'.repeat(16_000_000) }));
    const packed = opCompressed(turned(content({ packed: true })), { compressor: 9 });
    send(packed);
    for (let round = 0; round < 4; round++) {
      send(large);
      send(packed);
      waiting.shift()?.();
      await tick();
    }
    expect([received.length, failures]).toEqual([8, []]);
  });

  test('queues 48,016,384 bytes and rejects one more', () => {
    const most = 48_000_000 + 16 * 1024;
    for (const more of [0, 1]) {
      const { later } = slow();
      const { send } = listening(wireOf([later]));
      send(opCompressed(turned(content({})), { compressor: 9 }));
      const large = opMsg(0, kind0({ text: 'x'.repeat(16_000_000) }));
      send(large);
      send(large);
      const rest = most - 2 * large.length;
      const base = opMsg(0, kind0({ text: '' })).length;
      const last = opMsg(0, kind0({ text: 'x'.repeat(rest - base + more) }));
      expect(last).toHaveLength(rest + more);
      if (more === 0) expect(() => send(last)).not.toThrow();
      else expect(() => send(last)).toThrow('Too many bytes arrived while an earlier message was being decompressed.');
    }
  });

  test('stops reading what is still being decompressed after a failure', async () => {
    const { later, waiting } = slow();
    const { received, failures, reader, send } = listening(wireOf([later]));
    send(opCompressed(turned(content({ n: 1 })), { compressor: 9 }));
    expect(() => send(Buffer.from('HTTP/1.1 400 Bad Request'))).toThrow('Invalid message length of 1347703880 bytes');
    waiting.shift()?.();
    await tick();
    expect([received, failures, reader.room().length > 0]).toEqual([[], [], true]);
  });

  test('ignores a decompression failure after another failure', async () => {
    const { failures, send } = listening(
      wireOf([{ ...inThePool, decompress: () => Promise.reject(new Error('corrupt')) }]),
    );
    send(opCompressed(new Uint8Array(9), { compressor: 9 }));
    expect(() => send(Buffer.from('HTTP/1.1 400 Bad Request'))).toThrow();
    await tick();
    expect(failures).toEqual([]);
  });

  test('rejects a peer that sends more than the queue holds', () => {
    const { later } = slow();
    const { send } = listening(wireOf([later]));
    send(opCompressed(turned(content({})), { compressor: 9 }));
    const large = opMsg(0, kind0({ text: 'x'.repeat(16_000_000) }));
    send(large);
    send(large);
    send(large);
    expect(() => send(large)).toThrow('Too many bytes arrived while an earlier message was being decompressed.');
  });
});
