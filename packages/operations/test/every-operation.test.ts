/** Tests of the properties of each operation, and of its command with every option. */
import type { Document, Operation, Session } from '@tessera/contracts';
import {
  Aggregate,
  count,
  createWrite,
  drop,
  explain,
  find,
  FindAndModify,
  GetMore,
  runCommand,
} from '@tessera/operations';
import type { WriteCommand } from '@tessera/operations';
import { describe, expect, test } from 'vitest';
import { nothing, readConcern, rows, target, writeConcern } from './operations-table.js';
import { attemptOn, commandOf, targetOf } from './scripted.js';

test.each(rows)('%s', (_, operation, traits, command) => {
  const { name, kind, retryable, selection: where, db, answer } = operation;
  expect([name, kind, retryable, where.mode]).toEqual(traits);
  expect([db, answer]).toEqual(['db', 'one']);
  expect(commandOf(operation)).toEqual({ ...command, $db: 'db' });
});

test('w: 0 makes writes unacknowledged, and no other operations', () => {
  const unheard = targetOf({ writeConcern: { w: 0 } });
  const made = (command: WriteCommand): Operation<unknown> =>
    createWrite({ newId: undefined }, unheard, command)([{}], 0);
  const writes = [made('insert'), made('update'), made('delete'), new FindAndModify(unheard, {})];
  expect(writes.map(({ answer }) => answer)).toEqual(['none', 'none', 'none', 'none']);
  expect([drop(unheard, {}), count(unheard, {})].map(({ answer }) => answer)).toEqual(['one', 'one']);
});

test('a pipeline with $out or $merge as its last stage sets writes in its selection, one object per handle', () => {
  const primary = targetOf();
  const kindOf = (...pipeline: readonly Document[]): string => new Aggregate(primary, pipeline, {}, nothing).kind;
  expect([kindOf({ $out: 'x' }), kindOf({ $merge: 'x' }), kindOf({ $out: 'x' }, { $match: {} }), kindOf()]).toEqual([
    ...['write', 'write', 'read', 'read'],
  ]);
  const { selection } = new Aggregate(primary, [{ $out: 'x' }], {}, nothing);
  expect(selection).toEqual({ mode: 'primary', writes: true });
  expect(new Aggregate(primary, [{ $merge: 'x' }], {}, nothing).selection).toBe(selection);
  expect(new Aggregate(target, [], {}, nothing).selection).toBe(target.selection);
});

test('commands on cursors have a role, except a find with a single batch', () => {
  const all = rows.map(([title, { role }]) => [title, role] as const);
  expect(Object.fromEntries(all.filter(([, role]) => role !== undefined))).toEqual({
    ...{ find: 'opensCursor', aggregate: 'opensCursor', 'aggregate that writes': 'opensCursor' },
    ...{ listCollections: 'opensCursor', listIndexes: 'opensCursor', runCursorCommand: 'opensCursor' },
    ...{ getMore: 'continuesCursor', killCursors: 'killsCursor' },
  });
  for (const options of [{ singleBatch: true }, { limit: -1 }, { batchSize: -2 }])
    expect(find(target, {}, options, nothing).role).toBe(undefined);
});

test("a user's own command has the role of its name", () => {
  const roleOf = (name: string): unknown => runCommand(target, { [name]: 1 }).role;
  expect(['bulkWrite', 'getMore', 'killCursors', 'commitTransaction', 'abortTransaction', 'ping'].map(roleOf)).toEqual([
    ...['opensCursor', 'continuesCursor', 'killsCursor', 'commitsTransaction', 'abortsTransaction', undefined],
  ]);
});

test('a pipeline may be a function of the wire version, which makes it a read', () => {
  const operation = new Aggregate(target, version => [{ $match: { version } }], { batchSize: 3 }, nothing);
  expect(commandOf(operation, attemptOn({ maxWireVersion: 21 }))).toMatchObject({
    ...{ pipeline: [{ $match: { version: 21 } }], cursor: { batchSize: 3 } },
  });
  expect([operation.kind, operation.retryable]).toEqual(['read', true]);
});

