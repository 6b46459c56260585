import type { TextFolding } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { createTextAnalysis } from '@tessera/text';

const analysis = createTextAnalysis();
const plain: TextFolding = { caseSensitive: false, diacriticSensitive: false };
const cased: TextFolding = { caseSensitive: true, diacriticSensitive: false };
const marked: TextFolding = { caseSensitive: false, diacriticSensitive: true };
const both: TextFolding = { caseSensitive: true, diacriticSensitive: true };

const termsOf = (text: string, language = 'none', folding = plain, version = 3): readonly string[] =>
  analysis.analyzer(language, version).terms(text, folding, 'without stop words');

describe('words', () => {
  test.each([
    ['separates words at white space, dashes and punctuation', 'a-b c.d\te\u00a0f—g«h»i・j\u00adk', 'abcdefghijk'],
    ['keeps underscores and digits', 'a_1 b2', ['a_1', 'b2']],
    ['separates words at apostrophes', "l'eau", ['l', 'eau']],
    ['splits no characters outside of the basic plane', '𝒜𝒷', ['𝒜𝒷']],
    ['finds no words in separators', ' - "" ', []],
  ])('%s', (_title, text, expected) => {
    expect(termsOf(text)).toEqual([...expected]);
  });

  test('an apostrophe is part of an English word', () => {
    expect(termsOf("rock'n'roll dogs'", 'english')).toEqual(["rock'n'rol", 'dog']);
  });
});

describe('case and diacritics', () => {
  test.each([
    ['folds both by default', 'Éa ÅNG ſ ς', plain, ['ea', 'ang', 's', 'σ']],
    ['keeps the case on request', 'Éa', cased, ['Ea']],
    ['keeps the diacritics on request', 'Éa ŉ ẞ', marked, ['éa', 'ŉ', 'ß']],
    ['keeps both on request', 'Éa', both, ['Éa']],
    ['folds no characters whose fold has several characters', 'İ', marked, ['İ']],
    ['keeps a character whose base has several characters', 'ﬁ', plain, ['ﬁ']],
    ['removes combining diacritics', 'e\u0301', plain, ['e']],
  ] as const)('%s', (_title, text, folding, expected) => {
    expect(termsOf(text, 'none', folding)).toEqual(expected);
  });

  test('Turkish distinguishes the dotted from the dotless i', () => {
    expect(termsOf('I İ', 'turkish', marked)).toEqual(['ı', 'i']);
    expect(termsOf('I İ', 'none', marked)).toEqual(['i', 'İ']);
  });

  test('a word is stemmed before its diacritics are removed', () => {
    expect(termsOf('canción', 'spanish')).toEqual(['cancion']);
    expect(termsOf('canciones', 'spanish')).toEqual(['cancion']);
    expect(termsOf('Canciones', 'spanish', cased)).toEqual(['Cancion']);
  });

  test('a word with another case than a stop word is one, with another diacritic it is not', () => {
    expect(termsOf('Él el EL', 'spanish', cased)).toEqual([]);
    expect(termsOf('à À ã', 'portuguese')).toEqual(['a']);
  });

  test('stop words are kept on request', () => {
    expect(analysis.analyzer('en', 3).terms('the dogs', plain, 'with stop words')).toEqual(['the', 'dog']);
  });
});

describe('phrases', () => {
  const contains = (text: string, phrase: string, folding = plain, language = 'none', version = 3): boolean =>
    analysis.analyzer(language, version).contains(text, phrase, folding);

  test('are compared character by character, without case and diacritics unless requested', () => {
    expect(contains('Café au lait', 'CAFE AU')).toBe(true);
    expect(contains('Café au lait', 'fé  au')).toBe(false);
    expect(contains('Café', 'café', cased)).toBe(false);
    expect(contains('Café', 'Cafe', cased)).toBe(true);
    expect(contains('Café', 'cafe', marked)).toBe(false);
    expect(contains('Café', 'café', marked)).toBe(true);
  });

  test('always ignore the case in Turkish', () => {
    expect(contains('ILIK', 'ılık', cased, 'turkish')).toBe(true);
    expect(contains('ILIK', 'ilik', cased, 'turkish')).toBe(false);
  });
});

describe('text indexes before version 3', () => {
  test('separate words at ASCII characters, and fold ASCII letters', () => {
    expect(termsOf("a—b C.d l'eau É", 'none', plain, 2)).toEqual(['a—b', 'c', 'd', 'l', 'eau', 'É']);
    expect(termsOf("don't Dogs", 'english', cased, 2)).toEqual(['Dog']);
    expect(analysis.analyzer('en', 1).terms('The `dogs`', plain, 'with stop words')).toEqual(['the', 'dog']);
  });

  test('compare phrases without folding other letters', () => {
    const { contains } = analysis.analyzer('none', 2);
    expect([contains('ÉA', 'Éa', plain), contains('éa', 'Éa', plain), contains('Éa', 'ÉA', cased)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('scores', () => {
  const scoresOf = (...texts: readonly (readonly [text: string, weight: number])[]): Record<string, number> => {
    const scores = new Map<string, number>();
    for (const [text, weight] of texts) analysis.analyzer('en', 3).addScores(text, weight, scores);
    return Object.fromEntries(scores);
  };

  test('depend on the occurrences of the term and the number of terms in the text', () => {
    expect(scoresOf(['the cat and the dog', 1])).toEqual({ cat: 0.75, dog: 0.75 });
    expect(scoresOf(['cat cat cat dog', 1])).toEqual({ cat: 1.75 * 0.875, dog: 0.625 });
  });

  test('are multiplied by the weight, and summed over the texts', () => {
    expect(scoresOf(['cat dog', 4], ['dog bird', 2])).toEqual({ cat: 3, dog: 4.5, bird: 1.5 });
  });

  test('are higher for a term that is the whole text', () => {
    expect(scoresOf(['Cat', 1])).toEqual({ cat: 1.1 });
    expect(scoresOf(['cats', 1])).toEqual({ cat: 1 });
  });

  test('a text without terms has none', () => {
    expect(scoresOf(['the', 1])).toEqual({});
  });
});
