/**
 * Whether the bytes are well-formed UTF-8. Rule: Unicode, table 3-7 (no overlong forms, no surrogates, nothing over
 * U+10FFFF).
 */
export const isUtf8 = (bytes: Uint8Array, start: number, end: number): boolean => {
  let at = start;
  while (at < end) {
    const lead = bytes[at++]!;
    if (lead < 0x80) continue;
    if (lead < 0xc2 || lead > 0xf4) return false;
    const more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    if (at + more > end) return false;
    const lowest = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
    const highest = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
    const second = bytes[at]!;
    if (second < lowest || second > highest) return false;
    for (let i = 1; i < more; i++) if ((bytes[at + i]! & 0xc0) !== 0x80) return false;
    at += more;
  }
  return true;
};
