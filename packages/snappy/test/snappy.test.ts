import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSnappy } from '@tessera/snappy';

const snappy = createSnappy();
const text = new TextEncoder().encode(`{"a":1,"text":"${'tessera '.repeat(12)}"}`);

const failure = (bytes: Uint8Array, size: number): Promise<unknown> =>
  Promise.resolve(snappy.decompress(bytes, size)).catch((error: unknown) => error);

/** The header of a stream with this uncompressed size, followed by elements. */
const stream = (size: number, ...elements: readonly number[]): Uint8Array => {
  const bytes: number[] = [];
  for (; size >= 0x80; size = Math.floor(size / 0x80)) bytes.push((size % 0x80) | 0x80);
  return new Uint8Array([...bytes, size, ...elements]);
};

test('OP_COMPRESSED "Compressor IDs": snappy is number 1', () => {
  expect([snappy.id, snappy.name]).toEqual([1, 'snappy']);
});

describe('decompresses its own output', () => {
  const returns = async (bytes: Uint8Array): Promise<void> => {
    const back = await snappy.decompress(await snappy.compress(bytes), bytes.length);
    expect(Buffer.compare(back, bytes)).toBe(0);
  };

  test('for any bytes, repeated any number of times', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 1, max: 700 }), async (seed, times) => {
        const bytes = new Uint8Array(seed.length * times);
        for (let i = 0; i < times; i++) bytes.set(seed, i * seed.length);
        await returns(bytes);
      }),
      { numRuns: 60 },
    );
  });

  test('for any sequence of a few letters', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(1, 2, 3), { maxLength: 5000, size: 'max' }), async letters => {
        await returns(new Uint8Array(letters));
      }),
      { numRuns: 60 },
    );
  });

  test('for two fragments with repetitions of their own', async () => {
    const piece = Uint8Array.from({ length: 3000 }, (_, at) => Math.imul(at + 1, 2654435761) >>> 24);
    const bytes = new Uint8Array(140_000);
    for (let at = 0; at + piece.length <= bytes.length; at += piece.length) bytes.set(piece, at);
    await returns(bytes);
    expect((await snappy.compress(bytes)).length).toBeLessThan(20_000);
  });

  test('for lengths around a fragment of 64 KB, and around each width of a length field', async () => {
    const noise = Uint8Array.from({ length: 200_000 }, (_, at) => (Math.imul(at, 2654435761) ^ (at * at)) >>> 13);
    for (const length of [0, 1, 4, 60, 61, 256, 257, 65_535, 65_536, 65_537, 131_073])
      await returns(noise.subarray(0, length));
    for (const length of [64, 65, 67, 68, 69, 2047, 2048, 70_000]) await returns(new Uint8Array(length));
  });
});

test('round-trips data without repetitions for lengths of every width', async () => {
  const distinct = Uint8Array.from({ length: 600 }, (_, at) => (at % 2 === 0 ? at >> 1 : (at * at) >> 3));
  for (const length of [59, 60, 61, 62, 255, 256, 257, 258, 600]) {
    const bytes = distinct.subarray(0, length);
    const packed = await snappy.compress(bytes);
    expect(Buffer.from(await snappy.decompress(packed, length))).toEqual(Buffer.from(bytes));
  }
});

test('writes the exact elements for sizes of 127 and 128 bytes, a short nearby copy, and a match at the very end', async () => {
  const packed = async (text: string): Promise<number[]> => [
    ...(await snappy.compress(new TextEncoder().encode(text))),
  ];
  const letters = 'abcdefghijkl';
  // A literal of 12 bytes, then a two-byte copy of 4 bytes from 12 bytes earlier.
  expect(await packed(`${letters}abcd`)).toEqual([16, 11 << 2, ...new TextEncoder().encode(letters), 1, 12]);
  const distinct = (length: number): Uint8Array => Uint8Array.from({ length }, (_, at) => at);
  expect([...(await snappy.compress(distinct(127)))].slice(0, 3)).toEqual([127, 60 << 2, 126]);
  expect([...(await snappy.compress(distinct(128)))].slice(0, 4)).toEqual([0x80, 1, 60 << 2, 127]);
});

test('reads a stream of the shortest elements for its size', async () => {
  // Each element copies 64 bytes in three bytes. This many bytes could hold even more than they announce.
  const elements = [0, 7, ...Array.from({ length: 20 }, () => [2 | (63 << 2), 1, 0]).flat()];
  const size = 1 + 20 * 64;
  expect(await snappy.decompress(stream(size, ...elements), size)).toEqual(new Uint8Array(size).fill(7));
});

