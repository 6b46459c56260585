import { saslprep as reference } from '@mongodb-js/saslprep';
import { describe, expect, test } from 'vitest';
import { saslprep } from '../src/saslprep.js';

const referenceOf = (text: string): string | undefined => {
  try {
    return reference(text);
  } catch {
    return undefined;
  }
};

describe('RFC 4013', () => {
  test.each([
    ['I\u00ADX', 'IX'],
    ['user', 'user'],
    ['USER', 'USER'],
    ['\u00AA', 'a'],
    ['\u2168', 'IX'],
    ['a\u3000b', 'a b'],
    ['a\u200Bb', 'a b'],
    ['\u0627\u0628', '\u0627\u0628'],
    ['', ''],
  ])('section 3: prepares %j', (text, prepared) => {
    expect(saslprep(text)).toBe(prepared);
  });

  test.each([
    ['a control character', '\u0007'],
    ['a character for private use', '\uE000'],
    ['a surrogate without its other half', '\uD800'],
    ['a code point that Unicode 3.2 does not assign', '\u0221'],
    ['a character from right to left at the start only', '\u0627\u0031'],
    ['a character from right to left at the end only', '1\u0627'],
    ['both directions', '\u0627a\u0627'],
  ])('section 2: rejects %s', (_what, text) => {
    expect(saslprep(text)).toBeUndefined();
  });

  test('the first code points and samples of all others are treated as by the package @mongodb-js/saslprep', () => {
    const differing: number[] = [];
    for (let codePoint = 0; codePoint < 0x11_0000; codePoint += codePoint < 0x2_100 ? 1 : 89) {
      const text = `\u0627${String.fromCodePoint(codePoint)}\u0627`;
      if (saslprep(text) !== referenceOf(text)) differing.push(codePoint);
    }
    expect(differing).toEqual([]);
  });
});
