import { describe, expect, test } from 'vitest';
import { createCollation } from '../../src/value/collation.js';
import { d } from '../shorthand.js';

/** Returns the texts in the order of the collation, with equal texts grouped. */
const groups = (spec: Parameters<typeof d>[0], ...texts: readonly string[]): readonly (readonly string[])[] => {
  const { compare, key } = createCollation(d(spec))!;
  const found: string[][] = [];
  for (const text of [...texts].sort(compare)) {
    const last = found.at(-1);
    if (last !== undefined && compare(last[0]!, text) === 0) last.push(text);
    else found.push([text]);
    // Equal texts have the same key.
    expect(texts.filter(other => key(other) === key(text))).toEqual(texts.filter(other => compare(other, text) === 0));
  }
  return found;
};

describe('Collation, "strength"', () => {
  const punctuated = ['a-b', 'ab', 'aB', 'a b', 'a.b', 'ac'];

  test('3 with alternate "shifted" ignores punctuation', () => {
    expect(groups({ locale: 'en', strength: 3, alternate: 'shifted' }, ...punctuated)).toEqual([
      ['a-b', 'ab', 'a b', 'a.b'],
      ['aB'],
      ['ac'],
    ]);
  });

  test('4 with alternate "shifted" compares punctuation if nothing else differs', () => {
    expect(groups({ locale: 'en', strength: 4, alternate: 'shifted' }, ...punctuated)).toEqual(
      ['a b', 'a-b', 'a.b', 'ab', 'aB', 'ac'].map(text => [text]),
    );
  });

  test('4 equals 3 if punctuation is not ignored', () => {
    const [three, four] = [3, 4].map(strength => groups({ locale: 'en', strength }, ...punctuated, 'é', 'e\u0301'));
    expect(four).toEqual(three);
    expect(four!.at(-1)).toEqual(['é', 'e\u0301']);
  });

  test('4 distinguishes the scripts of Japanese', () => {
    const texts = ['ア', 'あ', 'い'];
    expect(groups({ locale: 'ja', strength: 3 }, ...texts)).toEqual([['ア', 'あ'], ['い']]);
    expect(groups({ locale: 'ja', strength: 4 }, ...texts)).toEqual([['あ'], ['ア'], ['い']]);
  });

  test('5 compares code points of the decomposed text if all else is equal', () => {
    const texts = ['a\u0001', 'a', 'é', 'e\u0301', '\u{1d400}', 'A'];
    expect(groups({ locale: 'en', strength: 3 }, 'a\u0001', 'a')).toEqual([['a\u0001', 'a']]);
    expect(groups({ locale: 'en', strength: 5 }, ...texts)).toEqual([
      ['a'],
      ['a\u0001'],
      ['A'],
      ['\u{1d400}'],
      ['é', 'e\u0301'],
    ]);
  });

  test('5 includes the comparisons of 4', () => {
    expect(groups({ locale: 'en', strength: 5, alternate: 'shifted' }, ...punctuated)).toEqual(
      groups({ locale: 'en', strength: 4, alternate: 'shifted' }, ...punctuated),
    );
  });
});
