import { Timestamp } from 'bson';
import { describe, expect, test } from 'vitest';
import { Doc, TimestampValue, parseVersion } from '@tessera/mql/engine';
import { emptyDatabase } from '@tessera/store';
import type { Entry } from '../../src/log/entry.js';
import { Log, logLimitsOf } from '../../src/log/log.js';
import type { EventContext } from '../../src/streams/event.js';
import type { Past } from '../../src/streams/log-events.js';
import { LogEvents } from '../../src/streams/log-events.js';
import { parseSpecification } from '../../src/streams/specification.js';
import { world } from '../client.js';
import { refusal, set, watch } from './stream.js';

describe('a change stream is rejected', () => {
  test('on a standalone with code 40573', async () => {
    expect(await refusal(world(), {})).toBe('40573 The $changeStream stage is only supported on replica sets');
  });

  test.each([
    [{}, { pipeline: [{ $unknown: 1 }] }, /^40324 /],
    [
      {},
      { pipeline: [{ $changeStream: {} }] },
      /^40602 \$changeStream is only valid as the first stage in a pipeline$/,
    ],
    [{}, { pipeline: [{ $sort: { a: 1 } }] }, /^20 \$sort is not permitted in a \$changeStream pipeline$/],
    [{}, { pipeline: [{ $out: 'd' }] }, /^20 \$out is not permitted/],
    ['all', {}, /^50808 \$changeStream stage expects a document as argument$/],
    [{ everything: true }, {}, /^40415 BSON field '\$changeStream.everything' is an unknown field.$/],
    [
      { resumeAfter: 'x' },
      {},
      /^14 BSON field '\$changeStream.resumeAfter' is the wrong type 'string', expected type 'object'$/,
    ],
    [{ startAtOperationTime: 1 }, {}, /^14 BSON field '\$changeStream.startAtOperationTime' is the wrong type 'int'/],
    [
      { fullDocument: 'some' },
      {},
      /^2 Enumeration value 'some' for field '\$changeStream.fullDocument' is not a valid value.$/,
    ],
    [{ fullDocumentBeforeChange: 'some' }, {}, /^2 Enumeration value 'some' for field/],
    [{ resumeAfter: { _data: '82' }, startAfter: { _data: '82' } }, {}, /^50865 /],
    [{ resumeAfter: {} }, {}, /^40647 Bad resume token/],
    [{ resumeAfter: { _data: 'xyz' } }, {}, /^9 resume token string was not a valid hex string$/],
    [{ resumeAfter: { _data: '' } }, {}, /^40649 /],
    [{ resumeAfter: { _data: '8200000001000000012B08' } }, {}, /^50795 /],
    [{ resumeAfter: { _data: '82000000' } }, {}, /^50811 /],
    [{ allChangesForCluster: true }, {}, /^72 A \$changeStream with 'allChangesForCluster:true' may only be opened/],
    [{}, { db: 'admin', of: 1 as const }, /^73 \$changeStream may not be opened on the internal admin database$/],
    [{}, { db: 'config' }, /^73 /],
    [{}, { of: 'system.js' }, /^73 \$changeStream may not be opened on the internal db.system.js collection$/],
    [
      {},
      { more: { readConcern: { level: 'local' } } },
      /^72 Aggregation stage \$changeStream cannot run with a readConcern other than 'majority'/,
    ],
  ])('with options %j, opened with %j', async (options, where, reason) => {
    expect(await refusal(set(), options, where)).toMatch(reason);
  });

  test('on a view with code 166', async () => {
    const one = set();
    await one.client.plain({ create: 'v', viewOn: 'c' });
    expect(await refusal(one, {}, { of: 'v' })).toMatch(/^166 Namespace db.v is a view, not a collection$/);
  });

  test('with two starting points with code 40674', async () => {
    const one = set();
    const { token } = await watch(one);
    const options = { resumeAfter: token, startAtOperationTime: new Timestamp({ t: 1, i: 1 }) };
    expect(await refusal(one, options)).toMatch(/^40674 /);
  });

  test('after another stage with code 40602', async () => {
    const { client } = set();
    const pipeline = [{ $match: {} }, { $changeStream: {} }];
    expect(await client.refusal({ aggregate: 'c', pipeline, cursor: {} })).toMatch(/^40602 /);
  });

  test('with options of later versions', async () => {
    const old = set({ version: '5.0.0' });
    expect(await refusal(old, { showExpandedEvents: true })).toMatch(/^40415 /);
    expect(await refusal(old, { fullDocumentBeforeChange: 'off' })).toMatch(/^40415 /);
    expect(await refusal(old, { fullDocument: 'required' })).toMatch(/^40575 /);
  });

  test('with apiStrict and $changeStreamSplitLargeEvent', async () => {
    const pipeline = [{ $changeStreamSplitLargeEvent: {} }];
    const more = { apiVersion: '1', apiStrict: true };
    expect(await refusal(set(), {}, { pipeline, more })).toMatch(/^323 /);
    expect((await watch(set(), {}, { more })).open).toBe(true);
  });
});

