import { describe, expect, test } from 'vitest';
import type { Result, Suite } from '../src/index.js';
import { suites } from '../src/index.js';
import { noSchemas } from '../src/skips.js';
import { readText } from '../src/fixtures.js';

const judged = async (suite: string, json: unknown, name = 'made-up.json'): Promise<readonly Result[]> =>
  (suites[suite] as Suite)([{ name, json }]);

const outcomes = async (suite: string, json: unknown, name?: string): Promise<readonly string[]> =>
  (await judged(suite, json, name)).map(({ outcome }) => outcome);

describe('the suite read-write-concern passes a correct case and fails an incorrect one', () => {
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
    ['the document of a read concern', reading, { ...reading, readConcernDocument: {} }],
    [
      'the default read concern',
      { ...reading, readConcern: {}, readConcernDocument: {}, isServerDefault: true },
      { ...reading, isServerDefault: true },
    ],
    ['a write concern', { ...connection, writeConcern: { w: 1 } }, { ...connection, writeConcern: { w: 2 } }],
    ['a read concern', { ...connection, readConcern: { level: 'local' } }, { ...connection, readConcern: {} }],
    [
      'the validity of a connection string',
      { ...connection, uri: 'mongodb://h/?w=-2', valid: false },
      { ...connection, valid: false },
    ],
    ['the expected warning', { ...connection, warning: null }, { ...connection, warning: true }],
    ['the document of a write concern', document, { ...document, writeConcernDocument: { w: 0 } }],
    ['isAcknowledged', document, { ...document, isAcknowledged: true }],
    ['isServerDefault', document, { ...document, isServerDefault: true }],
    [
      'the validity of a document',
      { ...document, valid: false, writeConcern: { w: -1 } },
      { ...document, valid: false },
    ],
  ])('%s', async (_, right, wrong) => {
    expect(await outcomes('read-write-concern', { tests: [right] })).toEqual(['passed']);
    expect(await outcomes('read-write-concern', { tests: [wrong] })).toEqual(['failed']);
  });
});

describe('the suite unified-test-format', () => {
  const right = { description: 'd', schemaVersion: '1.0', tests: [{ description: 't', operations: [] }] };
  const wrong = { ...right, tests: [] };

  test('validates files by the schema of their version, and invalid files by the latest schema', async context => {
    context.skip(readText('unified-test-format/schema-latest.json') === undefined, noSchemas);
    expect(await outcomes('unified-test-format', right, 'valid-pass/a.json')).toEqual(['passed']);
    expect(await outcomes('unified-test-format', wrong, 'valid-fail/a.json')).toEqual(['failed']);
    expect(await outcomes('unified-test-format', wrong, 'invalid/a.json')).toEqual(['passed']);
    expect(await outcomes('unified-test-format', right, 'invalid/a.json')).toEqual(['failed']);
    // Log messages were added in version 1.13.
    const tests = [{ description: 't', operations: [], expectLogMessages: [{ client: 'c', messages: [] }] }];
    expect(await outcomes('unified-test-format', { ...right, tests }, 'valid-pass/a.json')).toEqual(['failed']);
    const newer = { ...right, tests, schemaVersion: '1.13' };
    expect(await outcomes('unified-test-format', newer, 'valid-pass/a.json')).toEqual(['passed']);
    // Compiling schemas takes long on a busy machine.
  }, 30_000);
});
