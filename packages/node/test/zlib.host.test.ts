import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createNode, createZlib } from '@tessera/node';

const zlib = createZlib();

test('OP_COMPRESSED "Compressor IDs": zlib is number 2', () => {
  expect([zlib.id, zlib.name]).toEqual([2, 'zlib']);
  expect(createNode().compressors[0]).toMatchObject({ id: 2, name: 'zlib' });
});

test('decompresses its own output, small or large', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 1, max: 400 }), async (seed, times) => {
      const bytes = new Uint8Array(seed.length * times);
      for (let i = 0; i < times; i++) bytes.set(seed, i * seed.length);
      const back = await zlib.decompress(await zlib.compress(bytes), bytes.length);
      expect(Buffer.compare(back, bytes)).toBe(0);
    }),
    { numRuns: 60 },
  );
});

describe('decompress rejects content of another length', () => {
  const kilobyte = deflateSync(new Uint8Array(1000));
  const megabyte = deflateSync(new Uint8Array(1 << 20));
  test.each([
    ['less', kilobyte, 1001, 'expected 1001 bytes, but the content has 1000'],
    ['more', kilobyte, 999, 'expected 999 bytes, but the content is longer'],
    ['nothing expected', kilobyte, 0, 'expected 0 bytes, but the content'],
    ['a decompression bomb', megabyte, 20_000, 'expected 20000 bytes, but the content is longer'],
    ['less than a large claim', megabyte, (1 << 20) + 1, 'expected 1048577 bytes, but the content has 1048576'],
    [
      'a claim that the input cannot contain',
      kilobyte,
      40_000_000,
      `expected 40000000 bytes, but ${kilobyte.length} compressed bytes cannot hold them`,
    ],
    ['truncated data', kilobyte.subarray(0, -5), 1000, 'decompression failed'],
    ['trailing garbage', Buffer.concat([kilobyte, new Uint8Array(3)]), 1000, '3 bytes follow the end'],
    ['trailing garbage after much', Buffer.concat([megabyte, new Uint8Array(3)]), 1 << 20, '3 bytes follow the end'],
    ['garbage', new Uint8Array(20).fill(7), 1000, 'decompression failed'],
  ])('%s', async (_, bytes, size, sentence) => {
    const error = await Promise.resolve(zlib.decompress(bytes, size)).catch((e: unknown) => e);
    expect(error).toMatchObject({ kind: 'protocol', message: expect.stringContaining(sentence) as unknown });
  });
});

test("reads a stream of Python's zlib at level 9", async () => {
  const stream = Buffer.from('eNqrVkpUsjLUUSpJrShRsgJSxcWpRYkKtKKVagEU0SnQ', 'base64');
  const text = `{"a":1,"text":"${'tessera '.repeat(12)}"}`;
  expect(Buffer.from(await zlib.decompress(stream, text.length)).toString()).toBe(text);
});

test('accepts the levels of zlib, from -1 to 9', () => {
  const text = new TextEncoder().encode('abcabcabdabc'.repeat(200));
  expect(createZlib({ level: 0 }).compress(text)).toEqual(deflateSync(text, { level: 0 }));
  expect(createZlib({ level: 9 }).compress(text)).toEqual(deflateSync(text, { level: 9 }));
  for (const level of [-2, 10, 1.5])
    expect(() => createZlib({ level })).toThrow(`Invalid zlib compression level ${level}:`);
});
