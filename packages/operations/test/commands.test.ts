import { describe, expect, test } from 'vitest';
import { MongoError } from '@tessera/contracts';
import type { Document, Operation, Session } from '@tessera/contracts';
import {
  Aggregate,
  count,
  createFindOne,
  createIndexes,
  createWrite,
  distinct,
  drop,
  dropDatabase,
  find,
  FindAndModify,
  GetMore,
  indexName,
  KillCursors,
  listCollections,
  listIndexes,
  runCommand,
} from '@tessera/operations';
import type { AggregateOptions, WriteCommand } from '@tessera/operations';
import { ObjectId } from 'bson';
import { attemptOn, resultOf, messageOf, commandOf, targetOf } from './scripted.js';

const target = targetOf();
const nothing = (): undefined => undefined;

describe('Find, getMore and killCursors Commands', () => {
  test('"find": writes the filter and the options as fields of the command', () => {
    expect(
      commandOf(
        find(
          target,
          { a: 1 },
          { sort: { b: -1 }, projection: { _id: 0 }, skip: 2, batchSize: 10, comment: 'why', let: { x: 1 } },
          nothing,
        ),
      ),
    ).toEqual({
      find: 'films',
      filter: { a: 1 },
      batchSize: 10,
      sort: { b: -1 },
      projection: { _id: 0 },
      skip: 2,
      comment: 'why',
      let: { x: 1 },
      $db: 'db',
    });
  });

  test.each([
    [{ limit: 5 }, { limit: 5 }],
    [{ limit: -5 }, { limit: 5, singleBatch: true }],
    [
      { limit: 5, batchSize: 5 },
      { limit: 5, batchSize: 6 },
    ],
    [
      { limit: 5, batchSize: 2 },
      { limit: 5, batchSize: 2 },
    ],
    [{ batchSize: -2 }, { batchSize: 2, singleBatch: true }],
    [{ batchSize: 0 }, { batchSize: 0 }],
  ])('"Mapping limit and batchSize": %j is sent as %j', (options, fields) => {
    expect(commandOf(find(target, {}, options, nothing))).toEqual({ find: 'films', filter: {}, ...fields, $db: 'db' });
  });

  test('"find": findOne sends limit 1 and singleBatch, and returns null without a document', () => {
    const one = createFindOne(target)({ a: 1 }, undefined);
    expect(commandOf(one)).toEqual({ find: 'films', filter: { a: 1 }, limit: 1, singleBatch: true, $db: 'db' });
    expect(resultOf(one, { cursor: { id: 0n, ns: 'db.films', firstBatch: [{ _id: 1 }] } })).toEqual({ _id: 1 });
    expect(resultOf(one, { cursor: { id: 0n, ns: 'db.films', firstBatch: [] } })).toBeNull();
  });

  test('throws a protocol error for a reply without a cursor', () => {
    expect(() => resultOf(find(target, {}, {}, nothing), {})).toThrow(expect.objectContaining({ kind: 'protocol' }));
  });

  test('"getMore": sends the comment to servers since MongoDB 4.4', () => {
    const more = new GetMore(target, 7n, 'films', { batchSize: 3, maxTimeMS: 9, comment: 'c' }, nothing);
    const command = { getMore: 7, collection: 'films', batchSize: 3, maxTimeMS: 9, $db: 'db' };
    expect(commandOf(more)).toEqual({ ...command, comment: 'c' });
    expect(commandOf(more, attemptOn({ maxWireVersion: 8 }))).toEqual(command);
  });

  test('"killCursors": writes ids as int64', () => {
    expect(commandOf(new KillCursors(target, 'films', 7n))).toEqual({ killCursors: 'films', cursors: [7], $db: 'db' });
  });
});

