/** Messages about invalid options and arguments. */
import { Decimal128, Double, Int32, Long, ObjectId, Timestamp } from 'bson';
import { describe, expect, test } from 'vitest';
import {
  argument,
  bucketOptions,
  checkArgument,
  checkOption,
  checkOptions,
  checkPipeline,
  checkSession,
  createCollectionOptions,
  explainableOptions,
  findOptions,
  indexOptions,
  operationOptions,
  shown,
} from '../src/operation-options.js';
import type { OptionTable } from '../src/operation-options.js';
import { rejection } from './rejection.js';

const errorOf = (name: string, value: unknown, table: OptionTable = operationOptions): unknown =>
  rejection(() => {
    checkOption(name, value, table);
  });

const flag = 'true or false';
const whole = 'a whole number';
const wholeFrom0 = 'a whole number of at least 0';
const milliseconds = 'a whole number of milliseconds of at least 0';
const document = 'a document';
const textOrDocument = 'a string or a document';
const text = 'a string';
const list = 'an array';
const number = 'a number';

/** Every option of operations, and the description of valid values in its message. */
const expected: readonly (readonly [expects: string, ...names: string[]])[] = [
  [whole, 'limit', 'batchSize'],
  [wholeFrom0, 'skip'],
  [milliseconds, 'maxTimeMS', 'maxAwaitTimeMS', 'maxCommitTimeMS'],
  [number, 'scale', 'expireAfterSeconds'],
  [flag, 'singleBatch', 'returnKey', 'showRecordId', 'allowPartialResults', 'allowDiskUse', 'oplogReplay'],
  [flag, 'tailable', 'awaitData', 'noCursorTimeout', 'prefetch', 'rawData', 'nameOnly', 'full', 'background'],
  [flag, 'ordered', 'upsert', 'bypassDocumentValidation', 'forceServerObjectId', 'includeResultMetadata'],
  [flag, 'authorizedCollections', 'authorizedDatabases', 'dropTarget', 'verboseResults', 'showExpandedEvents'],
  [flag, 'ignoreUndefined', 'serializeFunctions', 'promoteLongs', 'useBigInt64', 'promoteValues'],
  [flag, 'promoteBuffers', 'bsonRegExp', 'raw', 'checkKeys', 'capped'],
  [text, 'out', 'fullDocument', 'fullDocumentBeforeChange', 'timeoutMode'],
  ['one of error, null, ignore', 'undefinedInFilters'],
  [document, 'let', 'fieldsAsRaw', 'collation'],
  [textOrDocument, 'hint', 'readPreference', 'readConcern'],
  ['a number or a string', 'commitQuorum'],
  [list, 'arrayFilters'],
  ['a document or an array of field names', 'projection'],
  ['a write concern: a document, a number or a string', 'writeConcern'],
  ['a value that BSON can represent', 'comment'],
  ["'before' or 'after'", 'returnDocument'],
  ['a session that client.startSession() returned', 'session'],
  ['an AbortSignal, such as the property signal of an AbortController', 'signal'],
  ['an object with a method createPk', 'pkFactory'],
];

/** The rows of operations that cannot be explained. */
const unexplained: typeof expected = [['absent, because the driver does not explain this operation', 'explain']];

const named = [...expected, ...unexplained].flatMap(([expects, ...names]) =>
  names.map(name => [name, expects] as const),
);

