import { describe, expect, test } from 'vitest';
import type { Document, Lease } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { createTarget, clientBulkWrite, ClientBulkWrite } from '@tessera/operations';
import type { ClientBulkWriteOptions, ClientBulkWriteOutcome, ClientWrite } from '@tessera/operations';
import { bson } from '@tessera/bson';
import { attemptOn, commandOf, scripted } from './scripted.js';

const target = createTarget({ bson }, 'admin', '', {});
const unheard = createTarget({ bson }, 'admin', '', { writeConcern: { w: 0 } });
const nothing = (): undefined => undefined;

const insert = (namespace: string, document: Document): ClientWrite => ({
  namespace,
  kind: 'insert',
  op: { insert: 0, document },
});
const update = (namespace: string, filter: Document, multi = false): ClientWrite => ({
  namespace,
  kind: 'update',
  op: { update: 0, filter, updateMods: { $set: { a: 1 } }, multi },
});

const zero = { nErrors: 0, nInserted: 0, nUpserted: 0, nMatched: 0, nModified: 0, nDeleted: 0 };
const answer = (counts: Partial<typeof zero>, results: readonly Document[], id = 0n): Document => ({
  ...zero,
  ...counts,
  cursor: { id, ns: 'admin.$cmd.bulkWrite', firstBatch: results },
});
const more = (results: readonly Document[], id = 0n): Document => ({
  cursor: { id, ns: 'admin.$cmd.bulkWrite', nextBatch: results },
});

const run = (
  script: ReturnType<typeof scripted>,
  writes: readonly ClientWrite[],
  options: ClientBulkWriteOptions = {},
): Promise<ClientBulkWriteOutcome> => clientBulkWrite(script, target, writes, options, {});

describe('Bulk Write, "Building a bulkWrite Command"', () => {
  test('ops refer to nsInfo, which contains each namespace once; errorsOnly and ordered are always sent', () => {
    const writes = [insert('a.a', { _id: 1 }), insert('b.b', { _id: 2 }), update('a.a', { _id: 1 })];
    expect(commandOf(new ClientBulkWrite(target, writes, 0, {}, nothing, nothing))).toEqual({
      bulkWrite: 1,
      errorsOnly: true,
      ordered: true,
      $db: 'admin',
      ops: [
        { insert: 0, document: { _id: 1 } },
        { insert: 1, document: { _id: 2 } },
        { update: 0, filter: { _id: 1 }, updateMods: { $set: { a: 1 } }, multi: false },
      ],
      nsInfo: [{ ns: 'a.a' }, { ns: 'b.b' }],
    });
  });

  test('sends the given options', () => {
    const options = {
      ordered: false,
      verboseResults: true,
      bypassDocumentValidation: false,
      comment: 'c',
      let: { x: 1 },
    };
    expect(
      commandOf(new ClientBulkWrite(target, [insert('a.a', { _id: 1 })], 0, options, nothing, nothing)),
    ).toMatchObject({
      errorsOnly: false,
      ordered: false,
      bypassDocumentValidation: false,
      comment: 'c',
      let: { x: 1 },
    });
  });

  test('a command with a write on many documents is not retryable', () => {
    const [one, many] = [update('a.a', {}), update('a.a', {}, true)];
    const retryable = (writes: readonly ClientWrite[], from = 0) =>
      new ClientBulkWrite(target, writes, from, {}, nothing, nothing).retryable;
    expect([retryable([one]), retryable([one, many]), retryable([many, one], 1)]).toEqual([true, false, true]);
  });

  test('rejects servers before MongoDB 8.0 without sending a command', () => {
    const operation = new ClientBulkWrite(target, [insert('a.a', {})], 0, {}, nothing, nothing);
    expect(() => commandOf(operation, attemptOn({ maxWireVersion: 24 }))).toThrow(
      'The method client.bulkWrite requires MongoDB 8.0 or later',
    );
  });
});

