import { describe, expect, test } from 'vitest';
import { unpack } from '../src/unpacking.js';
import { hostZstd } from '../src/zstd.js';

/** Returns the requested number of bytes in the form of Node.js. */
const whole = (bytes: Uint8Array, { maxOutputLength }: { readonly maxOutputLength: number }) => ({
  buffer: new Uint8Array(maxOutputLength),
  engine: { bytesWritten: bytes.length },
});

describe('unpacking', () => {
  /** Returns how Node.js is called for this number of bytes, and with which limits. */
  const askedFor = async (size: number): Promise<unknown> => {
    let asked: unknown;
    const unpacked = unpack(
      {
        name: 'test',
        atOnce: (bytes, bounds) => {
          asked = ['at once', bounds];
          return whole(bytes, bounds);
        },
        aside: (bytes, bounds, done) => {
          asked = ['aside', bounds];
          done(null, whole(bytes, bounds));
        },
      },
      Uint8Array.of(1, 2),
      size,
    );
    expect(unpacked instanceof Promise).toBe(size > 16_384);
    expect((await unpacked).length).toBe(size);
    return asked;
  };

  test.each([
    [1, 'at once', 64],
    [64, 'at once', 64],
    [65, 'at once', 65],
    [16_384, 'at once', 16_384],
    [16_385, 'aside', 16_385],
    [65_536, 'aside', 65_536],
    [65_537, 'aside', 65_536],
    [48_000_000, 'aside', 65_536],
  ])('decompresses %d bytes %s, with this limit and a chunk of %d', async (size, form, chunkSize) => {
    expect(await askedFor(size)).toEqual([form, { maxOutputLength: size, chunkSize, info: true }]);
  });

  test.each([100, 20_000])(
    'decompressing %d bytes fails with the error of Node.js, or if the content has the wrong size',
    async size => {
      const failing = (error: Error | undefined, more = 0): Promise<unknown> => {
        const result = (bytes: Uint8Array) => ({
          buffer: new Uint8Array(size - more),
          engine: { bytesWritten: bytes.length - more },
        });
        return Promise.resolve(
          unpack(
            {
              name: 'test',
              atOnce: bytes => {
                if (error !== undefined) throw error;
                return result(bytes);
              },
              aside: (bytes, _, done) => {
                done(error ?? null, error === undefined ? result(bytes) : undefined);
              },
            },
            Uint8Array.of(1, 2),
            size,
          ),
        ).catch((cause: unknown) => cause);
      };
      const tooLarge = Object.assign(new Error('too large'), { code: 'ERR_BUFFER_TOO_LARGE' });
      const odd = Object.assign(new Error('odd'), { code: 'Z_DATA_ERROR' });
      const start = `Invalid test data: expected ${size} bytes, but`;
      expect([await failing(tooLarge), await failing(odd), await failing(undefined, 1)]).toMatchObject([
        { kind: 'protocol', message: `${start} the content is longer.`, cause: tooLarge },
        { kind: 'protocol', message: `${start} decompression failed (odd).`, cause: odd },
        { kind: 'protocol', message: `${start} the content has ${size - 1}.` },
      ]);
    },
  );

  test('a size of 0 sets a limit of one byte, which is one too many', async () => {
    const bounds: unknown[] = [];
    const found = unpack(
      {
        name: 'test',
        atOnce: (bytes, given) => {
          bounds.push(given);
          return { buffer: new Uint8Array(0), engine: { bytesWritten: bytes.length } };
        },
        aside: () => undefined,
      },
      Uint8Array.of(1, 2),
      0,
    );
    expect([await found, bounds]).toEqual([new Uint8Array(0), [{ maxOutputLength: 1, chunkSize: 64, info: true }]]);
  });
});

describe('zstd of Node.js', () => {
  /** A replacement of `node:zlib` that records its calls. */
  const createHost = (failure: Error | null = null) => {
    const asked: unknown[] = [];
    const packed = Uint8Array.of(9);
    const host = {
      constants: { ZSTD_c_compressionLevel: 100, ZSTD_d_windowLogMax: 200 },
      zstdCompressSync: (bytes: Uint8Array, options: unknown) => {
        asked.push(['compress at once', bytes.length, options]);
        return packed;
      },
      zstdCompress: (bytes: Uint8Array, options: unknown, done: (cause: Error | null, result: unknown) => void) => {
        asked.push(['compress aside', bytes.length, options]);
        done(failure, packed);
      },
      zstdDecompressSync: (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => {
        asked.push(['decompress at once', bytes.length, options]);
        return whole(bytes, options);
      },
      zstdDecompress: (
        bytes: Uint8Array,
        options: { readonly maxOutputLength: number },
        done: (cause: Error | null, result: unknown) => void,
      ) => {
        asked.push(['decompress aside', bytes.length, options]);
        done(failure, whole(bytes, options));
      },
    };
    return { asked, packed, zstd: hostZstd(host)! };
  };

  test('is compressor number 3, and absent if Node.js has none', () => {
    const { id, name } = createHost().zstd;
    expect([id, name, hostZstd({})]).toEqual([3, 'zstd', undefined]);
  });

  test('compresses at level 3, up to 16 KB synchronously and more asynchronously', async () => {
    const { asked, packed, zstd } = createHost();
    const [small, large] = [zstd.compress(new Uint8Array(16_384)), zstd.compress(new Uint8Array(16_385))];
    expect([small, await large, large instanceof Promise]).toEqual([packed, packed, true]);
    expect(asked).toEqual([
      ['compress at once', 16_384, { params: { 100: 3 } }],
      ['compress aside', 16_385, { params: { 100: 3 } }],
    ]);
  });

  test("rejects with the host's error", async () => {
    const failure = new Error('out of memory');
    const { zstd } = createHost(failure);
    await expect(zstd.compress(new Uint8Array(20_000))).rejects.toBe(failure);
    await expect(zstd.decompress(Uint8Array.of(1), 20_000)).rejects.toMatchObject({ kind: 'protocol', cause: failure });
  });

  test.each([
    [1, 'at once', 23],
    [16_385, 'aside', 23],
    [8_388_608, 'aside', 23],
    [8_388_609, 'aside', 24],
    [48_000_000, 'aside', 26],
  ])('decompresses %d bytes %s, with a window of at most 2^%d bytes', async (size, form, window) => {
    const { asked, zstd } = createHost();
    const chunkSize = Math.min(Math.max(size, 64), 65_536);
    expect((await zstd.decompress(Uint8Array.of(1, 2), size)).length).toBe(size);
    expect(asked).toEqual([
      [`decompress ${form}`, 2, { maxOutputLength: size, chunkSize, info: true, params: { 200: window } }],
    ]);
  });
});
