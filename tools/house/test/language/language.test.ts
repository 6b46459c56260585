import { describe, expect, test } from 'vitest';
import { findingsBelow } from '../../src/language/check.js';
import { complaintsOf } from '../../src/language/rules.js';
import { proseOf, sentencesOf } from '../../src/language/sentences.js';
import { passagesOfSource } from '../../src/language/source.js';

describe('a sentence is reported', () => {
  test.each([
    ['Who is there, and how that is proved.', ['"Who": begin with a noun']],
    [
      'The pool: whoever waits longest comes first.',
      ['"whoever": begin with a noun', '"whoever": name the caller, server or user'],
    ],
    ['What lives too long is closed.', ['"What": begin with a noun']],
    ['After a failure: not again at once, and ever later.', ['"ever later": write plain English']],
    ['An option that is told to the server.', ['"told": write returns, reports, sends or sets']],
    ['The server is asked whether it is well.', ['"is asked": write sends, calls or reads']],
    ['It opens one that replaces the other.', ['"one that": use a noun']],
    [`${'word '.repeat(31)}end.`, ['32 words: split it']],
  ])('%s', (sentence, complaints) => {
    expect(complaintsOf(sentence, 'comment')).toEqual(complaints);
  });

  test('if an error message begins with a small letter or has no full stop', () => {
    expect(complaintsOf('client is closed', 'error')).toEqual([
      'an error message begins with a capital letter',
      'an error message ends with a full stop',
    ]);
  });
});

test.each(['Returns the number of idle connections.', 'What is Tessera?', 'The pool closes idle connections.'])(
  'a plain sentence is not reported: %s',
  sentence => {
    expect(complaintsOf(sentence, 'page')).toEqual([]);
  },
);

test('the sentences of a page are those of its paragraphs, headings, entries and cells, without its examples', () => {
  const page = [
    '---\n"@tessera/pool": minor\n---\n# A heading\nOne `what.ts` here. Two!\ngoes on',
    '- an [entry](who.md)\n- another',
    '```ts\nWhat();\n```',
    '| a cell | b |\n| --- | --- |',
  ].join('\n\n');
  expect(sentencesOf(proseOf(page))).toEqual([
    'A heading',
    'One Code here.',
    'Two!\ngoes on'.replace('\n', ' '),
    'an entry',
    'another',
    'a cell',
    'b',
  ]);
});

test('the passages of a source are its comments, titles and messages', () => {
  const source = [
    '/** Returns it. */',
    "const a = b / c / 2, d = /'/;",
    '// eslint-disable-next-line no-var',
    '// One line,',
    '// and the next.',
    "test.each([1])('a title of %s', () => { throw new MongoError('usage', `It took ${String({ a })} ms in all.`); });",
    "it.skip('is skipped', () => {}); const short = 'a name', long = 'a text of five words';",
  ].join('\n');
  expect(passagesOfSource(source)).toEqual([
    { place: 'comment', line: 1, text: ' Returns it. ' },
    { place: 'comment', line: 4, text: ' One line,\n and the next.' },
    { place: 'title', line: 6, text: 'a title of %s' },
    { place: 'error', line: 6, text: 'It took X ms in all.' },
    { place: 'title', line: 7, text: 'is skipped' },
    { place: 'message', line: 7, text: 'a text of five words' },
  ]);
});

test('no page, comment, title or message of the repository is reported', { timeout: 60_000 }, () => {
  expect(findingsBelow([]).map(({ file, line, sentence }) => `${file}:${line}: ${sentence}`)).toEqual([]);
});
