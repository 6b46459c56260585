import { Binary } from 'bson';
import { expect, test } from 'vitest';
import { bson, decode, encode } from '../src/index.js';

const sizes = [1, 100, 2100, 4000, 5000, 16_000, 20_000];
const sized = (size: number): { readonly data: Binary } => ({ data: new Binary(new Uint8Array(size).fill(7)) });

/** Moves the memory to a thread, if the host allows that. */
const transfer = (memory: ArrayBufferLike): void => {
  try {
    structuredClone(memory, { transfer: [memory as ArrayBuffer] });
  } catch {
    // The host has refused.
  }
};

test('a transfer of the memory of encoded bytes changes no other bytes, and documents can be encoded after it', () => {
  for (const size of sizes) {
    const [moved, kept] = [encode(sized(size)), encode(sized(size))];
    const before = kept.slice();
    transfer(moved.buffer);
    expect(kept).toEqual(Buffer.from(before));
    expect(encode(sized(size))).toEqual(Buffer.from(before));
  }
});

test('changed bytes change no other bytes', () => {
  const all = sizes.flatMap(size => [encode(sized(size)), encode(sized(size))]);
  const before = all.map(bytes => bytes.slice());
  for (let i = 0; i < all.length; i += 2) all[i]!.fill(0xff);
  for (let i = 1; i < all.length; i += 2) expect(all[i]).toEqual(Buffer.from(before[i]!));
});

test('decoded binary values and raw documents of more than 4 KiB have memory of their own', () => {
  const bytes = encode(sized(5000));
  const { data } = decode(bytes) as { data: Binary };
  expect(data.buffer.buffer.byteLength).toBe(5000);
  const { whole } = decode(encode({ whole: sized(5000) }), bson.shape({ raw: true })) as { whole: Uint8Array };
  expect([whole.length, whole.buffer.byteLength]).toEqual([bytes.length, bytes.length]);
});
