import { describe, expect, test } from 'vitest';
import { differences } from '../../src/docs/prose/compare.js';
import { proseFaults, unknownProse, withoutFault } from '../../src/docs/prose/faults.js';
import { complaints, prosePage } from '../../src/docs/prose/page.js';
import { readCatalogue, readProse } from '../../src/docs/prose/read.js';
import { proseCovers, strayTitles } from '../../src/docs/prose/tests.js';
import { coversIn, strayIn } from '../../src/docs/prose/titles.js';
import { textOf } from '../../src/docs/repository.js';

const { catalogue, headings: headingLists } = readCatalogue();
const covers = proseCovers();
const faults = await proseFaults();

test('docs/prose-tests.md is up to date (`npm run docs`)', () => {
  const plain = (page: string): string[] => page.split('\n').map(line => line.replace(/[ -]+/g, ' '));
  const written = prosePage({ catalogue, headings: headingLists, covers, faults });
  expect(plain(textOf('docs/prose-tests.md'))).toEqual(plain(written));
});

test('every prose test has a test or a reason, and every title names a prose test of the catalogue', () => {
  expect(complaints(catalogue, covers)).toEqual([]);
});

test('every heading of a prose test has a row, and every row has a heading', () => {
  expect(differences(catalogue, headingLists)).toEqual([]);
});

test('every prose test that a fault names is in the catalogue', () => {
  expect(unknownProse(catalogue, faults)).toEqual([]);
});

test('every covered prose test has a planted fault', () => {
  expect(withoutFault(catalogue, covers, faults)).toEqual([]);
});

test('every title that mentions a prose test has the form that the page finds', () => {
  expect(strayTitles()).toEqual([]);
});

test('every number occurs once in its catalogue', () => {
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

  test('that mentions a prose test in another form is reported', () => {
    const text =
      "test('Some Rules, prose test 1: so', …);\ntest('prose 3.1: otherwise', …);\ntest('prose tests 2', …);";
    expect(strayIn('a.test.ts', text)).toEqual(["a.test.ts: 'prose 3", "a.test.ts: 'prose tests 2"]);
  });
});

const commit = '0123456789012345678901234567890123456789';
const { catalogue: rules, headings } = readProse(`# Some Rules
note: Note.

source: rules.md, commit ${commit}
1 One
2 Two | too

source: rules.md, pull request 7; proposed
3 Three

tests:
1 First
2 Second
3 Third
reason 2: Cannot be.
note 3: Otherwise.
`);

test('readProse returns headings with their sources, and tests with reasons and notes', () => {
  const source = { specification: 'Some Rules', path: 'rules.md' };
  expect({ rules, headings }).toEqual({
    rules: [
      {
        name: 'Some Rules',
        note: 'Note.',
        tests: [
          { number: '1', title: 'First', reason: undefined, note: undefined },
          { number: '2', title: 'Second', reason: 'Cannot be.', note: undefined },
          { number: '3', title: 'Third', reason: undefined, note: 'Otherwise.' },
        ],
      },
    ],
    headings: [
      {
        ...{ ...source, revision: { commit }, remark: '' },
        headings: [
          ['1', 'One'],
          ['2', 'Two | too'],
        ],
      },
      { ...source, revision: { pullRequest: 7 }, remark: 'proposed', headings: [['3', 'Three']] },
    ],
  });
});

test.each([
  ['# A\n\nsource: rules.md', '"source: rules.md" must name a file and a revision.'],
  ['# A\n\ntests:\n1', '"1" must be a number and a text.'],
])('readProse throws for an invalid line: %j', (text, message) => {
  expect(() => readProse(text)).toThrow(message);
});

const cover = (specification: string, ...numbers: readonly string[]) => ({
  ...{ specification, numbers, sentence: 'a | `b`', file: 'a.test.ts' },
});
const fault = (title: string, ...prose: readonly string[]) => ({ title, prose });

describe('the page', () => {
  test('lists every prose test with its heading, its tests or a reason, and its faults', () => {
    const page = prosePage({
      ...{
        catalogue: rules,
        headings,
        faults: [fault('a `fault`', 'Some Rules 1'), fault('another', 'Some Rules 3')],
      },
      covers: [cover('Some Rules', '1', '3'), cover('Some Rules', '1')],
    });
    const link = "`a \\| 'b'` in [a.test.ts](../a.test.ts)";
    const repository = 'https://github.com/mongodb/specifications';
    expect(page.slice(page.indexOf('| Some Rules'))).toBe(
      [
        '| Some Rules | 3 | 2 | 2 | 1 |',
        '',
        '## Some Rules',
        '',
        `- a: [rules.md](${repository}/blob/${commit}/source/rules.md), commit 0123456`,
        `- b: [rules.md](${repository}/pull/7), pull request 7; proposed`,
        '',
        'Note.',
        '',
        '|  | prose test | source and heading | test, or reason for no test | detects |',
        '| --- | --- | --- | --- | --- |',
        `| 1 | First | a: One | ${link}<br>${link} | \`a 'fault'\` |`,
        '| 2 | Second | a: Two \\| too | Cannot be. |  |',
        `| 3 | Third | b: Three | ${link}<br>Otherwise. | \`another\` |`,
        '',
      ].join('\n'),
    );
  });

  test('complaints reports rows without a test or a reason, rows with both, and unknown rows', () => {
    expect(complaints(rules, [cover('Some Rules', '2', '9'), cover('Others', '1')])).toEqual([
      'a.test.ts: Some Rules has no prose test 9 ("a | `b`").',
      'a.test.ts: the catalogue has no specification "Others" ("a | `b`").',
      'Some Rules, prose test 1 has neither a test nor a reason why there is none.',
      'Some Rules, prose test 2 has a test, and a reason why there is none.',
      'Some Rules, prose test 3 has neither a test nor a reason why there is none.',
    ]);
  });
});

test('differences reports headings without a row, rows without a heading, repeated headings and missing lists', () => {
  expect(differences(rules, headings)).toEqual([]);
  const others = { name: 'Others', note: '', tests: [] };
  const { headings: wrong } = readProse(
    `# Some Rules\n\nsource: rules.md, commit ${commit}\n1 One\n3 Three\n4 Four\n1 One\n`,
  );
  expect(differences([...rules, others], wrong)).toEqual([
    'The prose test "Some Rules 4" has no row in the catalogue.',
    'The row "Some Rules 2" has no heading in a specification.',
    'The heading "Some Rules 1" is listed twice.',
    'The specification "Others" has no list of headings.',
  ]);
});

test('reports faults that name unknown prose tests, and covered prose tests without a fault', () => {
  const planted = [fault('a fault', 'Some Rules 1', 'Some Rules 9', 'Others 1')];
  expect(unknownProse(rules, planted)).toEqual([
    'The fault "a fault" names "Some Rules 9", which is not in the catalogue.',
    'The fault "a fault" names "Others 1", which is not in the catalogue.',
  ]);
  expect(withoutFault(rules, [cover('Some Rules', '1', '3')], planted)).toEqual(['Some Rules 3']);
});