describe('Read and Write Concern', () => {
  const concerned = targetOf({ readConcern: { level: 'majority' }, writeConcern: { w: 'majority' } });

  test('reads have the read concern of their handle, writes its write concern', () => {
    expect(commandOf(createFindOne(concerned)({}, undefined))).toMatchObject({ readConcern: { level: 'majority' } });
    expect(commandOf(count(concerned, {}))).toMatchObject({ readConcern: { level: 'majority' } });
    expect(commandOf(createWrite({ newId: undefined }, concerned, 'delete')([{ q: {}, limit: 1 }], 0))).toMatchObject({
      writeConcern: { w: 'majority' },
    });
    expect(commandOf(drop(concerned, {}))).toMatchObject({ writeConcern: { w: 'majority' } });
  });

  test('"Generic Command Method": adds neither to a user\'s own command', () => {
    expect(commandOf(runCommand(concerned, { ping: 1 }))).toEqual({ ping: 1, $db: 'db' });
  });

  test('Causal Consistency: a session may add to the read concern of reads and writes', () => {
    const write = (command: WriteCommand, statement: Document): Operation<unknown> =>
      createWrite({ newId: undefined }, concerned, command)([statement], 0);
    const writes = [
      ...[write('insert', {}), write('update', { q: {}, u: {} }), write('delete', { q: {}, limit: 1 })],
      ...[new FindAndModify(concerned, { query: {}, remove: true }), drop(concerned, {})],
    ];
    expect(writes.map(({ readConcern }) => readConcern)).toEqual(writes.map(() => undefined));
    expect(count(concerned, {}).readConcern).toEqual({ level: 'majority' });
    expect(runCommand(concerned, { insert: 'films' }).readConcern).toBe('none');
  });

  test("separates the read concern of a user's own command from its other fields, so that a session can replace it", () => {
    const session = { readConcern: () => undefined, writeConcern: () => undefined } as unknown as Session;
    const given = { find: 'films', readConcern: { level: 'local' }, limit: 1 };
    const command = runCommand(target, given);
    expect(commandOf(command)).toEqual({ ...given, $db: 'db' });
    expect(commandOf(command, attemptOn({}, session))).toEqual({ find: 'films', limit: 1, $db: 'db' });
    expect(command.readConcern).toEqual({ level: 'local' });
    expect(count(target, { readConcern: { level: 'local' } }).readConcern).toBeUndefined();
  });

  test("applies the options of the handle to the read concern of a user's own command", () => {
    const readConcern = { level: undefined, afterClusterTime: 1 };
    const saidOf = (ignoreUndefined: boolean): unknown =>
      commandOf(runCommand(targetOf({ bson: { ignoreUndefined } }), { find: 'films', readConcern }))['readConcern'];
    expect([saidOf(true), saidOf(false)]).toEqual([{ afterClusterTime: 1 }, { level: null, afterClusterTime: 1 }]);
  });

  test('"Unacknowledged Write Concern": expects no reply with w: 0', () => {
    const write = createWrite({ newId: undefined }, targetOf({ writeConcern: { w: 0 } }), 'insert');
    expect(write([{}], 0).answer).toBe('none');
  });

  test('throws a write concern error with the whole reply', () => {
    const write = createWrite({ newId: undefined }, target, 'insert')([{ _id: 1 }], 0);
    const reply = {
      n: 1,
      writeConcernError: { code: 91, codeName: 'ShutdownInProgress', errmsg: 'bye' },
      errorLabels: ['RetryableWriteError'],
    };
    expect(() => resultOf(write, reply)).toThrow(
      expect.objectContaining({
        kind: 'server',
        code: 91,
        codeName: 'ShutdownInProgress',
        labels: ['RetryableWriteError'],
        reply: { ok: 1, ...reply },
      }),
    );
  });
});

describe('CRUD: options that some servers do not support', () => {
  test('sends rawData only to servers since MongoDB 8.2', () => {
    const all: readonly Operation<unknown>[] = [
      find(target, {}, { rawData: true }, nothing),
      new Aggregate(target, [], { rawData: true }, nothing),
      new FindAndModify(target, { rawData: true }),
      createWrite({ newId: undefined }, target, 'insert')([{ a: 1 }], 0, { rawData: true }),
      count(target, {}, true),
      distinct(target, 'a', {}, {}, true),
      createIndexes(target, [], {}, true),
      listIndexes(target, {}, nothing, true),
      listCollections(target, {}, nothing, true),
    ];
    expect(all.map(operation => commandOf(operation)['rawData'] as unknown)).toEqual(all.map(() => true));
    const old = attemptOn({ maxWireVersion: 26 });
    expect(all.map(operation => commandOf(operation, old)['rawData'] as unknown)).toEqual(all.map(() => undefined));
  });

  test('rejects options of unacknowledged writes that an old server does not support', () => {
    const unacknowledged = targetOf({ writeConcern: { w: 0 } });
    const old = attemptOn({ maxWireVersion: 8 });
    const refusal = (command: WriteCommand, statement: Document) => () =>
      commandOf(createWrite({ newId: undefined }, unacknowledged, command)([statement], 0), old);
    expect(refusal('delete', { q: {}, limit: 1, hint: 'a_1' })).toThrow(
      'The option "hint" of delete requires MongoDB 4.4',
    );
    expect(refusal('update', { q: {}, u: {}, sort: { a: 1 } })).toThrow(
      'The option "sort" of update requires MongoDB 8.0',
    );
    expect(() => commandOf(new FindAndModify(unacknowledged, { hint: 'a_1' }), old)).toThrow(
      'The option "hint" of findAndModify',
    );
    expect(refusal('update', { q: {}, u: {}, hint: 'a_1' })()).toMatchObject({ updates: [{ hint: 'a_1' }] });
    const acknowledged = createWrite({ newId: undefined }, target, 'delete')([{ q: {}, limit: 1, hint: 'a_1' }], 0);
    expect(commandOf(acknowledged, old)).toMatchObject({ deletes: [{ hint: 'a_1' }] });
  });
});