describe('a stream whose pipeline changes the resume token', () => {
  test.each([[{ $project: { _id: 0 } }], [{ $set: { '_id.other': 1 } }], [{ $replaceWith: { a: 1 } }]])(
    'fails with code 280 and closes its cursor: %j',
    async stage => {
      const one = set();
      const stream = await watch(one, {}, { pipeline: [stage] });
      await one.client.plain({ insert: 'c', documents: [{ _id: 1 }] });
      const failure = await stream.failure();
      expect(failure).toMatchObject({
        code: 280,
        codeName: 'ChangeStreamFatalError',
        errorLabels: ['NonResumableChangeStreamError'],
      });
      expect(failure['errmsg']).toMatch(
        /Encountered an event whose _id field, which contains the resume token, was modified/,
      );
      expect(await stream.failure()).toMatchObject({ code: 43 });
    },
  );
});

describe('a truncated oplog', () => {
  const version = parseVersion('8.2.1');
  const time = (i: number): TimestampValue => new TimestampValue(100, i);

  const pastOf = (log: Log): Past => {
    const place = { at: { ts: time(1_000), term: 1n }, value: emptyDatabase };
    const [advanceClusterTime, onceMoved] = [() => undefined, () => () => undefined];
    return { log, committed: place, majority: () => place, isPrimary: true, advanceClusterTime, onceMoved };
  };

  const entry = (i: number, message = 'n'): Entry => ({
    at: { ts: time(i), term: 1n },
    first: time(i),
    wall: 0,
    ops: [{ kind: 'noop', message }],
    author: undefined,
    transaction: false,
    batches: true,
    value: undefined,
  });

  const context: EventContext = {
    version,
    specification: parseSpecification(Doc.EMPTY, version),
    lookUp: () => undefined,
    keyOf: () => [],
    isReported: () => true,
  };

  const stream = (log: Log, first: number): LogEvents =>
    new LogEvents(pastOf(log), time(first), { watch: { kind: 'cluster' }, context });

  test('fails streams that start or continue in its removed part with code 286', () => {
    const log = new Log(logLimitsOf(3 * 1_280));
    for (const i of [1, 3, 5, 7]) log.append(entry(i));
    expect(() => stream(log, 1).next()).toThrow(
      expect.objectContaining({ code: 286, codeName: 'ChangeStreamHistoryLost' }),
    );
    const behind = stream(log, 2);
    expect(behind.next()).toBeUndefined();
    for (const i of [9, 11, 13, 15]) log.append(entry(i));
    expect(() => behind.next()).toThrow(/the resume point may no longer be in the oplog/);
  });

  test('does not fail a stream that has read all removed entries', () => {
    const log = new Log(logLimitsOf(1));
    for (const i of [1, 3, 5]) log.append(entry(i));
    const ahead = stream(log, 6);
    for (const i of [7, 9]) {
      log.append(entry(i));
      expect(ahead.next()).toBeUndefined();
    }
    expect(ahead.seen()).toEqual(time(9));
  });

  test('does not fail a stream that starts before the set was initiated', () => {
    const made = new Log(logLimitsOf(0x10_0000));
    made.append(entry(50, 'initiating set'));
    expect(stream(made, 1).next()).toBeUndefined();
    const copied = new Log(logLimitsOf(0x10_0000));
    copied.append(entry(50));
    expect(() => stream(copied, 1).next()).toThrow(/oplog/);
  });
});
