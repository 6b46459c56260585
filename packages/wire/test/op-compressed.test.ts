import { describe, expect, test } from 'vitest';
import { createZlib } from '@tessera/node';
import { int32, kind0, listening, message, opCompressed, opMsg, wireOf } from './dialogue.js';

const zlib = createZlib();
const wire = wireOf([zlib]);
const content = Buffer.concat([int32(0), kind0({ ok: 1 })]);
const settled = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 0));

const failure = async (bytes: Uint8Array): Promise<unknown> => {
  const { received, failures, send } = listening(wire);
  try {
    send(bytes);
  } catch (error) {
    return error;
  }
  await settled();
  return failures[0] ?? received;
};

describe('OP_COMPRESSED', () => {
  test('writes an OP_COMPRESSED header with opcode, size without the header, and compressor, followed by the compressed content', async () => {
    const plain = wire.write(11, message({ insert: 'c', text: 'abc'.repeat(100), $db: 'test' }));
    const packed = Buffer.from(await wire.compress(plain, zlib));
    expect([0, 4, 8, 12, 16, 20].map(at => packed.readInt32LE(at))).toEqual([
      packed.length,
      11,
      0,
      2012,
      2013,
      plain.length - 16,
    ]);
    expect(packed[24]).toBe(2);
    expect(packed.length).toBeLessThan(plain.length);
    expect(Buffer.from(await zlib.decompress(packed.subarray(25), plain.length - 16))).toEqual(
      Buffer.from(plain.subarray(16)),
    );
  });

  test('reads a compressed message like any other', async () => {
    for (const size of [10, 100_000]) {
      const packed = await wire.compress(
        opMsg(0, kind0({ ok: 1, text: 'a'.repeat(size) }), { id: 3, responseTo: 2 }),
        zlib,
      );
      const { received, send } = listening(wire);
      send(packed);
      while (received.length === 0) await settled();
      expect(received).toEqual([{ id: 3, responseTo: 2, more: false, document: { ok: 1, text: 'a'.repeat(size) } }]);
    }
  });

  test('"Compressor IDs": accepts noop without negotiation', () => {
    const { received, send } = listening(wireOf());
    send(opCompressed(content));
    expect(received.map(({ document }) => document)).toEqual([{ ok: 1 }]);
  });

  test.each([
    [
      'an unknown compressor',
      opCompressed(content, { compressor: 3 }),
      'compressor 3 was not negotiated; available: 0 (noop), 2 (zlib).',
    ],
    [
      'a compressed message in a compressed message',
      opCompressed(opCompressed(content).subarray(16), { opCode: 2012 }),
      'a message of opcode 2012 must not be compressed.',
    ],
    ['a legacy opcode', opCompressed(content, { opCode: 2004 }), 'a message of opcode 2004 must not be compressed.'],
    [
      "a size that differs from the content's",
      opCompressed(content, { size: content.length + 1 }),
      `the header announces ${content.length + 1} bytes, but the content has ${content.length}.`,
    ],
    ['a negative size', opCompressed(content, { size: -1 }), 'an uncompressed size of -1 bytes is invalid.'],
    [
      'a size larger than any message',
      opCompressed(content, { size: 48_016_384 }),
      'an uncompressed size of 48016384 bytes is invalid.',
    ],
    [
      'the largest size with a smaller content',
      opCompressed(content, { size: 48_016_368 }),
      'the header announces 48016368 bytes',
    ],
    [
      'one byte more',
      opCompressed(content, { size: 48_016_369 }),
      'an uncompressed size of 48016369 bytes is invalid.',
    ],
    ['garbage', opCompressed(content, { compressor: 2 }), 'Invalid zlib data'],
    [
      'a message shorter than the OP_COMPRESSED header',
      opCompressed(content)
        .subarray(0, 20)
        .map((byte, i) => (i === 0 ? 20 : byte > 0 && i < 4 ? 0 : byte)),
      '20 bytes are too short for a compressed message.',
    ],
  ])('rejects %s', async (_, bytes, sentence) => {
    expect(await failure(bytes)).toEqual(
      expect.objectContaining({ kind: 'protocol', message: expect.stringContaining(sentence) as unknown }),
    );
  });
});
