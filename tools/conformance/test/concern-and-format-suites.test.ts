import { describe, expect, test } from 'vitest';
import type { Result, Suite } from '../src/index.js';
import { suites } from '../src/index.js';
import { noSchemas } from '../src/skips.js';
import { readText } from '../src/fixtures.js';

const judged = async (suite: string, json: unknown, name = 'made-up.json'): Promise<readonly Result[]> =>
  (suites[suite] as Suite)([{ name, json }]);

const outcomes = async (suite: string, json: unknown, name?: string): Promise<readonly string[]> =>
  (await judged(suite, json, name)).map(({ outcome }) => outcome);

describe('read-write-concern tells right from wrong', () => {
  const connection = { description: '', uri: 'mongodb://h/?w=1&readConcernLevel=local', valid: true, warning: false };
  const document = {
    description: '',
    valid: true,
    writeConcern: { w: 0, wtimeoutMS: 5 },
    writeConcernDocument: { w: 0, wtimeout: 5 },
    isServerDefault: false,
    isAcknowledged: false,
  };
  const reading = {
    description: '',
    valid: true,
    readConcern: { level: 'majority' },
    readConcernDocument: { level: 'majority' },
    isServerDefault: false,
  };
  test.each([
    ['a document of a read concern', reading, { ...reading, readConcernDocument: {} }],
    [
      'a default read concern',
      { ...reading, readConcern: {}, readConcernDocument: {}, isServerDefault: true },
      { ...reading, isServerDefault: true },
    ],
    ['a write concern', { ...connection, writeConcern: { w: 1 } }, { ...connection, writeConcern: { w: 2 } }],
    ['a read concern', { ...connection, readConcern: { level: 'local' } }, { ...connection, readConcern: {} }],
    ['validity', { ...connection, uri: 'mongodb://h/?w=-2', valid: false }, { ...connection, valid: false }],
    ['a warning', { ...connection, warning: null }, { ...connection, warning: true }],
    ['a document', document, { ...document, writeConcernDocument: { w: 0 } }],
    ['acknowledgement', document, { ...document, isAcknowledged: true }],
    ['a default', document, { ...document, isServerDefault: true }],
    ['what is invalid', { ...document, valid: false, writeConcern: { w: -1 } }, { ...document, valid: false }],
  ])('%s', async (_, right, wrong) => {
    expect(await outcomes('read-write-concern', { tests: [right] })).toEqual(['passed']);
    expect(await outcomes('read-write-concern', { tests: [wrong] })).toEqual(['failed']);
  });
});

describe('unified-test-format tells right from wrong', () => {
  const right = { description: 'd', schemaVersion: '1.0', tests: [{ description: 't', operations: [] }] };
  const wrong = { ...right, tests: [] };

  test('by the schema of the version that a file names, else the latest', async context => {
    context.skip(readText('unified-test-format/schema-latest.json') === undefined, noSchemas);
    expect(await outcomes('unified-test-format', right, 'valid-pass/a.json')).toEqual(['passed']);
    expect(await outcomes('unified-test-format', wrong, 'valid-fail/a.json')).toEqual(['failed']);
    expect(await outcomes('unified-test-format', wrong, 'invalid/a.json')).toEqual(['passed']);
    expect(await outcomes('unified-test-format', right, 'invalid/a.json')).toEqual(['failed']);
    // Log messages are of version 1.13.
    const tests = [{ description: 't', operations: [], expectLogMessages: [{ client: 'c', messages: [] }] }];
    expect(await outcomes('unified-test-format', { ...right, tests }, 'valid-pass/a.json')).toEqual(['failed']);
    const newer = { ...right, tests, schemaVersion: '1.13' };
    expect(await outcomes('unified-test-format', newer, 'valid-pass/a.json')).toEqual(['passed']);
    // Schemas take long to compile on a machine that is busy.
  }, 30_000);
});
