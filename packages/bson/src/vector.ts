import { MongoError } from '@tessera/contracts';
import { Binary } from './values.js';

/** The element types of a vector, by the first byte of the header. Rule: BSON Binary Subtype 9, "Header Format". */
export const vectorTypes = { int8: 0x03, float32: 0x27, packedBit: 0x10 } as const;

export type VectorType = keyof typeof vectorTypes;

/**
 * The elements of a vector. Bits stay packed, most significant first; the last `padding` bits of the last byte are
 * unused.
 */
export type Vector =
  | { readonly type: 'int8'; readonly elements: Int8Array }
  | { readonly type: 'float32'; readonly elements: Float32Array }
  | { readonly type: 'packedBit'; readonly elements: Uint8Array; readonly padding: number };

/**
 * Returns what is wrong with the header and length of a vector's bytes, or undefined. Vectors of unknown types are
 * accepted, so that they can be passed on. Rule: BSON Binary Subtype 9, "Validity Criteria".
 */
export const vectorProblem = (bytes: Uint8Array): string | undefined => {
  if (bytes.length < 2) return 'fewer than the two bytes of its header';
  const [type, padding] = bytes as unknown as [number, number];
  if (type === vectorTypes.int8 || type === vectorTypes.float32) {
    if (padding !== 0) return `a padding of ${String(padding)}, which is valid only for packedBit`;
    if (type === vectorTypes.float32 && (bytes.length - 2) % 4 !== 0)
      return 'a length that is not a multiple of 4 bytes';
  } else if (type === vectorTypes.packedBit) {
    if (padding > 7) return `a padding of ${String(padding)}, but at most 7 bits can be unused`;
    if (padding > 0 && bytes.length === 2) return `a padding of ${String(padding)} and no elements`;
  }
  return undefined;
};

const unusedBits = (bytes: Uint8Array, padding: number): boolean =>
  bytes.length > 0 && (bytes[bytes.length - 1]! & ((1 << padding) - 1)) !== 0;

const refuse = (problem: string): never => {
  throw new MongoError('usage', `Invalid vector: it has ${problem}.`);
};

const whole = (elements: ArrayLike<number>, lowest: number, highest: number): void => {
  for (let i = 0; i < elements.length; i++) {
    const element = elements[i]!;
    if (!Number.isInteger(element) || element < lowest || element > highest) {
      refuse(
        `the element ${String(element)}, but elements must be integers from ${String(lowest)} to ${String(highest)}`,
      );
    }
  }
};

/**
 * Encodes a vector as a Binary of subtype 9. Elements are numbers, or bytes of eight bits each for `packedBit`.
 * @throws MongoError `usage` for elements out of range, and for a padding that does not fit.
 */
export const vectorOf = (type: VectorType, elements: ArrayLike<number>, padding = 0): Binary => {
  if (!Number.isInteger(padding) || padding < 0 || padding > 255) refuse(`the padding ${String(padding)}`);
  const width = type === 'float32' ? 4 : 1;
  const bytes = new Uint8Array(2 + elements.length * width);
  bytes[0] = vectorTypes[type];
  bytes[1] = padding;
  if (type === 'float32') {
    const numbers = new DataView(bytes.buffer);
    for (let i = 0; i < elements.length; i++) numbers.setFloat32(2 + i * 4, elements[i]!, true);
  } else {
    if (type === 'int8') whole(elements, -128, 127);
    else whole(elements, 0, 255);
    bytes.set(elements, 2);
  }
  const problem = vectorProblem(bytes);
  if (problem !== undefined) refuse(problem);
  if (unusedBits(bytes.subarray(2), padding)) refuse('unused bits that are not zero');
  return new Binary(bytes, 9);
};

/**
 * Decodes a Binary of subtype 9 and returns a copy of its elements. @throws MongoError `usage` for another subtype and
 * for invalid bytes.
 */
export const vectorIn = (binary: Binary): Vector => {
  if (binary.sub_type !== 9) refuse(`the subtype ${String(binary.sub_type)} instead of 9`);
  const bytes = binary.buffer.subarray(0, binary.position);
  const problem = vectorProblem(bytes);
  if (problem !== undefined) refuse(problem);
  const content = new Uint8Array(bytes.subarray(2));
  switch (bytes[0]) {
    case vectorTypes.int8:
      return { type: 'int8', elements: new Int8Array(content.buffer) };
    case vectorTypes.float32: {
      const elements = new Float32Array(content.length / 4);
      const numbers = new DataView(content.buffer);
      for (let i = 0; i < elements.length; i++) elements[i] = numbers.getFloat32(i * 4, true);
      return { type: 'float32', elements };
    }
    case vectorTypes.packedBit: {
      const padding = bytes[1]!;
      if (unusedBits(content, padding)) refuse('unused bits that are not zero');
      return { type: 'packedBit', elements: content, padding };
    }
    default:
      return refuse(`the unknown type ${String(bytes[0])}`);
  }
};
