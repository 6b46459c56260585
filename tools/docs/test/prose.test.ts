import { describe, expect, test } from 'vitest';
import { catalogue } from '../src/prose/catalogue.js';
import { complaints, prosePage } from '../src/prose/page.js';
import { specification } from '../src/prose/specification.js';
import { proseCovers, strayTitles } from '../src/prose/tests.js';
import { coversIn, strayIn } from '../src/prose/titles.js';
import { textOf } from '../src/repository.js';

const covers = proseCovers();

test('docs/prose-tests.md is the one that `npm run docs` writes', () => {
  const plain = (page: string): string[] => page.split('\n').map(line => line.replace(/[ -]+/g, ' '));
  expect(plain(textOf('docs/prose-tests.md'))).toEqual(plain(prosePage(catalogue, covers)));
});

test('every prose test has a test or a reason, and no title names one that there is not', () => {
  expect(complaints(catalogue, covers)).toEqual([]);
});

test('no title speaks of a prose test in another form', () => {
  expect(strayTitles()).toEqual([]);
});

test('no number comes twice in a catalogue', () => {
  const names = catalogue.flatMap(({ name, tests }) => tests.map(({ number }) => `${name} ${number}`));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

describe('a title', () => {
  test('names its specification, its numbers and its sentence', () => {
    const text = [
      "test('Some Rules, prose test 1.2: it isn\\'t so', …);",
      'test.each([`MONGODB-X, prose tests 1, H2 and 4 to 6: ${name} "is"`]);',
      "test('Some Rules: no prose here', …);",
    ].join('\n');
    expect(coversIn('a.test.ts', text)).toEqual([
      { specification: 'Some Rules', numbers: ['1.2'], sentence: "it isn't so", file: 'a.test.ts' },
      { specification: 'MONGODB-X', numbers: ['1', 'H2', '4', '5', '6'], sentence: '… "is"', file: 'a.test.ts' },
    ]);
  });

  test('that names a prose test otherwise is not found, and is told', () => {
    const text =
      "test('Some Rules, prose test 1: so', …);\ntest('prose 3.1: otherwise', …);\ntest('prose tests 2', …);";
    expect(strayIn('a.test.ts', text)).toEqual(["a.test.ts: 'prose 3", "a.test.ts: 'prose tests 2"]);
  });
});

describe('the page', () => {
  const rules = specification('Some Rules', ['rules.md'], 'Note.', [
    ['1', 'First'],
    ['2', 'Second', 'Cannot be.'],
    ['3', 'Third'],
  ]);
  const cover = (specification: string, ...numbers: readonly string[]) => ({
    ...{ specification, numbers, sentence: 'a | `b`', file: 'a.test.ts' },
  });

  test('lists every prose test with its tests, or with the reason why there is none', () => {
    const page = prosePage([rules], [cover('Some Rules', '1', '3'), cover('Some Rules', '1')]);
    const link = "`a \\| 'b'` in [a.test.ts](../a.test.ts)";
    expect(page.slice(page.indexOf('| Some Rules'))).toBe(
      [
        '| Some Rules | 3 | 2 | 1 |',
        '',
        '## Some Rules',
        '',
        'From `rules.md`. Note.',
        '',
        '| | prose test | test, or why there is none |',
        '| --- | --- | --- |',
        `| 1 | First | ${link}<br>${link} |`,
        '| 2 | Second | Cannot be. |',
        `| 3 | Third | ${link} |`,
        '',
      ].join('\n'),
    );
  });

  test('is complained of when something is missing, unknown, or both tested and excused', () => {
    expect(complaints([rules], [cover('Some Rules', '2', '9'), cover('Others', '1')])).toEqual([
      'a.test.ts: Some Rules has no prose test 9 ("a | `b`").',
      'a.test.ts: there is no catalogue of "Others" ("a | `b`").',
      'Some Rules, prose test 1 has neither a test nor a reason why there is none.',
      'Some Rules, prose test 2 has a test, and a reason why there is none.',
      'Some Rules, prose test 3 has neither a test nor a reason why there is none.',
    ]);
  });
});
