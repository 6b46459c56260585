import { describe, expect, test } from 'vitest';
import type { Document } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { ChangeStreamCursor } from '@tessera/operations';
import type { ChangeStreamOptions, Fetched } from '@tessera/operations';
import { scripted, targetOf } from './scripted.js';

const change = (id: string): Document => ({ _id: { _data: id }, operationType: 'insert' });
const reply = (
  batch: 'firstBatch' | 'nextBatch',
  documents: readonly Document[],
  token?: string,
  id = 9n,
): Document => ({
  cursor: {
    id,
    ns: 'db.films',
    [batch]: documents,
    ...(token === undefined ? {} : { postBatchResumeToken: { _data: token } }),
  },
});
const killed = { cursorsKilled: [9n] };

type Script = ReturnType<typeof scripted>;
const watch = (script: Script, options: ChangeStreamOptions = {}, pipeline: readonly Document[] = []) =>
  new ChangeStreamCursor(script, targetOf(), pipeline, options, {});
const stageOf = (command: Document | undefined): Document =>
  (command!['pipeline'] as Document[])[0]!['$changeStream'] as Document;
const fetches = async (stream: ChangeStreamCursor, times: number): Promise<Fetched[]> => {
  const fetched: Fetched[] = [];
  for (let time = 0; time < times; time++) fetched.push(await stream.fetch());
  return fetched;
};
const lost = (): MongoError => new MongoError('network', 'gone');

