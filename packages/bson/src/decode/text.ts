import { readUtf8 } from '../host.js';
import { isUtf8 } from '../utf8.js';
import { damaged } from './damaged.js';
import { bytes, memoryEnd, numbers } from './memory.js';

/** Strings of up to this many bytes are assembled here. A call into the host costs as much as three such strings. */
const short = 24;

const text = String.fromCharCode;

/** Reads a string of this many bytes, which must be valid UTF-8. */
export const readText = (p: number, length: number): string =>
  length <= short && p + short <= memoryEnd ? readShort(p, length) : readLong(p, p + length);

/** Reads a string of any length. */
const readLong = (start: number, end: number): string => {
  const string = readUtf8(bytes, start, end);
  // Only invalid bytes and U+FFFD itself decode to this character. A string of one-byte units cannot contain it.
  if (string.includes('\ufffd') && !isUtf8(bytes, start, end)) throw damaged;
  return string;
};

/** Reads a string without the UTF-8 check. Invalid bytes become U+FFFD. */
export const readKey = (p: number, length: number): string => {
  if (length > short || p + short > memoryEnd) return readUtf8(bytes, p, p + length);
  let all = 0;
  for (let i = 0; i < length; i++) all |= bytes[p + i]!;
  return all > 127 ? readUtf8(bytes, p, p + length) : readShort(p, length);
};

/**
 * Reads ASCII in 32-bit words of four characters each, and passes all characters to one call. This avoids a loop and an
 * array. Other text takes the path of longer strings.
 */
