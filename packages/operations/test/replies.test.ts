/** Tests of reading replies, and of commands that are rejected before they are sent. */
import type { Document, Operation } from '@tessera/contracts';
import {
  Aggregate,
  count,
  createCollection,
  createFindOne,
  createIndexes,
  createSearchIndexes,
  createWrite,
  distinct,
  drop,
  dropDatabase,
  dropIndexes,
  dropSearchIndex,
  dropUser,
  explain,
  find,
  FindAndModify,
  GetMore,
  listCollections,
  listDatabases,
  listIndexes,
  runCommand,
  runCursorCommand,
  updateSearchIndex,
} from '@tessera/operations';
import type { WriteCommand } from '@tessera/operations';
import { encode } from '@tessera/bson';
import { describe, expect, test } from 'vitest';
import { rows, selection, taken, target, write } from './operations-table.js';
import { attemptOn, cursorReply, resultOf, commandOf, targetOf } from './scripted.js';

describe('replies', () => {
  const cursor = cursorReply('firstBatch', 7n, [{ a: 1 }, { a: 2 }]);
  test.each<readonly [string, Operation<unknown>]>([
    ['find', find(target, {}, {}, taken)],
    ['aggregate', new Aggregate(target, [], {}, taken)],
    ['listCollections', listCollections(target, {}, taken)],
    ['listIndexes', listIndexes(target, {}, taken)],
    ['runCursorCommand', runCursorCommand(target, { find: 'x' }, selection, taken)],
  ])('the cursor of %s', (_, operation) => {
    expect(resultOf(operation, cursor)).toEqual([7n, 'db.films', [{ a: 1 }, { a: 2 }]]);
    expect(resultOf(operation, { cursor: { id: 0n, firstBatch: [] } })).toEqual([0n, '', []]);
    for (const odd of [{}, { cursor: {} }, { cursor: { id: 7n } }, { cursor: { firstBatch: [] } }, { cursor: 5 }])
      expect(() => resultOf(operation, odd)).toThrow(
        expect.objectContaining({
          ...{ kind: 'protocol', message: 'The server answered without a cursor that has an id and a firstBatch.' },
        }),
      );
  });

  test('the cursor of getMore', () => {
    const more = new GetMore(target, 7n, 'films', {}, taken);
    expect(resultOf(more, cursorReply('nextBatch', 0n, [{ a: 3 }]))).toEqual([0n, 'db.films', [{ a: 3 }]]);
    expect(() => resultOf(more, cursor)).toThrow(
      'The server answered without a cursor that has an id and a nextBatch.',
    );
  });

  test('missing counts are 0', () => {
    expect([resultOf(count(target, {}), {}), resultOf(distinct(target, 'a', {}, {}), {})]).toEqual([0, []]);
    expect(resultOf(new FindAndModify(target, {}), {})).toEqual({ value: null, lastErrorObject: {}, ok: 1 });
    expect(resultOf(createSearchIndexes(target, []), {})).toEqual([]);
    expect(resultOf(write('insert', {}), {})).toEqual({
      ...{ acknowledged: true, n: 0, nModified: 0, upserted: [], errors: [], taken: 0 },
    });
  });

  test('names, documents and nothing', () => {
    expect(resultOf(createSearchIndexes(target, []), { indexesCreated: [{ name: 'a' }, { name: 'b' }] })).toEqual([
      'a',
      'b',
    ]);
    expect(resultOf(runCommand(target, { ping: 1 }), { a: 1 })).toEqual({ a: 1, ok: 1 });
    expect(resultOf(listDatabases(target, {}), { databases: [] })).toEqual({ databases: [], ok: 1 });
    expect(resultOf(dropIndexes(target, '*', {}), { nIndexesWas: 2 })).toEqual({ nIndexesWas: 2, ok: 1 });
    const silent = [
      drop(target, {}),
      dropDatabase(target, {}),
      createCollection(target, {}),
      createIndexes(target, [], {}),
    ];
    for (const operation of [
      ...silent,
      dropUser(target, 'a', {}),
      updateSearchIndex(target, 'i', {}),
      dropSearchIndex(target, 'i'),
    ])
      expect(resultOf(operation, { a: 1 })).toBeUndefined();
  });

  test('the result of writes, with ids and errors', () => {
    const errors = [{ index: 0, code: 1, errmsg: 'no' }];
    expect(
      resultOf(write('update', { q: {}, u: {} }), {
        n: 2,
        nModified: 1,
        upserted: [{ index: 0, _id: 'x' }],
        writeErrors: errors,
      }),
    ).toEqual({
      ...{ acknowledged: true, n: 2, nModified: 1, upserted: [{ index: 0, _id: 'x' }], errors, taken: 0 },
    });
    expect(resultOf(write('insert', {}), { n: 0, writeErrors: [{ index: 0, code: 5 }] })).toMatchObject({
      ...{ errors: [{ index: 0, code: 5, errmsg: 'the server gave no message' }] },
    });
  });

  test.each([
    ['upserted', 'insert', [{ _id: 1 }]],
    ['upserted', 'update', [null]],
    ['upserted', 'update', 'x'],
    ['writeErrors', 'delete', [{ index: 0 }, { index: 'x' }]],
    ['writeErrors', 'delete', [{}]],
    ['writeErrors', 'update', { index: 0 }],
  ] as const)('%s of %s without the index of their statement are an error: %j', (field, command, told) => {
    expect(() => resultOf(write(command, {}), { n: 1, [field]: told })).toThrow(
      expect.objectContaining({
        kind: 'protocol',
        message: `The server answered ${command} with ${field} that lack the index of their statement, so it is unknown what was written.`,
      }),
    );
  });

  test.each(
    rows
      .filter(([title, { kind }]) => kind === 'write' && !title.includes('Search'))
      .map(([title, operation]) => [title, operation] as const),
  )('a write concern error of %s is an error', (_, operation) => {
    const reply = { ...cursor, n: 1, writeConcernError: { code: 64, errmsg: 'waiting timed out' } };
    expect(() => resultOf(operation, reply)).toThrow(
      expect.objectContaining({
        ...{ kind: 'server', code: 64, message: 'The write concern was not satisfied: waiting timed out' },
      }),
    );
  });

  test('reads ignore a write concern error', () => {
    const reply = { ...cursor, writeConcernError: { code: 64 } };
    expect(resultOf(new Aggregate(target, [], {}, taken), reply)).toEqual([7n, 'db.films', [{ a: 1 }, { a: 2 }]]);
  });

  test('raw returns documents as bytes, but not the fields that the driver reads', () => {
    const raw = targetOf({ bson: { raw: true } });
    expect(resultOf(createFindOne(raw)({}, undefined), cursor)).toBeInstanceOf(Uint8Array);
    const modified = resultOf(new FindAndModify(raw, {}), { value: { a: 1 }, lastErrorObject: { n: 1 } });
    expect([modified.value instanceof Uint8Array, modified.lastErrorObject]).toEqual([true, { n: 1 }]);
    expect(resultOf(explain(raw, count(raw, {}), { verbosity: 'queryPlanner' }), { a: 1 })).toEqual({ a: 1, ok: 1 });
    const upsert = createWrite({ newId: undefined }, raw, 'update')([{}], 0);
    expect(resultOf(upsert, { upserted: [{ index: 0, _id: { a: 1 } }] })).toMatchObject({
      upserted: [{ index: 0, _id: { a: 1 } }],
    });
  });
});