describe('an option of an operation', () => {
  test('is in the list of validated options', () => {
    expect([...operationOptions.keys()].sort()).toEqual(named.map(([name]) => name).sort());
  });

  test.each(named)('"%s" must be %s', (name, expects) => {
    expect(errorOf(name, () => undefined)).toBe(`The option "${name}" must be ${expects}, but is a function.`);
    expect([errorOf(name, undefined), errorOf(name, null)]).toEqual([undefined, undefined]);
  });

  const session = { inTransaction: () => false, use: () => undefined };
  const { signal } = new AbortController();

  test.each<readonly [name: string, right: readonly unknown[], wrong: readonly unknown[]]>([
    ['limit', [-1, 0, 5], [0.5, '5', NaN, 5n]],
    ['skip', [0, 5], [-1, 0.5, '5', NaN]],
    ['maxTimeMS', [0, 5], [-1, 0.5, '5', Infinity]],
    [
      'scale',
      [1, -0.5, 5n, new Int32(1), new Double(1), Long.fromNumber(1), new Decimal128('1')],
      ['1', NaN, Infinity, {}],
    ],
    ['scale', [], [new ObjectId(), { _bsontype: 'Int' }, [], true]],
    ['upsert', [true, false], [0, 1, 'true', {}]],
    ['out', ['', 'x'], [5, {}, [], true]],
    ['let', [{}, { a: 1 }, new Map()], [[], 'x', 5, true]],
    ['hint', ['x', {}], [[], 5, true]],
    ['commitQuorum', [0, -1.5, 'x'], [NaN, {}, [], true, 5n]],
    ['arrayFilters', [[], [{}]], [{}, 'x']],
    ['projection', [{}, []], ['x', 5, true]],
    ['writeConcern', [{}, 0, 5, 'x'], [-1, 0.5, [], true]],
    ['explain', [], [true, false, 'x', {}]],
    ['comment', [0, '', {}, [], true, 5n], [() => undefined, Symbol('x')]],
    ['returnDocument', ['before', 'after'], ['', 'AFTER', true]],
    ['session', [session], [{}, { inTransaction: session.inTransaction }, { use: session.use }, 'x', true]],
    ['signal', [signal], [{}, { aborted: false }, { addEventListener: signal.addEventListener }, 'x']],
    ['pkFactory', [{ createPk: () => 1 }], [{}, { createPk: 1 }, () => undefined]],
  ])('"%s" accepts %o and no others', (name, right, wrong) => {
    expect(right.map(value => errorOf(name, value))).toEqual(right.map(() => undefined));
    for (const value of wrong) expect(errorOf(name, value), String(value)).toMatch(`The option "${name}" must be`);
  });

  test.each<readonly [option: string, fields: readonly (readonly [expects: string, ...names: string[]])[]]>([
    [
      'writeConcern',
      [
        ['a whole number of at least 0 or a string', 'w'],
        [flag, 'j', 'journal'],
        [milliseconds, 'wtimeout', 'wtimeoutMS'],
      ],
    ],
    ['readConcern', [[text, 'level']]],
    [
      'readPreference',
      [
        [text, 'mode'],
        [list, 'tags'],
        [number, 'maxStalenessSeconds'],
        [document, 'hedge'],
      ],
    ],
    [
      'collation',
      [
        [text, 'locale', 'caseFirst', 'alternate', 'maxVariable'],
        [whole, 'strength'],
        [flag, 'caseLevel', 'numericOrdering', 'backwards', 'normalization'],
      ],
    ],
  ])('"%s" has fields that are validated, and others that are not', (option, fields) => {
    for (const [expects, ...names] of fields)
      for (const name of names) {
        const field = { [name]: Symbol('x') };
        expect(errorOf(option, field)).toBe(`The option "${option}.${name}" must be ${expects}, but is a symbol.`);
        expect([errorOf(option, { [name]: null }), errorOf(option, { [name]: undefined })]).toEqual([
          undefined,
          undefined,
        ]);
      }
    expect(errorOf(option, { other: Symbol('x') })).toBeUndefined();
  });
});

