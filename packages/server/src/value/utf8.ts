/** The two classes of the web platform that this package uses; every host has them. */
declare class TextEncoder {
  encodeInto(text: string, into: Uint8Array): { read: number; written: number };
  encode(text: string): Uint8Array;
}
declare class TextDecoder {
  constructor(label: string, options: { ignoreBOM: boolean });
  decode(bytes: Uint8Array): string;
}

const encoder = new TextEncoder();
// ignoreBOM: a byte order mark is data here, not decoration.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Short ASCII is cheaper to read by hand than to hand to the decoder. */
const shortest = 24;

/** UTF-8 to a string; malformed bytes become U+FFFD. */
export const readUtf8 = (bytes: Uint8Array, start: number, end: number): string => {
  if (end - start <= shortest) {
    let text = '';
    for (let i = start; i < end; i++) {
      const byte = bytes[i]!;
      if (byte > 0x7f) return decoder.decode(bytes.subarray(start, end));
      text += String.fromCharCode(byte);
    }
    return text;
  }
  return decoder.decode(bytes.subarray(start, end));
};

/** Writes the string at an offset and returns how many bytes it took. The caller has seen to 3 bytes per code unit of room. */
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