describe('unacknowledged writes to old servers', () => {
  const unacknowledged = targetOf({ writeConcern: { w: 0 } });
  const say =
    (command: WriteCommand, statements: readonly Document[], maxWireVersion: number, from = 0) =>
    (): unknown =>
      commandOf(
        createWrite({ newId: undefined }, unacknowledged, command)(statements, from),
        attemptOn({ maxWireVersion }),
      );
  const words = (option: string, command: string, version: string): string =>
    `The option "${option}" of ${command} requires MongoDB ${version}, but the server at db1:27017 is older, and with w: 0 its error would be lost. Leave the option out or acknowledge the write.`;

  test('require MongoDB 4.4 for hint of delete and 8.0 for sort of update, in any remaining statement', () => {
    const hinted = [
      { q: {}, limit: 1 },
      { q: {}, limit: 1, hint: 'x' },
    ];
    const sorted = [
      { q: {}, u: {} },
      { q: {}, u: {}, sort: { a: 1 } },
    ];
    expect(say('delete', hinted, 8)).toThrow(
      expect.objectContaining({ kind: 'usage', message: words('hint', 'delete', '4.4') }),
    );
    expect(say('update', sorted, 24)).toThrow(words('sort', 'update', '8.0'));
    expect([say('delete', hinted, 9)(), say('update', sorted, 25)()]).toHaveLength(2);
    expect(
      say(
        'update',
        [
          { q: {}, u: {}, sort: { a: 1 } },
          { q: {}, u: {} },
        ],
        24,
        1,
      ),
    ).not.toThrow();
    expect(say('insert', [{ hint: 1, sort: 1 }], 1)).not.toThrow();
    expect(say('delete', [{ q: {}, limit: 1, sort: 1 }], 1)).not.toThrow();
  });

  test('require MongoDB 4.4 for hint of findAndModify', () => {
    const modify =
      (options: Document, version: number, of = unacknowledged) =>
      (): unknown =>
        commandOf(new FindAndModify(of, options), attemptOn({ maxWireVersion: version }));
    expect(modify({ hint: 'x' }, 8)).toThrow(words('hint', 'findAndModify', '4.4'));
    expect(modify({ hint: 'x' }, 9)).not.toThrow();
    expect(modify({}, 8)).not.toThrow();
    expect(modify({ hint: 'x' }, 8, target)).not.toThrow();
  });
});

test('"Limits": rejects a statement that exceeds the limit and its margin', () => {
  const statement = { q: {}, u: { text: 'x'.repeat(20_000) } };
  const sizeOf = (most: number): unknown =>
    commandOf(write('update', statement), attemptOn({ maxBsonObjectSize: most }));
  const size = encode(statement).length;
  expect(() => sizeOf(size - 16_384)).not.toThrow();
  expect(() => sizeOf(size - 16_385)).toThrow(
    expect.objectContaining({
      kind: 'usage',
      message: `Statement 0 of this update into db.films takes ${size} bytes, but the server accepts ${size - 16_385}. Split the document or store large content with GridFS.`,
    }),
  );
  const one = write('insert', { _id: 1, text: 'x'.repeat(100) });
  expect(() => commandOf(one, attemptOn({ maxMessageSizeBytes: 120 }))).toThrow('but the server accepts 120.');
});

test('rejects a command without a field', () => {
  expect(() => runCommand(target, {})).toThrow(
    expect.objectContaining({
      kind: 'usage',
      message: 'A command needs at least one field. The first field is its name.',
    }),
  );
});
