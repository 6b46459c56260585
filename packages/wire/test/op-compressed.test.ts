import { describe, expect, test } from 'vitest';
import { createZlib } from '@tessera/node';
import { int32, kind0, listening, message, opCompressed, opMsg, wireOf } from './dialogue.js';

const zlib = createZlib();
const wire = wireOf([zlib]);
const content = Buffer.concat([int32(0), kind0({ ok: 1 })]);
const settled = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 0));

const failure = async (bytes: Uint8Array): Promise<unknown> => {
  const { heard, failures, say } = listening(wire);
  try {
    say(bytes);
  } catch (error) {
    return error;
  }
  await settled();
  return failures[0] ?? heard;
};

describe('OP_COMPRESSED', () => {
  test('the envelope: original opcode, size without the header, compressor, the rest compressed', async () => {
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

  test('what was compressed is read like any other message', async () => {
    for (const size of [10, 100_000]) {
      const packed = await wire.compress(
        opMsg(0, kind0({ ok: 1, text: 'a'.repeat(size) }), { id: 3, responseTo: 2 }),
        zlib,
      );
      const { heard, say } = listening(wire);
      say(packed);
      while (heard.length === 0) await settled();
      expect(heard).toEqual([{ id: 3, responseTo: 2, more: false, document: { ok: 1, text: 'a'.repeat(size) } }]);
    }
  });

  test('"Compressor IDs": noop is understood without having been agreed upon', () => {
    const { heard, say } = listening(wireOf());
    say(opCompressed(content));
    expect(heard.map(({ document }) => document)).toEqual([{ ok: 1 }]);
  });

  test.each([
    [
      'an unknown compressor',
      opCompressed(content, { compressor: 3 }),
      'compressor 3 was not agreed upon; known here: 0 (noop), 2 (zlib)',
    ],
    [
      'a compressed compressed message',
      opCompressed(opCompressed(content).subarray(16), { opCode: 2012 }),
      'must not hold opcode 2012',
    ],
    ['an opcode of long ago', opCompressed(content, { opCode: 2004 }), 'must not hold opcode 2004'],
    [
      "a size that is not the content's",
      opCompressed(content, { size: content.length + 1 }),
      `${content.length + 1} bytes were announced, but the content has ${content.length}`,
    ],
    ['a negative size', opCompressed(content, { size: -1 }), 'cannot hold -1 bytes'],
    ['a size beyond every message', opCompressed(content, { size: 48_016_384 }), 'cannot hold 48016384 bytes'],
    [
      'the largest size, though the content has another',
      opCompressed(content, { size: 48_016_368 }),
      '48016368 bytes were announced',
    ],
    ['one byte more', opCompressed(content, { size: 48_016_369 }), 'cannot hold 48016369 bytes'],
    ['garbage', opCompressed(content, { compressor: 2 }), 'compressed by zlib should hold'],
    [
      'no room for the envelope',
      opCompressed(content)
        .subarray(0, 20)
        .map((byte, i) => (i === 0 ? 20 : byte > 0 && i < 4 ? 0 : byte)),
      '20 bytes hold no envelope',
    ],
  ])('%s is refused', async (_, bytes, sentence) => {
    expect(await failure(bytes)).toEqual(
      expect.objectContaining({ kind: 'protocol', message: expect.stringContaining(sentence) as unknown }),
    );
  });
});