describe('every option is written under its name, and omitted if it is null or undefined', () => {
  const findFields: Document = {
    ...{ sort: { a: 1 }, projection: { a: 1 }, hint: 'a_1', skip: 1, comment: 'c', maxTimeMS: 5, max: { a: 9 } },
    ...{ min: { a: 1 }, returnKey: true, showRecordId: true, tailable: true, noCursorTimeout: true, awaitData: true },
    ...{ allowPartialResults: true, collation: { locale: 'en' }, allowDiskUse: true, oplogReplay: true, let: { x: 1 } },
  };
  const aggregate: Document = {
    ...{ allowDiskUse: true, bypassDocumentValidation: true, collation: { locale: 'en' }, comment: 'c' },
    ...{ hint: 'a_1', let: { x: 1 }, maxTimeMS: 5 },
  };
  const modify: Document = {
    ...{ query: { a: 1 }, sort: { a: 1 }, remove: false, update: { a: 1 }, new: true, fields: { a: 1 }, upsert: true },
    ...{ bypassDocumentValidation: true, collation: { locale: 'en' }, arrayFilters: [{ x: 1 }], hint: 'a_1' },
    ...{ comment: 'c', let: { x: 1 }, maxTimeMS: 5 },
  };
  test.each<readonly [string, Document, (options: Document) => Operation<unknown>]>([
    ['find', findFields, options => find(target, {}, options, nothing)],
    ['aggregate', aggregate, options => new Aggregate(target, [], options, nothing)],
    ['findAndModify', modify, options => new FindAndModify(target, options)],
  ])('%s', (_, options, make) => {
    expect(commandOf(make(options))).toMatchObject(options);
    const none = commandOf(make({}));
    const all = (value: unknown): Document => Object.fromEntries(Object.keys(options).map(name => [name, value]));
    expect(commandOf(make(all(undefined)))).toEqual(none);
    // A comment may be any value.
    expect(commandOf(make(all(null)))).toEqual({ ...none, comment: null });
    // Rule: CSOT, "Validation and Overrides".
    expect(commandOf(make(options), attemptOn({}, undefined, { deadline: 9 }))['maxTimeMS']).toBeUndefined();
  });

  test('batchSize of aggregate, except with $out', () => {
    const cursorOf = (pipeline: readonly Document[], batchSize: number | null | undefined): unknown =>
      commandOf(new Aggregate(target, pipeline, { batchSize } as never, nothing))['cursor'];
    expect([cursorOf([], 0), cursorOf([], null), cursorOf([], undefined), cursorOf([{ $out: 'x' }], 5)]).toEqual([
      ...[{ batchSize: 0 }, {}, {}, {}],
    ]);
  });

  test('batchSize, maxTimeMS and comment of getMore', () => {
    const more = (options: Document, given = {}): Document => {
      const {
        getMore: _,
        collection: __,
        $db: ___,
        ...rest
      } = commandOf(new GetMore(target, 5n, 'films', options, nothing), attemptOn({}, undefined, given));
      return rest;
    };
    expect(more({ batchSize: -3, maxTimeMS: 5, comment: null })).toEqual({ batchSize: 3, maxTimeMS: 5, comment: null });
    expect(more({ batchSize: 0 })).toEqual({});
    expect(more({ maxTimeMS: 5 }, { deadline: 9 })).toEqual({});
    expect(
      [new GetMore(target, 5n, 'films', { maxTimeMS: 7 }, nothing), new GetMore(target, 5n, 'x', {}, nothing)].map(
        ({ maxTime }) => maxTime,
      ),
    ).toEqual([7, 'none']);
  });

  test('singleBatch of find, also by itself', () => {
    expect(commandOf(find(target, {}, { singleBatch: true }, nothing))['singleBatch']).toBe(true);
    expect(commandOf(find(target, {}, { singleBatch: false, limit: 3 }, nothing))['singleBatch']).toBeUndefined();
    expect(commandOf(find(target, {}, { limit: 0 }, nothing))['limit']).toBeUndefined();
  });

  test('timeoutMS replaces maxTimeMS in commands of the driver, but not in those of the user', () => {
    const timed = attemptOn({}, undefined, { deadline: 9 });
    expect(commandOf(drop(target, { maxTimeMS: 5, comment: 'c' }), timed)).toEqual({
      ...{ drop: 'films', comment: 'c', writeConcern, $db: 'db' },
    });
    expect(commandOf(count(target, { maxTimeMS: 5 }), timed)['maxTimeMS']).toBeUndefined();
    expect(commandOf(drop(target, { maxTimeMS: 5 }))['maxTimeMS']).toBe(5);
    expect(commandOf(runCommand(target, { ping: 1, maxTimeMS: 5 }), timed)['maxTimeMS']).toBe(5);
    expect(commandOf(explain(target, count(target, {}), { verbosity: 'x', maxTimeMS: 5 }), timed)).not.toHaveProperty(
      'maxTimeMS',
    );
  });

  test('timeoutMS replaces wtimeout', () => {
    const timed = attemptOn({}, undefined, { deadline: 9 });
    const concernOf = (concern: Document, attempt = timed): unknown =>
      commandOf(drop(targetOf({ writeConcern: concern }), {}), attempt)['writeConcern'];
    expect([
      concernOf({ w: 2, wtimeout: 5 }),
      concernOf({ wtimeout: 5 }),
      concernOf({ wtimeout: 5 }, attemptOn()),
    ]).toEqual([...[{ w: 2 }, undefined, { wtimeout: 5 }]]);
  });
});

describe('a session determines the concerns', () => {
  const session = {
    readConcern: ({ readConcern: own }: Operation<unknown>) => (own === 'none' ? own : { ...own, afterClusterTime: 1 }),
    writeConcern: () => undefined,
  } as unknown as Session;
  test.each(rows.filter(([, { kind }]) => kind === 'write').map(([title, operation]) => [title, operation] as const))(
    'writeConcern of %s',
    (_, operation) => {
      expect(commandOf(operation, attemptOn({}, session))['writeConcern']).toBeUndefined();
    },
  );
  test.each(
    rows.filter(([, , , command]) => 'readConcern' in command).map(([title, operation]) => [title, operation] as const),
  )('readConcern of %s', (_, operation) => {
    expect(commandOf(operation, attemptOn({}, session))['readConcern']).toEqual({
      ...readConcern,
      afterClusterTime: 1,
    });
  });

  test('sends a read concern that is not a document, which the server rejects', () => {
    for (const odd of [null, 'local', 5]) {
      const command = runCommand(target, { find: 'x', readConcern: odd });
      expect(command.readConcern).toBe('none');
      expect(commandOf(command, attemptOn({}, session))['readConcern']).toBe(odd);
    }
  });
});
