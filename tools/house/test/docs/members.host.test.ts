import { optionTable } from '@tessera/uri';
import { describe, expect, test } from 'vitest';
import { exampleFile, typeErrors, writeExample } from '../../src/docs/examples.js';
import { declaredBy } from '../../src/docs/members.js';
import { optionsPage } from '../../src/docs/options.js';
import { textOf } from '../../src/docs/repository.js';

const declared = declaredBy(['client', 'mongodb']);

test('every export of client and mongodb, and every member of their classes and types, has a doc comment', () => {
  expect(declared.length).toBeGreaterThan(1500);
  expect(declared.filter(({ text }) => text === '').map(({ name, folder }) => `${folder}: ${name}`)).toEqual([]);
});

describe('every method has an example:', () => {
  const classes = [
    ...['MongoClient', 'Db', 'Collection', 'IndexedCollection', 'Admin', 'ClientSession', 'ChangeStream'],
    ...['AbstractCursor', 'ExplainableCursor', 'FindCursor', 'AggregationCursor', 'ListCollectionsCursor'],
    ...['ListIndexesCursor', 'RunCommandCursor', 'GridFSBucket', 'BulkOperationBase', 'FindOperators'],
  ];
  /** Methods that only the driver calls, or that only throw. Conversions to text need no example, either. */
  const excepted = [
    ...['AbstractCursor.opening', 'AbstractCursor.set', 'AbstractCursor.settle'],
    ...['AggregationCursor.command', 'AggregationCursor.opening', 'ExplainableCursor.command'],
    ...['ExplainableCursor.openCommand', 'FindCursor.command', 'FindCursor.opening', 'ListCollectionsCursor.opening'],
    ...['ListIndexesCursor.opening', 'RunCommandCursor.opening', 'ChangeStream.add', 'ClientSession.use'],
    ...['ClientSession.sharedDeadline', 'ClientSession.incrementTransactionNumber', 'ClientSession.equals'],
    ...['addCursorFlag', 'batchSize', 'clone', 'maxTimeMS', 'withReadConcern'].map(name => `RunCommandCursor.${name}`),
  ];

  test.each(classes)('%s', owner => {
    const methods = declared.filter(({ name, isMethod }) => isMethod && name.startsWith(`${owner}.`));
    const names = new Set(
      methods
        .map(({ name }) => name)
        .filter(name => !excepted.includes(name) && !/\.to(?:JSON|BSON|String)$/.test(name)),
    );
    const shown = new Set(methods.filter(({ examples }) => examples.length > 0).map(({ name }) => name));
    expect(names.size).toBeGreaterThan(0);
    expect([...names].filter(name => !shown.has(name))).toEqual([]);
  });
});

test('the examples in doc comments type-check', { timeout: 60_000 }, () => {
  const examples = declared.flatMap(({ name, folder, examples: each }) =>
    each.map(code => ({ name: `${folder}: ${name}`, code })),
  );
  expect(examples.length).toBeGreaterThan(150);
  expect(typeErrors([writeExample('doc-comments', exampleFile(examples)).typescript])).toEqual([]);
});

test('docs/options.md is up to date (`npm run docs`)', () => {
  const plain = (page: string): string[] => page.split('\n').map(line => line.replace(/[ -]+/g, ' '));
  expect(plain(textOf('docs/options.md'))).toEqual(plain(optionsPage(optionTable, declared)));
});

test('optionsPage lists the description, value, default, unit and place of an option', () => {
  const option = { name: 'pauseMS', type: { expects: 'a whole number from 1 to 2147483647' }, rule: 'driver' };
  const text = 'The pause in milliseconds. Default: 5.';
  const comment = { name: 'MongoClientOptions.pauseMS', folder: 'client', isMethod: false, text, examples: [] };
  const other = { ...option, name: 'pause', renamed: 'pauseMS', code: true } as const;
  expect(optionsPage([option, other], [comment]).split('\n').slice(-3)).toEqual([
    '| `pauseMS` | The pause in milliseconds. | a whole number from 1 | 5 | milliseconds | code, string | driver |',
    '| `pause` | Another name of `pauseMS`. | a whole number from 1 |  |  | code | driver |',
    '',
  ]);
});