describe('CRUD', () => {
  test('"aggregate": writes the batchSize of the option cursor, unless the option batchSize is set', () => {
    const cursorOf = (options: AggregateOptions): unknown =>
      commandOf(new Aggregate(target, [], options, nothing))['cursor'];
    expect([
      cursorOf({ cursor: { batchSize: 7 } }),
      cursorOf({ cursor: { batchSize: 7 }, batchSize: 5 }),
      cursorOf({ cursor: {} }),
    ]).toEqual([{ batchSize: 7 }, { batchSize: 5 }, {}]);
  });
  test('"aggregate": writes cursor and batchSize', () => {
    const operation = new Aggregate(target, [{ $match: { a: 1 } }], { batchSize: 5, allowDiskUse: true }, nothing);
    expect(commandOf(operation)).toEqual({
      aggregate: 'films',
      pipeline: [{ $match: { a: 1 } }],
      cursor: { batchSize: 5 },
      allowDiskUse: true,
      $db: 'db',
    });
    expect([operation.kind, operation.retryable]).toEqual(['read', true]);
    expect(commandOf(new Aggregate(targetOf({}, ''), [], {}, nothing))).toMatchObject({ aggregate: 1 });
  });

  test('"aggregate": with $out it is not retried, has the write concern, and sets writes in its selection', () => {
    const concerned = targetOf({ writeConcern: { w: 2 }, selection: { mode: 'secondary' } });
    const operation = new Aggregate(concerned, [{ $out: 'other' }], { batchSize: 5 }, nothing);
    expect(commandOf(operation)).toMatchObject({ cursor: {}, writeConcern: { w: 2 } });
    expect([operation.kind, operation.retryable]).toEqual(['write', false]);
    expect(operation.selection).toEqual({ ...concerned.selection, writes: true });
    const again = new Aggregate(concerned, [{ $merge: 'other' }], {}, nothing);
    expect(again.selection).toBe(operation.selection);
  });

  test('"findOneAndUpdate": writes the options as fields of findAndModify', () => {
    const operation = new FindAndModify(target, {
      query: { a: 1 },
      update: { $set: { b: 2 } },
      new: true,
      fields: { b: 1 },
      upsert: true,
    });
    expect(commandOf(operation)).toEqual({
      findAndModify: 'films',
      query: { a: 1 },
      update: { $set: { b: 2 } },
      new: true,
      fields: { b: 1 },
      upsert: true,
      $db: 'db',
    });
    expect(resultOf(operation, { value: null, lastErrorObject: { n: 0 } })).toEqual({
      value: null,
      lastErrorObject: { n: 0 },
      ok: 1,
    });
    expect(resultOf(operation, { value: { b: 2 }, lastErrorObject: { n: 1 } }).value).toEqual({ b: 2 });
  });

  test('"distinct" and "estimatedDocumentCount"', () => {
    expect(commandOf(distinct(target, 'genre', { a: 1 }, {}))).toEqual({
      distinct: 'films',
      key: 'genre',
      query: { a: 1 },
      $db: 'db',
    });
    expect(resultOf(distinct(target, 'genre', {}, {}), { values: ['x', 2] })).toEqual(['x', 2]);
    expect(commandOf(count(target, { maxTimeMS: 5 }))).toEqual({ count: 'films', maxTimeMS: 5, $db: 'db' });
    expect(resultOf(count(target, {}), { n: 3 })).toBe(3);
  });
});