test('compresses repetitive data well in short and long inputs', async () => {
  expect((await snappy.compress(text)).length).toBeLessThanOrEqual(36);
  // A copy of 64 bytes takes three.
  for (const length of [1000, 65_536])
    expect((await snappy.compress(new Uint8Array(length))).length).toBeLessThanOrEqual(
      Math.ceil((length / 64) * 3) + 12,
    );
  const noise = Uint8Array.from({ length: 2000 }, (_, at) => Math.imul(at + 1, 2654435761) >>> 24);
  const twice = new Uint8Array([...noise, ...noise]);
  expect((await snappy.compress(twice)).length).toBeLessThan(noise.length + 150);
});

test('expands incompressible data at most by the bound of the format', async () => {
  const noise = Uint8Array.from({ length: 70_000 }, (_, at) => Math.imul(at + 1, 2654435761) >>> 24);
  expect((await snappy.compress(noise)).length).toBeLessThan(32 + (noise.length * 7) / 6);
});

test("reads streams of Rust's snap, and every element of the format description", async () => {
  const snap = Buffer.from('cVh7ImEiOjEsInRleHQiOiJ0ZXNzZXJhIP4IAF4IAAQifQ==', 'base64');
  expect(Buffer.from(await snappy.decompress(snap, text.length))).toEqual(Buffer.from(text));

  const [a, b, c, d] = [97, 98, 99, 100];
  const abcd = [(4 - 1) << 2, a, b, c, d];
  const read = async (size: number, ...elements: readonly number[]): Promise<string> =>
    Buffer.from(await snappy.decompress(stream(size, ...elements), size)).toString();
  expect(await read(4, ...abcd)).toBe('abcd');
  for (const width of [1, 2, 3, 4])
    expect(await read(4, (59 + width) << 2, 3, ...[0, 0, 0].slice(0, width - 1), a, b, c, d)).toBe('abcd');
  expect(await read(8, ...abcd, 1, 4)).toBe('abcdabcd');
  expect(await read(10, ...abcd, 2 | (5 << 2), 2, 0)).toBe('abcdcdcdcd');
  expect(await read(5, ...abcd, 3, 1, 0, 0, 0)).toBe('abcdd');
});

describe('decompress rejects content of another length', () => {
  const literal = (length: number): number[] => [(length - 1) << 2, ...new Array<number>(length).fill(7)];
  test.each([
    ['nothing', new Uint8Array(), 0, 'the data is truncated'],
    ['a size without an end', new Uint8Array(9).fill(0xff), 9, 'the header has no valid size'],
    [
      'a size of six bytes',
      new Uint8Array([0x89, 0x80, 0x80, 0x80, 0x80, 0, ...literal(9)]),
      9,
      'the header has no valid size',
    ],
    ['another size', stream(5, ...literal(5)), 4, 'the header announces 5'],
    ['a bomb', stream(48_000_000, ...literal(5)), 48_000_000, '10 compressed bytes cannot hold them'],
    ['less', stream(6, ...literal(5)), 6, 'the content has 5'],
    ['more', stream(4, ...literal(5)), 4, 'the content is longer'],
    ['more by a copy', stream(6, ...literal(5), 1, 1), 6, 'the content is longer'],
    ['trailing garbage', stream(5, ...literal(5), 0xfe, 1), 5, 'the data is truncated'],
    ['trailing elements', stream(5, ...literal(5), ...literal(1)), 5, 'the content is longer'],
    ['a truncated literal', stream(9, 8 << 2, 1, 2), 9, 'the data is truncated'],
    ['a truncated length', stream(9, 63 << 2, 1, 2), 9, 'the data is truncated'],
    ['a literal of 4 GB', stream(20, 63 << 2, 0xfb, 0xff, 0xff, 0xff, 1), 20, 'the data is truncated'],
    ['a truncated copy', stream(9, ...literal(5), 1), 9, 'the data is truncated'],
    ['a copy of nothing', stream(4, 1, 1), 4, 'a copy refers to 1 bytes before byte 0'],
    ['a copy from before the start', stream(9, ...literal(5), 1, 6), 9, 'a copy refers to 6 bytes before byte 5'],
    ['a copy with offset 0', stream(9, ...literal(5), 1, 0), 9, 'a copy refers to 0 bytes before byte 5'],
  ])('%s', async (_, bytes, size, sentence) => {
    expect(await failure(bytes, size)).toMatchObject({
      kind: 'protocol',
      message: `Invalid snappy data: expected ${size} bytes, but ${sentence}.`,
    });
  });

  test('decompress returns the expected size or throws a protocol error for any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), fc.integer({ min: 0, max: 200 }), async (elements, size) => {
        const result = await failure(stream(size, ...elements), size);
        if (result instanceof Uint8Array) expect(result.length).toBe(size);
        else expect(result).toMatchObject({ kind: 'protocol' });
      }),
      { numRuns: 2000 },
    );
  });
});