describe('Bulk Write, "Command Batching"', () => {
  const taken = (writes: readonly ClientWrite[], limits: Parameters<typeof attemptOn>[0], from = 0) => {
    const attempt = attemptOn(limits);
    const command = commandOf(new ClientBulkWrite(target, writes, from, {}, nothing, nothing), attempt);
    expect((command['ops'] as unknown[]).length).toBe(attempt.statements);
    return [attempt.statements, (command['nsInfo'] as Document[]).map(({ ns }) => ns as unknown)];
  };

  test('contains at most maxWriteBatchSize writes', () => {
    const writes = [1, 2, 3].map(_id => insert('a.a', { _id }));
    expect(taken(writes, { maxWriteBatchSize: 2 })).toEqual([2, ['a.a']]);
    expect(taken(writes, { maxWriteBatchSize: 2 }, 2)).toEqual([1, ['a.a']]);
  });

  test('limits command, ops and nsInfo together to maxMessageSizeBytes minus 1000 bytes', () => {
    // The command has 43 bytes; an op with { _id: int32 } 41; { ns: 'a.a' } 17, { ns: 'b.bbb' } 19.
    const writes = [insert('a.a', { _id: 1 }), insert('a.a', { _id: 2 }), insert('b.bbb', { _id: 3 })];
    const two = 1000 + 43 + 2 * 41 + 17;
    expect(taken(writes, { maxMessageSizeBytes: two - 1 })).toEqual([1, ['a.a']]);
    expect(taken(writes, { maxMessageSizeBytes: two })).toEqual([2, ['a.a']]);
    expect(taken(writes, { maxMessageSizeBytes: two + 41 + 19 - 1 })).toEqual([2, ['a.a']]);
    expect(taken(writes, { maxMessageSizeBytes: two + 41 + 19 })).toEqual([3, ['a.a', 'b.bbb']]);
  });

  test('throws if a single write exceeds the limit', () => {
    expect(() => taken([insert('a.a', { _id: 1 })], { maxMessageSizeBytes: 1000 + 43 + 41 + 17 - 1 })).toThrow(
      'The write at 0 with its namespace of this bulkWrite takes 58 bytes, but only 57 are available.',
    );
  });

  test('"Size Limits": rejects an unacknowledged write that is too large', () => {
    const limits = attemptOn({ maxBsonObjectSize: 100 });
    const send = (write: ClientWrite) =>
      commandOf(new ClientBulkWrite(unheard, [write], 0, { ordered: false }, nothing, nothing), limits);
    // { a: string } has 13 bytes plus those of the string.
    expect(send(insert('a.a', { a: 'b'.repeat(87) }))).toMatchObject({ nsInfo: [{ ns: 'a.a' }] });
    expect(() => send(insert('a.a', { a: 'b'.repeat(88) }))).toThrow('The document at 0 of this bulkWrite takes 101');
    expect(send(update('a.a', { a: 'b'.repeat(10_000) }))).toMatchObject({ nsInfo: [{ ns: 'a.a' }] });
    expect(() => send(update('a.a', { a: 'b'.repeat(17_000) }))).toThrow('but only 16484 are available');
  });
});

