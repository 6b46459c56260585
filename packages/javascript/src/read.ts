/** The two classes of the web platform that this package uses; every host provides them. */
declare class TextEncoder {
  encode(text: string): Uint8Array;
}
declare class TextDecoder {
  constructor(label: string, options: { ignoreBOM: boolean });
  decode(bytes: Uint8Array): string;
}

const encoder = new TextEncoder();
// ignoreBOM: a byte order mark is part of the text.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export const utf8 = (text: string): Uint8Array => encoder.encode(text);

export const readInt32 = (bytes: Uint8Array, at: number): number =>
  bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);

export const readUint32 = (bytes: Uint8Array, at: number): number => readInt32(bytes, at) >>> 0;

export const readInt64 = (bytes: Uint8Array, at: number): bigint =>
  (BigInt(readInt32(bytes, at + 4)) << 32n) | BigInt(readUint32(bytes, at));

const scratch = new DataView(new ArrayBuffer(8));

export const readFloat64 = (bytes: Uint8Array, at: number): number => {
  for (let i = 0; i < 8; i++) scratch.setUint8(i, bytes[at + i]!);
  return scratch.getFloat64(0, true);
};

/** Returns the offset of the NUL that ends the name at the offset. */
export const endOfName = (bytes: Uint8Array, at: number): number => {
  while (bytes[at] !== 0) at++;
  return at;
};

/** The length up to which a loop is faster than the decoder. */
const short = 24;

export const readText = (bytes: Uint8Array, start: number, end: number): string => {
  if (end - start > short) return decoder.decode(bytes.subarray(start, end));
  let text = '';
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!;
    if (byte > 0x7f) return decoder.decode(bytes.subarray(start, end));
    text += String.fromCharCode(byte);
  }
  return text;
};

/** Reads a string with its length. */
export const readString = (bytes: Uint8Array, at: number): string =>
  readText(bytes, at + 4, at + 3 + readInt32(bytes, at));

const digits: readonly string[] = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));

export const readHex = (bytes: Uint8Array, start: number, end: number): string => {
  let text = '';
  for (let i = start; i < end; i++) text += digits[bytes[i]!]!;
  return text;
};

/** Returns the length in bytes of the value at the offset. */
export const valueLength = (type: number, bytes: Uint8Array, at: number): number => {
  switch (type) {
    case 1:
    case 9:
    case 17:
    case 18:
      return 8;
    case 2:
    case 13:
    case 14:
      return 4 + readInt32(bytes, at);
    case 3:
    case 4:
    case 15:
      return readInt32(bytes, at);
    case 5:
      return 5 + readInt32(bytes, at);
    case 7:
      return 12;
    case 8:
      return 1;
    case 11:
      return endOfName(bytes, endOfName(bytes, at) + 1) + 1 - at;
    case 12:
      return 4 + readInt32(bytes, at) + 12;
    case 16:
      return 4;
    case 19:
      return 16;
    default:
      return 0;
  }
};

/** A value in the bytes of a document. */
export interface Element {
  readonly type: number;
  readonly bytes: Uint8Array;
  /** The offset of the value. */
  readonly at: number;
  /** The offset after the value. */
  readonly end: number;
}

/** Calls the function for each field of the document at the offset. */
export const eachElement = (bytes: Uint8Array, at: number, each: (name: string, element: Element) => void): void => {
  const last = at + readInt32(bytes, at) - 1;
  for (let i = at + 4; i < last;) {
    const type = bytes[i]!;
    const name = endOfName(bytes, i + 1);
    const end = name + 1 + valueLength(type, bytes, name + 1);
    each(readText(bytes, i + 1, name), { type, bytes, at: name + 1, end });
    i = end;
  }
};
