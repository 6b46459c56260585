import { bytesOf, isTagged, scalarOf } from '../values.js';

/** A vector. `bits`: each number is 0 or 1. */
export interface Vector {
  readonly kind: 'bits' | 'float32' | 'int8';
  readonly numbers: ArrayLike<number>;
}

/** Rule: BSON Binary Subtype 9 - Vector, "Data Types". */
const vectorSubtype = 9;
const types = { float32: 0x27, int8: 0x03, bits: 0x10 } as const;

const bitsOf = (bytes: Uint8Array, padding: number): readonly number[] =>
  Array.from({ length: bytes.length * 8 - padding }, (_, i) => (bytes[i >> 3]! >> (7 - (i & 7))) & 1);

const ofBytes = (bytes: Uint8Array): Vector | undefined => {
  const [type, padding] = bytes;
  const data = bytes.subarray(2);
  switch (type) {
    case types.float32: {
      const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
      const numbers = Float32Array.from({ length: data.length >> 2 }, (_, i) => view.getFloat32(i * 4, true));
      return { kind: 'float32', numbers };
    }
    case types.int8:
      return { kind: 'int8', numbers: Int8Array.from(data) };
    case types.bits:
      return { kind: 'bits', numbers: bitsOf(data, padding ?? 0) };
    default:
      return undefined;
  }
};

/** Reads an array of numbers, or a BSON vector. Returns undefined for any other value. */
export const vectorOf = (value: unknown): Vector | undefined => {
  if (isTagged(value))
    return value._bsontype === 'Binary' && value['sub_type'] === vectorSubtype ? ofBytes(bytesOf(value)) : undefined;
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const numbers = new Float32Array(value.length);
  for (let i = 0; i < value.length; i++) {
    const number = scalarOf(value[i]);
    if (number?.kind !== 'number' || !Number.isFinite(number.value)) return undefined;
    numbers[i] = number.value as number;
  }
  return { kind: 'float32', numbers };
};

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
};

const squareDistance = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i]! - b[i]!) ** 2;
  return sum;
};

export const isZero = ({ numbers }: Vector): boolean => dot(numbers, numbers) === 0;

/** Returns the score of two vectors of the same kind and length, between 0 and 1. */
export type Similarity = (a: Vector, b: Vector) => number;

/** The largest product of two numbers of a vector of the type int8, rounded up to a power of two. */
const largestInt8Product = 2 ** 15;

export const similarities: Readonly<Record<'cosine' | 'dotProduct' | 'euclidean', Similarity>> = {
  cosine: ({ numbers: a }, { numbers: b }) => (1 + dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))) / 2,
  dotProduct: (a, b) => {
    const product = dot(a.numbers, b.numbers);
    if (a.kind === 'int8') return 0.5 + product / (a.numbers.length * largestInt8Product);
    return Math.max(0, (1 + product) / 2);
  },
  euclidean: (a, b) => {
    const square = squareDistance(a.numbers, b.numbers);
    // The distance of bits is the share of differing bits.
    return a.kind === 'bits' ? 1 - square / a.numbers.length : 1 / (1 + Math.sqrt(square));
  },
};
