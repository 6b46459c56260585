import * as npm from 'bson';
import { describe, expect, test } from 'vitest';
import { vectorIn, vectorOf } from '@tessera/bson';

const usage = expect.objectContaining({ kind: 'usage' });

describe('BSON Binary Subtype 9, "Treatment of non-zero ignored bits"', () => {
  test('BSON Binary Vector, prose test 1: encoding: rejects unused bits that are not zero', () => {
    expect(() => vectorOf('packedBit', [0b11111111], 7)).toThrow(usage);
    expect([...vectorOf('packedBit', [0b10000000], 7).buffer]).toEqual([0x10, 7, 0x80]);
  });

  test('BSON Binary Vector, prose test 2: decoding: rejects unused bits that are not zero', () => {
    expect(() => vectorIn(new npm.Binary(Uint8Array.of(0x10, 7, 0xff), 9))).toThrow(usage);
  });

  test('BSON Binary Vector, prose test 3: comparison: only equal elements encode to equal bytes', () => {
    const one = vectorOf('packedBit', [0b10000000], 7);
    expect(one).toStrictEqual(new npm.Binary(Uint8Array.of(0x10, 7, 0x80), 9));
    expect(one).not.toStrictEqual(vectorOf('packedBit', [0b10000000], 6));
  });
});

test('a vector needs a known type, a header of two bytes, and subtype 9', () => {
  expect(() => vectorIn(new npm.Binary(Uint8Array.of(0x11, 0, 1), 9))).toThrow(/the unknown type 17/);
  expect(() => vectorIn(new npm.Binary(Uint8Array.of(0x03), 9))).toThrow(/fewer than the two bytes/);
  expect(() => vectorIn(new npm.Binary(Uint8Array.of(3, 0, 1), 0))).toThrow(/the subtype 0 instead of 9/);
});

test('vectorIn returns a copy of the content only', () => {
  const binary = vectorOf('int8', [1, -2]);
  const vector = vectorIn(binary);
  binary.buffer[2] = 9;
  expect(vector).toEqual({ type: 'int8', elements: Int8Array.of(1, -2) });
  const spacious = new npm.Binary(Buffer.from([0x27, 0, 0, 0, 0x80, 0x3f, 7, 7]), 9);
  spacious.position = 6;
  expect(vectorIn(spacious)).toEqual({ type: 'float32', elements: Float32Array.of(1) });
});

test('rounds numbers to the nearest float, and keeps NaN and infinities', () => {
  expect(vectorIn(vectorOf('float32', [0.1, NaN, -Infinity]))).toEqual({
    type: 'float32',
    elements: Float32Array.of(0.1, NaN, -Infinity),
  });
});

test('is compatible with npm bson in both directions', () => {
  const bits = [1, 0, 1, 1, 0, 0, 1, 0, 1];
  expect([...vectorOf('packedBit', [0b10110010, 0b10000000], 7).toBits()]).toEqual(bits);
  expect(vectorIn(npm.Binary.fromBits(bits))).toEqual({
    type: 'packedBit',
    elements: Uint8Array.of(0b10110010, 0b10000000),
    padding: 7,
  });
  expect(vectorIn(npm.Binary.fromInt8Array(Int8Array.of(-1, 5)))).toEqual({
    type: 'int8',
    elements: Int8Array.of(-1, 5),
  });
});