const readShort = (p: number, length: number): string => {
  const v = numbers;
  const a = v.getInt32(p, true);
  // prettier-ignore
  switch (length) {
    case 0: return '';
    case 1: { if ((a & 0x80) !== 0) break; return text(a & 255); }
    case 2: { if ((a & 0x8080) !== 0) break; return text(a & 255, a >> 8 & 255); }
    case 3: { if ((a & 0x808080) !== 0) break; return text(a & 255, a >> 8 & 255, a >> 16 & 255); }
    case 4: { if ((a & 0x80808080) !== 0) break; return text(a & 255, a >> 8 & 255, a >> 16 & 255, a >>> 24); }
    case 5: { const b = v.getInt32(p + 4, true); if (((a & 0x80808080) | (b & 0x80)) !== 0) break; return text(a & 255, a >> 8 & 255, a >> 16 & 255, a >>> 24, b & 255); }
    case 6: { const b = v.getInt32(p + 4, true); if (((a & 0x80808080) | (b & 0x8080)) !== 0) break; return text(a & 255, a >> 8 & 255, a >> 16 & 255, a >>> 24, b & 255, b >> 8 & 255); }
    case 7: { const b = v.getInt32(p + 4, true); if (((a & 0x80808080) | (b & 0x808080)) !== 0) break; return text(a & 255, a >> 8 & 255, a >> 16 & 255, a >>> 24, b & 255, b >> 8 & 255, b >> 16 & 255); }
    case 8: { const b = v.getInt32(p + 4, true); if (((a | b) & 0x80808080) !== 0) break; return text(a & 255, a >> 8 & 255, a >> 16 & 255, a >>> 24, b & 255, b >> 8 & 255, b >> 16 & 255, b >>> 24); }
    case 9: { const b = v.getInt32(p + 4, true), c = v.getInt32(p + 8, true); if ((((a | b) & 0x80808080) | (c & 0x80)) !== 0) break; return text(a & 255, a >> 8 & 255, a >> 16 & 255, a >>> 24, b & 255, b >> 8 & 255, b >> 16 & 255, b >>> 24, c & 255); }
    case 10: { const b = v.getInt32(p + 4, true), c = v.getInt32(p + 8, true); if ((((a | b) & 0x80808080) | (c & 0x8080)) !== 0) break; return text(a & 255, a >> 8 & 255, a >> 16 & 255, a >>> 24, b & 255, b >> 8 & 255, b >> 16 & 255, b >>> 24, c & 255, c >> 8 & 255); }
    case 11: { const b = v.getInt32(p + 4, true), c = v.getInt32(p + 8, true); if ((((a | b) & 0x80808080) | (c & 0x808080)) !== 0) break; return text(a & 255, a >> 8 & 255, a >> 16 & 255, a >>> 24, b & 255, b >> 8 & 255, b >> 16 & 255, b >>> 24, c & 255, c >> 8 & 255, c >> 16 & 255); }
    case 12: { const b = v.getInt32(p + 4, true), c = v.getInt32(p + 8, true); if (((a | b | c) & 0x80808080) !== 0) break; return text(a & 255, a >> 8 & 255, a >> 16 & 255, a >>> 24, b & 255, b >> 8 & 255, b >> 16 & 255, b >>> 24, c & 255, c >> 8 & 255, c >> 16 & 255, c >>> 24); }
    case 13: { const b = v.getInt32(p + 4, true), c = v.getInt32(p + 8, true), d = v.getInt32(p + 12, true); if ((((a | b | c) & 0x80808080) | (d & 0x80)) !== 0) break; return text(a & 255, a >> 8 & 255, a >> 16 & 255, a >>> 24, b & 255, b >> 8 & 255, b >> 16 & 255, b >>> 24, c & 255, c >> 8 & 255, c >> 16 & 255, c >>> 24, d & 255); }
    case 14: { const b = v.getInt32(p + 4, true), c = v.getInt32(p + 8, true), d = v.getInt32(p + 12, true); if ((((a | b | c) & 0x80808080) | (d & 0x8080)) !== 0) break; return text(a & 255, a >> 8 & 255, a >> 16 & 255, a >>> 24, b & 255, b >> 8 & 255, b >> 16 & 255, b >>> 24, c & 255, c >> 8 & 255, c >> 16 & 255, c >>> 24, d & 255, d >> 8 & 255); }
    case 15: { const b = v.getInt32(p + 4, true), c = v.getInt32(p + 8, true), d = v.getInt32(p + 12, true); if ((((a | b | c) & 0x80808080) | (d & 0x808080)) !== 0) break; return text(a & 255, a >> 8 & 255, a >> 16 & 255, a >>> 24, b & 255, b >> 8 & 255, b >> 16 & 255, b >>> 24, c & 255, c >> 8 & 255, c >> 16 & 255, c >>> 24, d & 255, d >> 8 & 255, d >> 16 & 255); }
    case 16: { const b = v.getInt32(p + 4, true), c = v.getInt32(p + 8, true), d = v.getInt32(p + 12, true); if (((a | b | c | d) & 0x80808080) !== 0) break; return text(a & 255, a >> 8 & 255, a >> 16 & 255, a >>> 24, b & 255, b >> 8 & 255, b >> 16 & 255, b >>> 24, c & 255, c >> 8 & 255, c >> 16 & 255, c >>> 24, d & 255, d >> 8 & 255, d >> 16 & 255, d >>> 24); }
    case 17: { const b = v.getInt32(p + 4, true), c = v.getInt32(p + 8, true), d = v.getInt32(p + 12, true), e = v.getInt32(p + 16, true); if ((((a | b | c | d) & 0x80808080) | (e & 0x80)) !== 0) break; return text(a & 255, a >> 8 & 255, a >> 16 & 255, a >>> 24, b & 255, b >> 8 & 255, b >> 16 & 255, b >>> 24, c & 255, c >> 8 & 255, c >> 16 & 255, c >>> 24, d & 255, d >> 8 & 255, d >> 16 & 255, d >>> 24, e & 255); }
    case 18: { const b = v.getInt32(p + 4, true), c = v.getInt32(p + 8, true), d = v.getInt32(p + 12, true), e = v.getInt32(p + 16, true); if ((((a | b | c | d) & 0x80808080) | (e & 0x8080)) !== 0) break; return text(a & 255, a >> 8 & 255, a >> 16 & 255, a >>> 24, b & 255, b >> 8 & 255, b >> 16 & 255, b >>> 24, c & 255, c >> 8 & 255, c >> 16 & 255, c >>> 24, d & 255, d >> 8 & 255, d >> 16 & 255, d >>> 24, e & 255, e >> 8 & 255); }
    case 19: { const b = v.getInt32(p + 4, true), c = v.getInt32(p + 8, true), d = v.getInt32(p + 12, true), e = v.getInt32(p + 16, true); if ((((a | b | c | d) & 0x80808080) | (e & 0x808080)) !== 0) break; return text(a & 255, a >> 8 & 255, a >> 16 & 255, a >>> 24, b & 255, b >> 8 & 255, b >> 16 & 255, b >>> 24, c & 255, c >> 8 & 255, c >> 16 & 255, c >>> 24, d & 255, d >> 8 & 255, d >> 16 & 255, d >>> 24, e & 255, e >> 8 & 255, e >> 16 & 255); }
    case 20: { const b = v.getInt32(p + 4, true), c = v.getInt32(p + 8, true), d = v.getInt32(p + 12, true), e = v.getInt32(p + 16, true); if (((a | b | c | d | e) & 0x80808080) !== 0) break; return text(a & 255, a >> 8 & 255, a >> 16 & 255, a >>> 24, b & 255, b >> 8 & 255, b >> 16 & 255, b >>> 24, c & 255, c >> 8 & 255, c >> 16 & 255, c >>> 24, d & 255, d >> 8 & 255, d >> 16 & 255, d >>> 24, e & 255, e >> 8 & 255, e >> 16 & 255, e >>> 24); }
    case 21: { const b = v.getInt32(p + 4, true), c = v.getInt32(p + 8, true), d = v.getInt32(p + 12, true), e = v.getInt32(p + 16, true), f = v.getInt32(p + 20, true); if ((((a | b | c | d | e) & 0x80808080) | (f & 0x80)) !== 0) break; return text(a & 255, a >> 8 & 255, a >> 16 & 255, a >>> 24, b & 255, b >> 8 & 255, b >> 16 & 255, b >>> 24, c & 255, c >> 8 & 255, c >> 16 & 255, c >>> 24, d & 255, d >> 8 & 255, d >> 16 & 255, d >>> 24, e & 255, e >> 8 & 255, e >> 16 & 255, e >>> 24, f & 255); }
    case 22: { const b = v.getInt32(p + 4, true), c = v.getInt32(p + 8, true), d = v.getInt32(p + 12, true), e = v.getInt32(p + 16, true), f = v.getInt32(p + 20, true); if ((((a | b | c | d | e) & 0x80808080) | (f & 0x8080)) !== 0) break; return text(a & 255, a >> 8 & 255, a >> 16 & 255, a >>> 24, b & 255, b >> 8 & 255, b >> 16 & 255, b >>> 24, c & 255, c >> 8 & 255, c >> 16 & 255, c >>> 24, d & 255, d >> 8 & 255, d >> 16 & 255, d >>> 24, e & 255, e >> 8 & 255, e >> 16 & 255, e >>> 24, f & 255, f >> 8 & 255); }
    case 23: { const b = v.getInt32(p + 4, true), c = v.getInt32(p + 8, true), d = v.getInt32(p + 12, true), e = v.getInt32(p + 16, true), f = v.getInt32(p + 20, true); if ((((a | b | c | d | e) & 0x80808080) | (f & 0x808080)) !== 0) break; return text(a & 255, a >> 8 & 255, a >> 16 & 255, a >>> 24, b & 255, b >> 8 & 255, b >> 16 & 255, b >>> 24, c & 255, c >> 8 & 255, c >> 16 & 255, c >>> 24, d & 255, d >> 8 & 255, d >> 16 & 255, d >>> 24, e & 255, e >> 8 & 255, e >> 16 & 255, e >>> 24, f & 255, f >> 8 & 255, f >> 16 & 255); }
    case 24: { const b = v.getInt32(p + 4, true), c = v.getInt32(p + 8, true), d = v.getInt32(p + 12, true), e = v.getInt32(p + 16, true), f = v.getInt32(p + 20, true); if (((a | b | c | d | e | f) & 0x80808080) !== 0) break; return text(a & 255, a >> 8 & 255, a >> 16 & 255, a >>> 24, b & 255, b >> 8 & 255, b >> 16 & 255, b >>> 24, c & 255, c >> 8 & 255, c >> 16 & 255, c >>> 24, d & 255, d >> 8 & 255, d >> 16 & 255, d >>> 24, e & 255, e >> 8 & 255, e >> 16 & 255, e >>> 24, f & 255, f >> 8 & 255, f >> 16 & 255, f >>> 24); }
  }
  return readLong(p, p + length);
};
