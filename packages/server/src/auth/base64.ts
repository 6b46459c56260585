const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const values: ReadonlyMap<string, number> = new Map(Array.from(alphabet, (letter, value) => [letter, value]));

export const toBase64 = (bytes: Uint8Array): string => {
  const letters: string[] = [];
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    for (let i = 0; i < 4; i++) letters.push(i > left ? '=' : alphabet[(group >> (18 - 6 * i)) & 63]!);
  }
  return letters.join('');
};

/** Returns the decoded bytes, or undefined if the text is not base64. */
export const fromBase64 = (text: string): Uint8Array | undefined => {
  const digits = Array.from(text.replace(/={1,2}$/, ''), letter => values.get(letter));
  if (text.length % 4 !== 0 || digits.includes(undefined)) return undefined;
  return Uint8Array.from({ length: Math.floor((digits.length * 6) / 8) }, (_, i) => {
    const bit = i * 8;
    const [high, low] = [digits[Math.floor(bit / 6)]!, digits[Math.floor(bit / 6) + 1] ?? 0];
    return ((((high << 6) | low) >> (4 - (bit % 6))) & 0xff) >>> 0;
  });
};