describe('Bulk Write, "Handling the bulkWrite Server Response"', () => {
  const ok = { ok: 1, n: 1 };

  test('adds up the counts of all commands, and counts indexes over them', async () => {
    const script = scripted(
      [
        answer({ nInserted: 2 }, [
          { ...ok, idx: 0 },
          { ...ok, idx: 1 },
        ]),
        answer({ nUpserted: 1 }, [{ ...ok, idx: 0, nModified: 0, upserted: { _id: 9 } }]),
      ],
      { maxWriteBatchSize: 2 },
    );
    const writes = [insert('a.a', { _id: 1 }), insert('a.a', { _id: 2 }), update('a.a', { _id: 9 })];
    const outcome = await run(script, writes, { verboseResults: true });
    expect(outcome).toMatchObject({ nInserted: 2, nUpserted: 1, didWrite: true, failure: undefined });
    expect(outcome.results.map(({ index, upserted }) => [index, upserted?._id])).toEqual([
      [0, undefined],
      [1, undefined],
      [2, 9],
    ]);
    expect(new Set(script.requests.map(({ id }) => id)).size).toBe(1);
    expect(script.ended()).toBe(2);
  });

  test('reads all results with getMore, in the session of the command', async () => {
    const script = scripted([answer({ nInserted: 2 }, [{ ...ok, idx: 0 }], 7n), more([{ ...ok, idx: 1 }])]);
    const outcome = await run(script, [insert('a.a', {}), insert('a.a', {})], { verboseResults: true });
    expect(outcome.results.map(({ index }) => index)).toEqual([0, 1]);
    expect(script.asked[1]).toEqual({ getMore: 7, collection: '$cmd.bulkWrite', $db: 'admin' });
    expect(script.requests[1]?.session).toBe(script.requests[0]?.session);
  });

  const refused = (idx: number) => ({ ok: 0, idx, code: 11_000, errmsg: 'twice', n: 0 });

  test('ends an ordered run at the first error, with didWrite true unless the first write failed', async () => {
    const script = scripted([answer({ nErrors: 1, nInserted: 1 }, [refused(1)])], { maxWriteBatchSize: 2 });
    const writes = [1, 2, 3].map(_id => insert('a.a', { _id }));
    const outcome = await run(script, writes);
    expect(outcome).toMatchObject({ nInserted: 1, didWrite: true, results: [{ ok: false, index: 1, code: 11_000 }] });
    expect(script.asked.length).toBe(1);
    expect(await run(scripted([answer({ nErrors: 1 }, [refused(0)])]), writes)).toMatchObject({ didWrite: false });
  });

  test('continues an unordered run after an error', async () => {
    const script = scripted([answer({ nErrors: 2 }, [refused(0), refused(1)]), answer({ nErrors: 1 }, [refused(0)])], {
      maxWriteBatchSize: 2,
    });
    const outcome = await run(
      script,
      [1, 2, 3].map(_id => insert('a.a', { _id })),
      { ordered: false },
    );
    expect(outcome.results.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(outcome.didWrite).toBe(false);
  });

  test('continues after a write concern error and reads all its results', async () => {
    const unsafe = { writeConcernError: { code: 91, errmsg: 'going' } };
    const script = scripted(
      [
        { ...answer({ nInserted: 1 }, [{ ...ok, idx: 0 }], 7n), ...unsafe },
        more([{ ...ok, idx: 1 }]),
        { ...answer({ nInserted: 1 }, [{ ...ok, idx: 0 }]), ...unsafe },
      ],
      { maxWriteBatchSize: 2 },
    );
    const outcome = await run(
      script,
      [1, 2, 3].map(_id => insert('a.a', { _id })),
      { verboseResults: true },
    );
    expect(outcome.writeConcernErrors).toMatchObject([{ code: 91 }, { code: 91 }]);
    expect(outcome.results.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(outcome.nInserted).toBe(2);
  });

  test.each([['labelled', ['RetryableWriteError']] as const, ['unlabelled', []] as const])(
    'reports the results of a command with a write concern error that is %s once, regardless of retries',
    async (_, errorLabels) => {
      const unsafe = { writeConcernError: { code: 91, errmsg: 'going' }, errorLabels };
      const script = scripted([
        { ...answer({ nInserted: 2 }, [{ ...ok, idx: 0 }], 7n), ...unsafe },
        more([{ ...ok, idx: 1 }]),
      ]);
      const outcome = await run(script, [insert('a.a', {}), insert('a.a', {})], { verboseResults: true });
      expect(outcome).toMatchObject({ nInserted: 2, results: [{ index: 0 }, { index: 1 }], failure: undefined });
      expect(outcome.writeConcernErrors).toEqual([{ code: 91, errmsg: 'going' }]);
    },
  );

  test('Load Balancers, "Behaviour With Cursors": keeps its connection for its results also after a write concern error', async () => {
    const lease = { released: 0, connection: { detach: () => true }, release: () => lease.released++ };
    const script = scripted(
      [
        {
          ...answer({ nInserted: 2 }, [{ ...ok, idx: 0 }], 7n),
          writeConcernError: { code: 64, errmsg: 'slow' },
        },
        more([{ ...ok, idx: 1 }]),
      ],
      {},
      { topology: 'LoadBalanced', hold: () => lease as unknown as Lease },
    );
    const outcome = await run(script, [insert('a.a', {}), insert('a.a', {})], { verboseResults: true });
    expect(outcome.results.map(({ index }) => index)).toEqual([0, 1]);
    expect(script.requests.map(({ pin }) => pin)).toEqual([undefined, { lease }]);
    expect([lease.released, script.ended()]).toEqual([1, 1]);
  });

  test('ends at any other error with the known results, and kills the cursor', async () => {
    const failure = new MongoError('server', 'no such file', { code: 8 });
    const script = scripted([answer({ nInserted: 2 }, [{ ...ok, idx: 0 }], 7n), failure, {}]);
    const outcome = await run(script, [insert('a.a', {}), insert('a.a', {})], { verboseResults: true });
    expect(outcome).toMatchObject({ nInserted: 2, failure, results: [{ index: 0 }], didWrite: true });
    await Promise.resolve();
    expect(script.asked[2]).toMatchObject({ killCursors: '$cmd.bulkWrite', cursors: [7] });
  });

  test('sends every command of an unacknowledged run without a reply', async () => {
    const script = scripted(['unanswered', 'unanswered'], { maxWriteBatchSize: 1 });
    const writes = [insert('a.a', { _id: 1 }), insert('a.a', { _id: 2 })];
    const outcome = await clientBulkWrite(script, unheard, writes, { ordered: false }, {});
    expect(outcome).toMatchObject({ acknowledged: false, results: [] });
    expect(script.asked.map(command => command['writeConcern'] as unknown)).toEqual([{ w: 0 }, { w: 0 }]);
  });
});
