import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createZstd } from '@tessera/zstd';

const zstd = createZstd();
const text = new TextEncoder().encode(`{"a":1,"text":"${'tessera '.repeat(12)}"}`);

/** The same text compressed by the command zstd 1.5.4: from a pipe, without a content size, and from a file. */
const ofPipe = Buffer.from('KLUv/QRYBQEAyHsiYSI6MSwidGV4dCI6InRlc3NlcmEgIn0BAGtTaQIxHZcr', 'base64');
const ofFile = Buffer.from('KLUv/SRxBQEAyHsiYSI6MSwidGV4dCI6InRlc3NlcmEgIn0BAGtTaQIxHZcr', 'base64');

const failure = (bytes: Uint8Array, size: number): Promise<unknown> =>
  Promise.resolve(zstd.decompress(bytes, size)).catch((error: unknown) => error);

const changed = (bytes: Uint8Array, at: number, byte: number): Uint8Array => {
  const copy = new Uint8Array(bytes);
  copy[at] = byte;
  return copy;
};

/** One block that repeats a byte. It has no content size and a window of this many KB. */
const repeated = (times: number, window = 0): Uint8Array => {
  const header = (times << 3) | (1 << 1) | 1;
  return new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0, window, header & 0xff, (header >>> 8) & 0xff, header >>> 16, 7]);
};

test('OP_COMPRESSED "Compressor IDs": zstd is number 3', () => {
  expect([zstd.id, zstd.name]).toEqual([3, 'zstd']);
});

test('round-trips small and large messages', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 1, max: 700 }), async (seed, times) => {
      const bytes = new Uint8Array(seed.length * times);
      for (let i = 0; i < times; i++) bytes.set(seed, i * seed.length);
      const back = await zstd.decompress(await zstd.compress(bytes), bytes.length);
      expect(Buffer.compare(back, bytes)).toBe(0);
    }),
    { numRuns: 60 },
  );
});

test('reads frames with and without a content size', async () => {
  for (const frame of [ofPipe, ofFile])
    expect(Buffer.from(await zstd.decompress(frame, text.length))).toEqual(Buffer.from(text));
});

/** A frame of several blocks, each of which repeats a byte. */
const blocks = (...times: readonly number[]): Uint8Array => {
  const all = times.flatMap((count, at) => {
    const header = (count << 3) | (1 << 1) | (at === times.length - 1 ? 1 : 0);
    return [header & 0xff, (header >>> 8) & 0xff, header >>> 16, at];
  });
  return new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0, 0, ...all]);
};

test('reads a frame of several blocks completely', async () => {
  expect(await zstd.decompress(blocks(2, 1, 3), 6)).toEqual(new Uint8Array([0, 0, 1, 2, 2, 2]));
});

describe('decompress rejects content of another length', () => {
  const length = text.length;
  test.each([
    ['nothing', new Uint8Array(), 9, 'the data is not a zstd frame'],
    ['garbage', new Uint8Array(20).fill(7), 9, 'the data is not a zstd frame'],
    ['the first bytes of a frame', ofFile.subarray(0, 4), 9, 'the data is not a zstd frame'],
    ['a wrong magic number', changed(ofFile, 1, 0), length, 'the data is not a zstd frame'],
    ['a smaller announced size', ofFile, length + 1, `the header announces ${length}`],
    ['a larger announced size', ofFile, length - 1, `the header announces ${length}`],
    ['content where none is expected', ofFile, 0, `the header announces ${length}`],
    ['smaller content without an announced size', ofPipe, length + 1, 'decompression failed'],
    ['larger content without an announced size', ofPipe, length - 1, 'decompression failed'],
    ['a decompression bomb', repeated(131_072), 20_000, 'decompression failed'],
    [
      'a size of eight bytes',
      new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0xe0, ...new Array<number>(8).fill(1), 1, 0, 0]),
      length,
      'the header announces 72340172838076670',
    ],
    ['a truncated header', ofFile.subarray(0, 5), length, 'the data is truncated'],
    ['a truncated block header', repeated(9).subarray(0, 8), 9, 'the data is truncated'],
    ['a block without its byte', repeated(9).subarray(0, 9), 9, 'the data is truncated'],
    ['a truncated block', ofFile.subarray(0, -5), length, 'the data is truncated'],
    ['a truncated checksum', ofFile.subarray(0, -1), length, 'the data is truncated'],
    ['trailing garbage', Buffer.concat([ofFile, new Uint8Array(3)]), length, '3 bytes follow the frame'],
    ['a second frame', Buffer.concat([ofFile, repeated(9, 0xff)]), length, '10 bytes follow the frame'],
    ['a wrong checksum', changed(ofFile, ofFile.length - 1, 0), length, 'decompression failed'],
    ['a damaged block', changed(ofFile, 12, 0xff), length, 'decompression failed'],
    [
      'a dictionary',
      Buffer.concat([changed(ofPipe, 4, 5).subarray(0, 6), [1], ofPipe.subarray(6)].map(part => new Uint8Array(part))),
      length,
      'decompression failed',
    ],
  ])('%s', async (_, bytes, size, sentence) => {
    expect(await failure(bytes, size)).toMatchObject({
      kind: 'protocol',
      message: expect.stringContaining(`Invalid zstd data: expected ${size} bytes, but ${sentence}`) as unknown,
    });
  });

  test('decompress returns the expected size or throws a protocol error for any changed frame', async () => {
    const at = fc.integer({ min: 0, max: ofPipe.length - 1 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(ofPipe, ofFile), at, fc.nat(255), async (frame, where, byte) => {
        const result = await failure(changed(frame, where, byte), length);
        if (result instanceof Uint8Array) expect(result.length).toBe(length);
        else expect(result).toMatchObject({ kind: 'protocol' });
      }),
      { numRuns: 1000 },
    );
  });
});

test('accepts the levels of zstd, from 1 to 22', async () => {
  const noise = Uint8Array.from({ length: 50_000 }, (_, at) => (Math.imul(at, 2654435761) >>> 20) % 11);
  const [fast, small] = [createZstd({ level: 1 }), createZstd({ level: 19 })];
  expect((await small.compress(noise)).length).toBeLessThan((await fast.compress(noise)).length);
  for (const level of [1, 22]) expect(() => createZstd({ level })).not.toThrow();
  for (const level of [0, 23, 1.5])
    expect(() => createZstd({ level })).toThrow(
      expect.objectContaining({
        kind: 'usage',
        message: `Invalid zstd compression level ${level}: it must be an integer from 1 to 22.`,
      }),
    );
});
