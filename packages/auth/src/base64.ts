const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Encodes bytes as base64. Rule: RFC 4648, section 4. */
export const toBase64 = (bytes: Uint8Array): string => {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const bits = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    text += alphabet[bits >> 18]! + alphabet[(bits >> 12) & 63]!;
    text += at + 1 < bytes.length ? alphabet[(bits >> 6) & 63]! : '=';
    text += at + 2 < bytes.length ? alphabet[bits & 63]! : '=';
  }
  return text;
};

/** Decodes base64 with padding. Undefined if the text is not that. */
export const fromBase64 = (text: string): Uint8Array | undefined => {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const length = text.replace(/=+$/, '').length;
  const bytes = new Uint8Array(Math.floor((length * 3) / 4));
  let [bits, held, at] = [0, 0, 0];
  for (let i = 0; i < length; i++) {
    bits = ((bits << 6) | alphabet.indexOf(text[i]!)) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes[at++] = bits >> held;
  }
  return bytes;
};