describe('a change stream', () => {
  test('writes its stage options in the stage, and the others in the aggregate', async () => {
    const script = scripted([reply('firstBatch', [], 'p'), reply('nextBatch', [])]);
    const stream = watch(
      script,
      {
        ...{ allChangesForCluster: true, fullDocument: 'required', fullDocumentBeforeChange: 'off' },
        ...{ showExpandedEvents: false, startAfter: { _data: 's' }, batchSize: 2, maxAwaitTimeMS: 50 },
        ...{ collation: { locale: 'de' }, comment: 'why' },
      },
      [{ $match: { operationType: 'insert' } }],
    );
    expect(await fetches(stream, 2)).toEqual(['opened', 'more']);
    expect(script.asked).toEqual([
      {
        aggregate: 'films',
        pipeline: [
          {
            $changeStream: {
              ...{ allChangesForCluster: true, fullDocument: 'required', fullDocumentBeforeChange: 'off' },
              ...{ showExpandedEvents: false, startAfter: { _data: 's' } },
            },
          },
          { $match: { operationType: 'insert' } },
        ],
        ...{ cursor: { batchSize: 2 }, collation: { locale: 'de' }, comment: 'why', $db: 'db' },
      },
      { getMore: 9, collection: 'films', batchSize: 2, maxTimeMS: 50, comment: 'why', $db: 'db' },
    ]);
  });

  test('Change Streams, "Resume Process": resumes after the last change, with its own session and read preference', async () => {
    const script = scripted([reply('firstBatch', [change('a')]), lost(), killed, reply('firstBatch', [change('b')])]);
    const stream = watch(script, { batchSize: 3 });
    await stream.fetch();
    expect([stream.take(), stream.take()]).toEqual([change('a'), undefined]);
    expect(await stream.fetch()).toBe('opened');
    expect(stream.take()).toEqual(change('b'));
    expect(script.asked.map(command => Object.keys(command)[0])).toEqual([
      'aggregate',
      'getMore',
      'killCursors',
      'aggregate',
    ]);
    expect(script.asked[3]).toEqual({
      ...script.asked[0],
      pipeline: [{ $changeStream: { resumeAfter: { _data: 'a' } } }],
    });
    expect(new Set(script.requests.map(({ session }) => session)).size).toBe(1);
    expect(script.requests.map(({ pin }) => pin)).toEqual([
      undefined,
      { address: 'db1:27017' },
      { address: 'db1:27017' },
      undefined,
    ]);
  });

  test('Change Streams, "Resume Process": resumes several times in a row without a change in between', async () => {
    const script = scripted([
      ...[reply('firstBatch', [], 'p'), lost(), killed],
      ...[reply('firstBatch', [], 'q'), lost(), killed, reply('firstBatch', [], 'r')],
    ]);
    const stream = watch(script);
    expect(await fetches(stream, 3)).toEqual(['opened', 'opened', 'opened']);
    expect(stageOf(script.asked[6])).toEqual({ resumeAfter: { _data: 'q' } });
    expect(stream.token).toEqual({ _data: 'r' });
  });

  test('resumes immediately after a failure, and with growing backoffs after consecutive failures', async () => {
    const resumed = (token: string): readonly (Document | Error)[] => [lost(), killed, reply('firstBatch', [], token)];
    const tokens = Array.from({ length: 10 }, (_, i) => `t${i}`);
    const script = scripted([reply('firstBatch', [], 'p'), ...tokens.flatMap(resumed)]);
    await fetches(watch(script), 11);
    expect(script.slept).toEqual([50, 100, 200, 400, 800, 1600, 3200, 5000, 5000]);
  });

  test.each([
    ['a getMore succeeds', [lost(), killed, reply('firstBatch', [], 'q'), reply('nextBatch', [], 'r')], 4],
    ['a resumption brings a change', [lost(), killed, reply('firstBatch', [change('a')], 'q')], 3],
  ] as const)('resumes at once again after %s', async (_what, good, times) => {
    const script = scripted([
      ...[reply('firstBatch', [], 'p'), lost(), killed, reply('firstBatch', [], 'q')],
      ...good,
      ...[lost(), killed, reply('firstBatch', [], 's')],
    ]);
    const stream = watch(script);
    for (let time = 0; time < times + 1; time++) {
      if (stream.closed) break;
      await stream.fetch();
      stream.take();
    }
    expect(script.slept).toEqual([50]);
  });

  test('does not wait beyond its deadline', async () => {
    const script = scripted([
      ...[reply('firstBatch', [], 'p'), lost(), killed],
      ...[reply('firstBatch', [], 'q'), lost(), killed, reply('firstBatch', [], 'r')],
    ]);
    const stream = watch(script);
    stream.deadline = 20;
    await fetches(stream, 3);
    expect(script.slept).toEqual([20]);
  });

  test('Change Streams, "Resumable Error": ends the stream if the aggregate of a resumption fails', async () => {
    const refused = new MongoError('network', 'gone again');
    const script = scripted([reply('firstBatch', [], 'p'), lost(), killed, refused]);
    const stream = watch(script);
    await stream.fetch();
    await expect(stream.fetch()).rejects.toBe(refused);
    expect([stream.closed, script.asked.length]).toEqual([true, 4]);
    expect(script.ended()).toBeGreaterThan(0);
    expect(await stream.fetch()).toBe('ended');
  });

  test('writes the resume options that the selected server supports', async () => {
    const script = scripted(
      [{ ...reply('firstBatch', []), operationTime: 5 }, lost(), killed, reply('firstBatch', [])],
      {
        maxWireVersion: 6,
      },
    );
    await fetches(watch(script), 2);
    expect(stageOf(script.asked[3])).toEqual({});
  });

  test('Client Side Operations Timeout, "Change Streams": throws the timeout of a call, and resumes at the next call', async () => {
    const late = new MongoError('timeout', 'late');
    const script = scripted([reply('firstBatch', [], 'p'), late, killed, late, reply('firstBatch', [change('a')])]);
    const stream = watch(script);
    stream.deadline = 100;
    await stream.fetch();
    await expect(stream.fetch()).rejects.toBe(late);
    await expect(stream.fetch()).rejects.toBe(late);
    expect(stream.closed).toBe(false);
    expect(await stream.fetch()).toBe('opened');
    expect(stream.take()).toEqual(change('a'));
    expect(stageOf(script.asked[4])).toEqual({ resumeAfter: { _data: 'p' } });
  });

  test('sends the first aggregate again unchanged after it timed out', async () => {
    const late = new MongoError('timeout', 'late');
    const script = scripted([late, reply('firstBatch', [])]);
    const stream = watch(script, { startAtOperationTime: 5, resumeAfter: { _data: 'r' } });
    stream.deadline = 100;
    await expect(stream.fetch()).rejects.toBe(late);
    expect([stream.opened, await stream.fetch(), stream.opened]).toEqual([false, 'opened', true]);
    expect(script.asked[1]).toEqual(script.asked[0]);
  });

  test('a change without a resume token ends the stream and kills its cursor', async () => {
    const script = scripted([reply('firstBatch', [{ operationType: 'insert' }]), killed]);
    const stream = watch(script);
    await stream.fetch();
    expect(() => stream.take()).toThrow('Cannot provide resume functionality when the resume token is missing');
    expect([stream.closed, script.asked[1]]).toEqual([true, { killCursors: 'films', cursors: [9], $db: 'db' }]);
  });

  test('ends with its session after the last batch', async () => {
    const script = scripted([reply('firstBatch', [change('a')], 'p', 0n)]);
    const stream = watch(script);
    expect(await stream.fetch()).toBe('opened');
    expect(stream.take()).toEqual(change('a'));
    expect([await stream.fetch(), stream.closed, script.ended()]).toEqual(['ended', true, 1]);
  });

  test('close ends a waiting call immediately', async () => {
    const script = scripted([reply('firstBatch', []), 'silence', killed]);
    const stream = watch(script);
    await stream.fetch();
    const waiting = stream.fetch();
    await stream.close();
    expect([await waiting, script.asked[2]]).toEqual(['ended', { killCursors: 'films', cursors: [9], $db: 'db' }]);
  });

  test('reads the resume token of raw documents', async () => {
    const script = scripted([reply('firstBatch', [change('a')])]);
    const stream = new ChangeStreamCursor(script, targetOf({ bson: { raw: true } }), [], {}, {});
    await stream.fetch();
    expect(stream.take()).toBeInstanceOf(Uint8Array);
    expect(stream.token).toEqual({ _data: 'a' });
  });

  test('decodes replies only if keepsAnswers is true', async () => {
    const script = scripted([reply('firstBatch', []), { ...reply('nextBatch', [change('a')]), operationTime: 5 }]);
    const stream = watch(script);
    await stream.fetch();
    expect(stream.answer).toBeUndefined();
    stream.keepsAnswers = true;
    await stream.fetch();
    expect(stream.answer).toMatchObject({ ok: 1, operationTime: 5, cursor: { nextBatch: [change('a')] } });
    expect(stream.take()).toEqual(change('a'));
  });
});
