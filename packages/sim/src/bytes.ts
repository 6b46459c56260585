/** BSON built by hand, so that a codec is not tested with its own output. Rule: bsonspec.org, version 1.1. */

export const ascii = (text: string): number[] => Array.from(text, character => character.charCodeAt(0));
export const int32 = (value: number): number[] => [0, 8, 16, 24].map(shift => (value >> shift) & 255);
export const int64 = (value: bigint): number[] =>
  Array.from({ length: 8 }, (_, byte) => Number((value >> BigInt(8 * byte)) & 255n));
export const double = (value: number): number[] => {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value, true);
  return [...bytes];
};
export const cstring = (text: string): number[] => [...ascii(text), 0];
export const string = (text: string): number[] => [...int32(text.length + 1), ...cstring(text)];

/** Returns one element: its type, its key, its value. */
export const element = (type: number, key: string, value: readonly number[]): number[] => [
  type,
  ...cstring(key),
  ...value,
];

export const document = (...elements: readonly (readonly number[])[]): number[] => {
  const body = elements.flat();
  return [...int32(body.length + 5), ...body, 0];
};

/** Twelve bytes of an ObjectId, and their hexadecimal form. */
export const idBytes: readonly number[] = Array.from({ length: 12 }, (_, index) => index * 16 + 1);
export const idHex: string = idBytes.map(byte => byte.toString(16).padStart(2, '0')).join('');