describe('Server Write Commands', () => {
  test('writes statements in a document sequence and options in the body', () => {
    const update = createWrite({ newId: undefined }, target, 'update');
    expect(
      commandOf(
        update([{ q: { a: 1 }, u: { $inc: { b: 1 } }, multi: true }], 0, {
          ordered: false,
          comment: 'c',
          let: { x: 1 },
        }),
      ),
    ).toEqual({
      update: 'films',
      ordered: false,
      comment: 'c',
      let: { x: 1 },
      $db: 'db',
      updates: [{ q: { a: 1 }, u: { $inc: { b: 1 } }, multi: true }],
    });
  });

  test('sends an option only with commands that support it', () => {
    const options = { bypassDocumentValidation: true, comment: 'c', let: { x: 1 }, maxTimeMS: 5 };
    const given = (command: WriteCommand, statement: Document): readonly string[] => {
      const sent = commandOf(createWrite({ newId: undefined }, target, command)([statement], 0, options));
      return Object.keys(sent).filter(name => name in options);
    };
    expect([
      given('insert', { _id: 1 }),
      given('update', { q: {}, u: [] }),
      given('delete', { q: {}, limit: 1 }),
    ]).toEqual([
      ['bypassDocumentValidation', 'comment', 'maxTimeMS'],
      ['bypassDocumentValidation', 'comment', 'let', 'maxTimeMS'],
      ['comment', 'let', 'maxTimeMS'],
    ]);
  });

  test('Retryable Writes: a command with a statement on many documents is not retryable', () => {
    const update = createWrite({ newId: undefined }, target, 'update');
    const remove = createWrite({ newId: undefined }, target, 'delete');
    expect(update([{ q: {}, u: {} }], 0).retryable).toBe(true);
    expect(
      update(
        [
          { q: {}, u: {} },
          { q: {}, u: {}, multi: true },
        ],
        0,
      ).retryable,
    ).toBe(false);
    expect(remove([{ q: {}, limit: 1 }], 0).retryable).toBe(true);
    expect(remove([{ q: {}, limit: 0 }], 0).retryable).toBe(false);
    const mixed = [
      { q: {}, limit: 0 },
      { q: {}, limit: 1 },
    ];
    expect([0, 1].map(from => remove(mixed, from).retryable)).toEqual([false, true]);
  });

  test('"Insert": adds a missing or undefined _id, as the first encoded element and in the caller\'s object; keeps null', () => {
    let made = 0;
    const insert = createWrite({ newId: () => `id-${++made}` }, target, 'insert');
    const documents = [{ a: 1 }, { _id: 'own', a: 2 }, { _id: null, a: 3 }, { _id: undefined, a: 4 }];
    const sent = commandOf(insert(documents, 0));
    expect(sent['documents']).toEqual([
      { _id: 'id-1', a: 1 },
      { _id: 'own', a: 2 },
      { _id: null, a: 3 },
      { _id: 'id-2', a: 4 },
    ]);
    expect(documents).toEqual([
      { _id: 'id-1', a: 1 },
      { _id: 'own', a: 2 },
      { _id: null, a: 3 },
      { _id: 'id-2', a: 4 },
    ]);
  });

  test('"Insert": writes a new ObjectId as the first encoded element and the last property of the caller\'s object', () => {
    const id = new ObjectId();
    const insert = createWrite({ newId: () => id }, target, 'insert');
    const documents: Document[] = [{ a: 1 }, { a: 2, _id: undefined }];
    const sent = commandOf(insert(documents, 0))['documents'] as readonly Document[];
    expect(sent.map(document => Object.keys(document))).toEqual([
      ['_id', 'a'],
      ['a', '_id'],
    ]);
    expect(sent.map(({ _id }) => String(_id))).toEqual([id, id].map(String));
    expect(documents.map(({ _id }) => _id as unknown)).toEqual([id, id]);
  });

  test('"Insert": uses the _id in the entries of a Map', () => {
    const insert = createWrite({ newId: () => 'made' }, target, 'insert');
    const documents = [
      new Map<string, unknown>([
        ['_id', 'own'],
        ['a', 1],
      ]),
      new Map([['a', 2]]),
    ] as never[];
    expect(commandOf(insert(documents, 0))['documents']).toEqual([
      { _id: 'own', a: 1 },
      { _id: 'made', a: 2 },
    ]);
    expect(documents.map(document => document['_id'])).toEqual(['own', 'made']);
  });

  test('"Insert": adds no _id if the server creates the ids', () => {
    const document = { a: 1 };
    expect(commandOf(createWrite({ newId: undefined }, target, 'insert')([document], 0))['documents']).toEqual([
      { a: 1 },
    ]);
    expect(document).toEqual({ a: 1 });
  });

  test('"Limits": fills a command up to the server\'s limits of statements and bytes', () => {
    const insert = createWrite({ newId: undefined }, target, 'insert');
    const documents = Array.from({ length: 10 }, (_, _id) => ({ _id, text: 'x'.repeat(100) }));
    const byNumber = attemptOn({ maxWriteBatchSize: 3 });
    expect((commandOf(insert(documents, 2), byNumber)['documents'] as unknown[]).length).toBe(3);
    expect(byNumber.statements).toBe(3);
    const byBytes = attemptOn({ maxMessageSizeBytes: 600 });
    expect((commandOf(insert(documents, 0), byBytes)['documents'] as unknown[]).length).toBe(byBytes.statements);
    expect(byBytes.statements).toBe(4);
  });

  test('"Limits": limits a message to exactly maxMessageSizeBytes', () => {
    const insert = createWrite({ newId: undefined }, target, 'insert');
    const documents = [1, 2, 3].map(_id => ({ _id, text: 'x'.repeat(100) }));
    const { length } = messageOf(insert(documents, 0));
    const exact = attemptOn({ maxMessageSizeBytes: length });
    expect([messageOf(insert(documents, 0), exact).length, exact.statements]).toEqual([length, 3]);
    const tight = attemptOn({ maxMessageSizeBytes: length - 1 });
    messageOf(insert(documents, 0), tight);
    expect(tight.statements).toBe(2);
  });

  test('"Limits": rejects a document that is larger than maxBsonObjectSize before it is sent', () => {
    const insert = createWrite({ newId: undefined }, target, 'insert')([{ _id: 1, text: 'x'.repeat(200) }], 0);
    expect(() => commandOf(insert, attemptOn({ maxBsonObjectSize: 100 }))).toThrow(
      expect.objectContaining({ kind: 'usage', message: expect.stringContaining('accepts 100') as string }),
    );
  });

  test('"Response": returns write errors instead of throwing', () => {
    const write = createWrite({ newId: undefined }, target, 'insert')([{ _id: 1 }, { _id: 1 }], 0);
    const attempt = attemptOn();
    commandOf(write, attempt);
    const error = { index: 1, code: 11_000, errmsg: 'E11000', keyPattern: { _id: 1 }, keyValue: { _id: 1 } };
    expect(resultOf(write, { n: 1, writeErrors: [error] }, attempt)).toEqual({
      acknowledged: true,
      n: 1,
      nModified: 0,
      upserted: [],
      errors: [error],
      taken: 2,
    });
  });
});