describe('further options', () => {
  const complaints = (table: OptionTable, rows: readonly (readonly [expects: string, ...names: string[]])[]): void => {
    for (const [expects, ...names] of rows)
      for (const name of names)
        expect(errorOf(name, Symbol('x'), table)).toBe(`The option "${name}" must be ${expects}, but is a symbol.`);
  };

  test('for find, createCollection, indexes and buckets are validated', () => {
    const explained = ['true, false, a verbosity or a document with a verbosity', 'explain'] as const;
    complaints(findOptions, [...expected, explained, [document, 'max', 'min']]);
    complaints(explainableOptions, [...expected, explained]);
    complaints(createCollectionOptions, [
      ...[...expected, ...unexplained],
      [number, 'size', 'max', 'flags'],
      [document, 'validator', 'timeseries', 'clusteredIndex', 'changeStreamPreAndPostImages', 'storageEngine'],
      [document, 'indexOptionDefaults', 'idIndex', 'encryptedFields'],
      [text, 'validationLevel', 'validationAction', 'viewOn'],
      [list, 'pipeline'],
    ]);
    complaints(indexOptions, [
      [text, 'name', 'default_language', 'language_override'],
      [flag, 'background', 'unique', 'sparse', 'hidden'],
      [document, 'partialFilterExpression', 'wildcardProjection', 'storageEngine', 'weights', 'collation'],
      [number, 'expireAfterSeconds', 'version', 'textIndexVersion', '2dsphereIndexVersion'],
      [number, 'bits', 'min', 'max', 'bucketSize'],
    ]);
    complaints(bucketOptions, [
      ...[...expected, explained],
      [text, 'bucketName', 'contentType'],
      ['a whole number of bytes of at least 1', 'chunkSizeBytes'],
      [document, 'metadata'],
      [list, 'aliases'],
      [whole, 'start', 'end', 'revision'],
    ]);
    expect([0, 1, 0.5, '1'].map(size => errorOf('chunkSizeBytes', size, bucketOptions) === undefined)).toEqual([
      ...[false, true, false, false],
    ]);
  });

  test('for a session and its transactions are validated', () => {
    const complaintOf = (options: object): unknown =>
      rejection(() => {
        checkSession(options);
      });
    expect([
      complaintOf({}),
      complaintOf({ causalConsistency: true, snapshot: false, defaultTransactionOptions: { maxCommitTimeMS: 5 } }),
      complaintOf({ causalConsistency: 1 }),
      complaintOf({ snapshot: 'yes' }),
      complaintOf({ defaultTransactionOptions: [] }),
      complaintOf({ defaultTransactionOptions: { maxCommitTimeMS: '5' } }),
    ]).toEqual([
      undefined,
      undefined,
      'The option "causalConsistency" must be true or false, but is 1.',
      'The option "snapshot" must be true or false, but is "yes".',
      'The option "defaultTransactionOptions" must be a document, but is an array.',
      'The option "maxCommitTimeMS" must be a whole number of milliseconds of at least 0, but is "5".',
    ]);
  });

  test('must be an object or absent, and inherited properties are validated too', () => {
    const complaintOf = (options: unknown): unknown =>
      rejection(() => {
        checkOptions(options as object);
      });
    expect([undefined, null, {}, { unheardOf: 5 }].map(complaintOf)).toEqual([...new Array<undefined>(4)]);
    expect(['x', 5, true, []].map(complaintOf)).toEqual(
      ['"x"', '5', 'true', 'an array'].map(given => `The options of an operation must be an object, but are ${given}.`),
    );
    expect(complaintOf(Object.create({ limit: 'x' }))).toBe('The option "limit" must be a whole number, but is "x".');
  });
});

describe('an argument', () => {
  const complaintOf = (value: unknown, type: keyof typeof argument): unknown =>
    rejection(() => {
      checkArgument('given', value, argument[type]);
    });

  test.each<readonly [type: keyof typeof argument, expects: string, right: unknown, wrong: readonly unknown[]]>([
    ['text', text, 'x', [5, null]],
    ['list', list, [], [{}, null]],
    ['count', wholeFrom0, 0, [-1, '1']],
    ['document', document, {}, [[], null]],
    ['callback', 'a function', () => undefined, [{}, null]],
    ['timestamp', 'a Timestamp', new Timestamp(5n), [{}, null, undefined, 5]],
  ])('with the type %s must be %s', (type, expects, right, wrong) => {
    expect(complaintOf(right, type)).toBeUndefined();
    for (const value of wrong)
      expect(complaintOf(value, type)).toBe(`The argument "given" must be ${expects}, but is ${shown(value)}.`);
  });

  test('that is a pipeline is an array of documents', () => {
    const complaintOfPipeline = (given: unknown): unknown =>
      rejection(() => {
        checkPipeline(given);
      });
    expect([[], [{}], {}, undefined, [5], [{}, null]].map(complaintOfPipeline)).toEqual([
      undefined,
      undefined,
      'A pipeline must be an array of stages.',
      'A pipeline must be an array of stages.',
      'The argument "stage" must be a document, but is 5.',
      'The argument "stage" must be a document, but is null.',
    ]);
  });

  test('is described in an error: long strings are shortened, and contents of objects are omitted', () => {
    const values = ['x', 'a"b', 'y'.repeat(40), 'y'.repeat(41), 5n, 5, NaN, true, null, [], {}, undefined, Symbol('x')];
    expect([...values, () => undefined].map(shown)).toEqual([
      ...['"x"', '"a\\"b"', `"${'y'.repeat(40)}"`, `"${'y'.repeat(40)}…"`, '5n', '5', 'NaN', 'true', 'null'],
      ...['an array', 'an object', 'undefined', 'a symbol', 'a function'],
    ]);
  });
});
