const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Encodes the UTF-16 code units of a text. */
export const toBase64 = (text: string): string => {
  let encoded = '';
  let bits = 0;
  let left = 0;
  for (let i = 0; i < text.length; i++) {
    bits = bits * 0x10000 + text.charCodeAt(i);
    left += 16;
    for (; left >= 6; left -= 6) {
      encoded += alphabet[Math.floor(bits / 2 ** (left - 6))]!;
      bits %= 2 ** (left - 6);
    }
  }
  if (left > 0) encoded += alphabet[bits * 2 ** (6 - left)]!;
  return encoded.padEnd(Math.ceil(encoded.length / 4) * 4, '=');
};

/** Decodes a text of {@link toBase64}. Returns undefined for any other text. */
export const fromBase64 = (encoded: string): string | undefined => {
  let text = '';
  let bits = 0;
  let left = 0;
  for (const char of encoded.replace(/={0,3}$/, '')) {
    const value = alphabet.indexOf(char);
    if (value < 0) return undefined;
    bits = bits * 64 + value;
    left += 6;
    if (left < 16) continue;
    left -= 16;
    text += String.fromCharCode(Math.floor(bits / 2 ** left));
    bits %= 2 ** left;
  }
  return text;
};
