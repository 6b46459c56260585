const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

const wellFormed = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Encodes bytes as base64 with padding. Rule: RFC 4648, section 4. */
export const toBase64 = (bytes: Uint8Array): string => {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const group = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    text += alphabet.charAt(group >>> 18) + alphabet.charAt((group >>> 12) & 63);
    text += i + 1 < bytes.length ? alphabet.charAt((group >>> 6) & 63) : '=';
    text += i + 2 < bytes.length ? alphabet.charAt(group & 63) : '=';
  }
  return text;
};

/** Decodes base64 with padding. Undefined if the text is not that. */
export const fromBase64 = (text: string): Uint8Array | undefined => {
  if (!wellFormed.test(text)) return undefined;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  for (let i = 0, at = 0; i < text.length; i += 4, at += 3) {
    let group = 0;
    for (let j = 0; j < 4; j++) group = (group << 6) | Math.max(0, alphabet.indexOf(text.charAt(i + j)));
    bytes[at] = group >>> 16;
    if (at + 1 < bytes.length) bytes[at + 1] = group >>> 8;
    if (at + 2 < bytes.length) bytes[at + 2] = group;
  }
  return bytes;
};