describe('Index Management and collections', () => {
  test('commands contain the arguments of their methods', () => {
    expect(commandOf(createIndexes(target, [{ key: { a: 1 }, name: 'a_1' }], { commitQuorum: 1 }))).toEqual({
      createIndexes: 'films',
      indexes: [{ key: { a: 1 }, name: 'a_1' }],
      commitQuorum: 1,
      $db: 'db',
    });
    expect(commandOf(listIndexes(target, {}, nothing))).toEqual({ listIndexes: 'films', cursor: {}, $db: 'db' });
    expect(commandOf(listCollections(target, { filter: { name: 'a' }, nameOnly: true }, nothing))).toEqual({
      listCollections: 1,
      filter: { name: 'a' },
      nameOnly: true,
      $db: 'db',
    });
    expect(commandOf(dropDatabase(target, {}))).toEqual({ dropDatabase: 1, $db: 'db' });
  });

  test('rejects "commitQuorum" for servers before MongoDB 4.4, which would ignore it', () => {
    const operation = createIndexes(target, [{ key: { a: 1 }, name: 'a_1' }], { commitQuorum: 1 });
    expect(() => commandOf(operation, attemptOn({ maxWireVersion: 8 }))).toThrow(
      expect.objectContaining({ kind: 'usage', message: expect.stringContaining('MongoDB 4.4') as string }),
    );
    expect(commandOf(operation, attemptOn({ maxWireVersion: 9 }))).toMatchObject({ commitQuorum: 1 });
  });

  test('Enumerating Collections: runs on the primary regardless of the read preference', () => {
    expect(listCollections(targetOf({ selection: { mode: 'secondary' } }), {}, nothing).selection).toEqual({
      mode: 'primary',
    });
  });

  test('"Index Name": joins paths and directions', () => {
    expect(indexName(Object.entries({ a: 1, 'b.c': -1, d: 'hashed' }))).toBe('a_1_b.c_-1_d_hashed');
  });

  test('rejects a command without a name', () => {
    expect(() => runCommand(target, {})).toThrow(MongoError);
  });
});
