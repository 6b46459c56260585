/** The two classes of the web platform that this package uses; every host provides them. */
declare class TextEncoder {
  encodeInto(text: string, into: Uint8Array): { read: number; written: number };
  encode(text: string): Uint8Array;
}
declare class TextDecoder {
  constructor(label: string, options: { ignoreBOM: boolean });
  decode(bytes: Uint8Array): string;
}

const encoder = new TextEncoder();
// ignoreBOM: a byte order mark is part of the text.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The length up to which ASCII is decoded faster here than by TextDecoder. */
const shortest = 32;

const isAscii = (bytes: Uint8Array, start: number, end: number): boolean => {
  for (let i = start; i < end; i++) if (bytes[i]! > 0x7f) return false;
  return true;
};

/** Converts up to eight bytes per call of fromCharCode, because each concatenation creates a string. */
const readAscii = (b: Uint8Array, start: number, end: number): string => {
  let text = '';
  let i = start;
  for (; i + 8 <= end; i += 8) {
    text += String.fromCharCode(b[i]!, b[i + 1]!, b[i + 2]!, b[i + 3]!, b[i + 4]!, b[i + 5]!, b[i + 6]!, b[i + 7]!);
  }
  if (i + 4 <= end) {
    text += String.fromCharCode(b[i]!, b[i + 1]!, b[i + 2]!, b[i + 3]!);
    i += 4;
  }
  switch (end - i) {
    case 1:
      return text + String.fromCharCode(b[i]!);
    case 2:
      return text + String.fromCharCode(b[i]!, b[i + 1]!);
    case 3:
      return text + String.fromCharCode(b[i]!, b[i + 1]!, b[i + 2]!);
    default:
      return text;
  }
};

/** Decodes UTF-8; malformed bytes become U+FFFD. */
export const readUtf8 = (bytes: Uint8Array, start: number, end: number): string =>
  end - start <= shortest && isAscii(bytes, start, end)
    ? readAscii(bytes, start, end)
    : decoder.decode(bytes.subarray(start, end));

/** The number of cached names, a power of two. */
const places = 1024;
const names: (string | undefined)[] = Array.from({ length: places }, () => undefined);

const isName = (name: string, bytes: Uint8Array, start: number): boolean => {
  for (let i = 0; i < name.length; i++) if (name.charCodeAt(i) !== bytes[start + i]) return false;
  return true;
};

/** Decodes UTF-8 as {@link readUtf8}, for field names. Names repeat often, so the last name of each hash is cached. */
export const readName = (bytes: Uint8Array, start: number, end: number): string => {
  if (end - start > shortest) return readUtf8(bytes, start, end);
  let hash = 0;
  for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + bytes[i]!) | 0;
  const place = (hash ^ (hash >>> 10)) & (places - 1);
  const known = names[place];
  // A name with non-ASCII characters has fewer code units than bytes, so it never matches.
  if (known?.length === end - start && isName(known, bytes, start)) return known;
  const name = readUtf8(bytes, start, end);
  names[place] = name;
  return name;
};

/**
 * Encodes a string at an offset and returns the number of bytes written. The caller must reserve 3 bytes per code unit.
 */
export const writeUtf8 = (text: string, into: Uint8Array, at: number): number => {
  const length = text.length;
  if (length <= shortest) {
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i);
      if (unit > 0x7f) return encoder.encodeInto(text, into.subarray(at)).written;
      into[at + i] = unit;
    }
    return length;
  }
  return encoder.encodeInto(text, into.subarray(at)).written;
};

export const utf8 = (text: string): Uint8Array => encoder.encode(text);
