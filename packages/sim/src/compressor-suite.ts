import type { Compressor } from '@tessera/contracts';
import { expectEqual, expectError, expectRejection, expectTrue } from './case.js';
import type { ContractCase } from './case.js';
import { createChance } from './chance.js';

/** Rule: OP_COMPRESSED, "compressor ids". */
const assigned: Readonly<Record<number, string>> = { 0: 'noop', 1: 'snappy', 2: 'zlib', 3: 'zstd' };

/** Sizes near those at which compressors start to work in chunks or in another thread. */
const sizes = [0, 1, 15, 1000, 16_384, 16_385, 65_536, 200_000];

/** Returns two contents of this size: repeating bytes, and bytes that cannot be compressed. */
const contentsOf = (size: number): readonly (readonly [what: string, content: Uint8Array])[] => [
  [`${size} repeating bytes`, Uint8Array.from({ length: size }, (_, at) => at % 11)],
  [`${size} random bytes`, createChance(size).bytes(size)],
];
const contents = sizes.flatMap(contentsOf);

/**
 * Returns the cases of {@link Compressor}: decompression returns the original bytes, and malformed input is rejected.
 * Rule: OP_COMPRESSED.
 */
export const compressorSuite = (compressor: Compressor): readonly ContractCase[] => {
  const one = (name: string, run: () => void | Promise<void>): ContractCase => ({
    name,
    run: async () => {
      await run();
    },
  });
  const compress = async (content: Uint8Array): Promise<Uint8Array> => compressor.compress(content);
  const decompress = async (bytes: Uint8Array, size: number): Promise<Uint8Array> => compressor.decompress(bytes, size);
  const refuses = (bytes: Uint8Array, size: number, what: string): Promise<unknown> =>
    expectRejection(decompress(bytes, size), { kind: 'protocol' }, what);

  return [
    one('Compressor.id: is a byte that the specification assigns to this name', () => {
      const { id, name } = compressor;
      expectTrue(Number.isInteger(id) && id >= 0 && id <= 255, `an id from 0 to 255, not ${id}`);
      expectTrue(name !== '', 'a name');
      for (const [key, known] of Object.entries(assigned))
        expectEqual(name === known, id === Number(key), `${id} and '${name}': that ${key} is '${known}'`);
    }),
    one('Compressor.decompress: returns the original bytes for any size', async () => {
      for (const [what, content] of contents)
        expectEqual(await decompress(await compress(content), content.length), content, what);
    }),
    one('Compressor: messages that are compressed at the same time do not share memory', async () => {
      const compressed = await Promise.all(contents.map(([, content]) => compress(content)));
      const back = await Promise.all(compressed.map((bytes, at) => decompress(bytes, contents[at]![1].length)));
      for (const [at, [what, content]] of contents.entries()) expectEqual(back[at], content, what);
    }),
    one('Compressor: does not change its input and does not retain it', async () => {
      for (const [what, content] of contents) {
        const given = content.slice();
        const compressed = await compress(given);
        expectEqual(given, content, `after compress: ${what}`);
        given.fill(0x5a);
        const received = compressed.slice();
        const back = await decompress(received, content.length);
        expectEqual(received, compressed, `after decompress: ${what}`);
        received.fill(0x5a);
        expectEqual(back, content, `after the memory of both was used again: ${what}`);
      }
    }),
    one('Compressor.decompress: rejects as protocol content that does not have exactly the given size', async () => {
      for (const [what, content] of contents) {
        const compressed = await compress(content);
        const { length } = content;
        const others = [0, length - 1, length + 1, 2 * length + 100, 40_000_000];
        for (const size of others.filter(size => size >= 0 && size !== length))
          await refuses(compressed, size, `${what}, told ${size}`);
      }
    }),
    one('Compressor.decompress: rejects as protocol content that is truncated or followed by more bytes', async () => {
      for (const [what, content] of contents) {
        const compressed = await compress(content);
        const { length } = compressed;
        for (const left of new Set([0, length >> 1, length - 1].filter(left => left < length && content.length > 0)))
          await refuses(compressed.slice(0, left), content.length, `${what}, cut off after ${left} of ${length}`);
        const longer = new Uint8Array(length + 1);
        longer.set(compressed);
        await refuses(longer, content.length, `${what}, and one byte more`);
      }
    }),
    one('Compressor.decompress: random bytes decompress to the given size or are rejected as protocol', async () => {
      const chance = createChance(1);
      const check = async (bytes: Uint8Array, size: number, what: string): Promise<void> => {
        const result = await decompress(bytes, size).catch((error: unknown) => error);
        if (result instanceof Uint8Array) expectEqual(result.length, size, what);
        else expectError(result, { kind: 'protocol' }, what);
      };
      const content = contentsOf(1000)[0]![1];
      const compressed = await compress(content);
      for (let round = 0; round < 200; round += 1) {
        const size = chance.below(3000);
        await check(chance.bytes(1 + chance.below(300)), size, `random bytes, given size ${size}`);
        const damaged = compressed.slice();
        const at = chance.below(damaged.length);
        damaged[at] = damaged[at]! ^ (1 << chance.below(8));
        await check(damaged, content.length, `one bit changed, in round ${round}`);
      }
    }),
  ];
};
