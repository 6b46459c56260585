import * as host from 'node:zlib';
import type { Compressor } from '@tessera/contracts';
import { createNode } from '@tessera/node';
import { createZstd } from '@tessera/zstd';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';

const hasZstd = 'zstdCompress' in host;
const reason = `Node.js ${process.versions.node} has no zstd, which came with 22.15`;

test('zstd is one of the compressors if and only if Node.js has it', () => {
  const names = createNode().compressors.map(({ id, name }) => `${id} ${name}`);
  expect(names).toEqual(hasZstd ? ['2 zlib', '3 zstd'] : ['2 zlib']);
});

describe('the zstd of Node.js', () => {
  beforeEach(context => {
    context.skip(!hasZstd, reason);
  });

  const zstd = createNode().compressors[1] as Compressor;

  test('is compatible with its own output and with another implementation', async () => {
    const other = createZstd();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 1, max: 300 }), async (seed, times) => {
        const bytes = new Uint8Array(seed.length * times);
        for (let i = 0; i < times; i++) bytes.set(seed, i * seed.length);
        const frame = await zstd.compress(bytes);
        expect(Buffer.compare(await zstd.decompress(frame, bytes.length), bytes)).toBe(0);
        expect(Buffer.compare(await other.decompress(frame, bytes.length), bytes)).toBe(0);
        expect(Buffer.compare(await zstd.decompress(await other.compress(bytes), bytes.length), bytes)).toBe(0);
      }),
      { numRuns: 40 },
    );
  });

  /** Blocks that repeat one byte 131,072 times, with a window of 2^10 bytes, or 2^(10+exponent). */
  const repeated = (blocks: number, exponent = 0): Uint8Array =>
    Buffer.concat([
      Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0, exponent << 3),
      ...Array.from({ length: blocks }, (_, index) => {
        const header = (131_072 << 3) | (1 << 1) | (index === blocks - 1 ? 1 : 0);
        return Buffer.of(header & 0xff, (header >>> 8) & 0xff, header >>> 16, 7);
      }),
    ]);

  test.each<readonly [string, () => Promise<Uint8Array> | Uint8Array, number, string]>([
    ['less', () => zstd.compress(new Uint8Array(1000)), 1001, 'the content has 1000'],
    ['more', () => zstd.compress(new Uint8Array(1000)), 999, 'the content is longer'],
    ['less of a large message', () => zstd.compress(new Uint8Array(1 << 20)), (1 << 20) + 1, 'the content has 1048576'],
    ['a bomb with a small announced size', () => repeated(800, 10), 1024, 'the content is longer'],
    ['a bomb with a large announced size', () => repeated(800, 10), 48_000_000, 'the content is longer'],
    ['a window of 2 GB', () => repeated(1, 21), 1024, 'decompression failed'],
    ['garbage', () => new Uint8Array(20).fill(7), 1000, 'decompression failed'],
    [
      'trailing garbage',
      async () => Buffer.concat([await zstd.compress(new Uint8Array(1000)), new Uint8Array(3)]),
      1000,
      'decompression failed',
    ],
    [
      'a second frame',
      async () => Buffer.concat(await Promise.all([1, 2].map(async () => zstd.compress(new Uint8Array(1000))))),
      1000,
      'the content is longer',
    ],
    [
      'a truncated frame',
      async () => (await zstd.compress(new Uint8Array(1000))).subarray(0, -2),
      1000,
      'the content has 0',
    ],
  ])('decompress rejects content of another length: %s', async (_, make, size, found) => {
    const error: unknown = await Promise.resolve(zstd.decompress(await make(), size)).catch((e: unknown) => e);
    expect(error).toMatchObject({
      kind: 'protocol',
      message: expect.stringContaining(`Invalid zstd data: expected ${size} bytes, but ${found}`) as unknown,
    });
  });
});
