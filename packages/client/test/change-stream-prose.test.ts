/** The prose tests of Change Streams, with the whole driver. */
import { MongoChangeStreamError, MongoClient } from '@tessera/client';
import type { ChangeStream, ChangeStreamOptions, ResumeToken } from '@tessera/client';
import { createWorld } from '@tessera/sim';
import type { Document } from 'bson';
import { Timestamp } from 'bson';
import { expect, test } from 'vitest';
import { batch, change, withScript, passing, refusal, stagesOf } from './change-stream-server.js';
import type { Scenario } from './change-stream-server.js';
import { HELLO, isHello, scriptServer } from './scripted-server.js';
import { withServers } from './with-servers.js';
import type { Layout } from './with-servers.js';

const token = (data: string): Document => ({ _data: data });

test('Change Streams, prose test 1: the resume token of every change is tracked', () =>
  withScript({ answers: [batch([change('a'), change('b')]), batch([change('c')])] }, async ({ client }) => {
    const stream = client.db('shop').collection('films').watch();
    const tokens: ResumeToken[] = [];
    stream.on('resumeTokenChanged', emitted => tokens.push(emitted));
    for (const expected of ['a', 'b', 'c']) {
      await stream.next();
      expect(stream.resumeToken).toEqual(token(expected));
    }
    expect(tokens).toEqual([token('a'), token('b'), token('c')]);
    await stream.close();
  }));

test('Change Streams, prose test 2: a change without a resume token throws and closes the stream', () =>
  withScript({ answers: [batch([{ operationType: 'insert' }])] }, async ({ client, names }) => {
    const stream = client
      .db('shop')
      .collection('films')
      .watch([{ $project: { _id: 0 } }]);
    const failure = await stream.next().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(MongoChangeStreamError);
    expect(String(failure)).toContain('Cannot provide resume functionality when the resume token is missing');
    expect([stream.closed, names()]).toEqual([true, ['aggregate', 'killCursors']]);
  }));

test.each<readonly [string, (stream: ChangeStream) => Promise<unknown>]>([
  ['next', stream => stream.next()],
  ['a for await loop', stream => stream[Symbol.asyncIterator]().next()],
])('Change Streams, prose test 2: also behind another change of the batch, with %s', (_, read) =>
  withScript({ answers: [batch([change('a'), { operationType: 'insert' }])] }, async ({ client, names }) => {
    const stream = client.db('shop').collection('films').watch();
    expect(await stream.next()).toEqual(change('a'));
    const failure = await read(stream).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(MongoChangeStreamError);
    expect([stream.closed, names()]).toEqual([true, ['aggregate', 'killCursors']]);
  }),
);

test('Change Streams, prose test 3: a resumable error resumes with the same pipeline and options, and the token', () =>
  withScript(
    { answers: [batch([change('a')]), passing(), batch([change('b')])] },
    async ({ client, received, names }) => {
      const options: ChangeStreamOptions = { fullDocument: 'updateLookup', batchSize: 2, comment: 'why' };
      const pipeline = [{ $match: { operationType: 'insert' } }];
      const stream = client.db('shop').collection('films').watch(pipeline, options);
      expect([await stream.next(), await stream.next()]).toEqual([change('a'), change('b')]);
      expect(names()).toEqual(['aggregate', 'getMore', 'killCursors', 'aggregate']);
      const without = ({ pipeline: _pipeline, $clusterTime: _time, ...rest }: Document): Document => rest;
      expect(without(received[3]!)).toEqual(without(received[0]!));
      expect(received[3]!['pipeline']).toEqual([
        { $changeStream: { fullDocument: 'updateLookup', resumeAfter: token('a') } },
        ...pipeline,
      ]);
      await stream.close();
    },
  ));

test.each([
  ['that begins', [passing()], 1],
  ['that resumes', [batch([], 'p'), passing(), passing()], 4],
])('Change Streams, prose test 4: no error of an aggregate %s is resumed', (_, answers, commands) =>
  withScript({ answers }, async ({ client, names }) => {
    const stream = client.db('shop').collection('films').watch();
    await expect(stream.next()).rejects.toMatchObject({ code: 280 });
    expect([stream.closed, names().length]).toEqual([true, commands]);
  }),
);

test('Change Streams, prose test 6: a resume selects a server with the original read preference', async () => {
  const world = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) });
  const received: string[] = [];
  const hosts = ['db1:27017', 'db2:27017', 'db3:27017'];
  await world.run(async () => {
    let secondary = 'db2:27017';
    const servers = await Promise.all(
      hosts.map(address =>
        scriptServer(world, address, command => {
          const isSecondary = address === secondary;
          if (isHello(command))
            return {
              ...{ ...HELLO, setName: 'rs', setVersion: 1, hosts, me: address },
              ...{ isWritablePrimary: address === 'db1:27017', secondary: isSecondary },
            };
          received.push(`${Object.keys(command)[0]!} ${address}`);
          if ('aggregate' in command) return batch(isSecondary && received.length > 1 ? [change('a')] : [], 'p');
          if (!('getMore' in command)) return {};
          // From here on the other member is the secondary.
          secondary = 'db3:27017';
          return 'hang up';
        }),
      ),
    );
    const client = new MongoClient(`mongodb://${hosts.join()}/?replicaSet=rs`, {}, { runtime: world.runtime });
    const stream = client.db('shop').collection('films').watch([], { readPreference: 'secondary' });
    expect(await stream.next()).toEqual(change('a'));
    await client.close();
    for (const server of servers) await server.close();
    await world.runtime.clock.sleep(2000);
  });
  expect(received.filter(one => /aggregate|getMore/.test(one))).toEqual([
    'aggregate db2:27017',
    'getMore db2:27017',
    'aggregate db3:27017',
  ]);
});

test('Change Streams, prose test 7: a cursor with an empty first batch stays open', () =>
  withScript({ answers: [batch([]), batch([change('a')])] }, async ({ client, names }) => {
    const stream = client.db('shop').collection('films').watch();
    await stream.open();
    expect([stream.closed, names()]).toEqual([false, ['aggregate']]);
    expect(await stream.next()).toEqual(change('a'));
    await stream.close();
  }));

test.each([
  ['refuses', refusal(13)] as const,
  ['closes the connection at', 'hang up'] as const,
  ['never answers', 'silence'] as const,
])('Change Streams, prose test 8: a server that %s the killCursors of a resume does not break the stream', (_, kill) =>
  withScript({ answers: [batch([], 'p'), passing(), batch([change('a')])], kill }, async ({ client, names, sleep }) => {
    const stream = client.db('shop').collection('films').watch();
    expect(await stream.next()).toEqual(change('a'));
    expect(names()).toContain('killCursors');
    await sleep(1000);
    await stream.close();
  }),
);

const of = (maxWireVersion: number): Document => ({ maxWireVersion });

test('Change Streams, prose test 9: without a token, a resume starts at the operation time of the first reply', () => {
  const operationTime = new Timestamp({ t: 7, i: 3 });
  const scenario: Scenario = {
    answers: [batch([], undefined, { operationTime }), 'hang up', batch([change('a')])],
    hello: of(8),
  };
  return withScript(scenario, async ({ client, received }) => {
    const stream = client.db('shop').collection('films').watch();
    expect(await stream.next()).toEqual(change('a'));
    expect(stagesOf(received)).toEqual([{}, { startAtOperationTime: operationTime }]);
    await stream.close();
  });
});

test('Change Streams, prose test 11: at the end of a batch the token is postBatchResumeToken', () =>
  withScript({ answers: [batch([], 'p'), batch([change('a')], 'q'), batch([], 'r')] }, async ({ client }) => {
    const stream = client.db('shop').collection('films').watch();
    await stream.open();
    expect(stream.resumeToken).toEqual(token('p'));
    await stream.next();
    expect(stream.resumeToken).toEqual(token('q'));
    expect(await stream.tryNext()).toBeNull();
    expect(stream.resumeToken).toEqual(token('r'));
    await stream.close();
  }));

test.each<readonly [what: string, options: ChangeStreamOptions, before: ResumeToken]>([
  ['resumeAfter', { resumeAfter: token('r') }, token('r')],
  ['nothing', {}, null],
])(
  'Change Streams, prose test 12: before server 4.0.7 the token is that of the last change, and before the first change it %s',
  (_, options, before) =>
    withScript({ answers: [batch([]), batch([change('a')])], hello: of(8) }, async ({ client }) => {
      const stream = client.db('shop').collection('films').watch([], options);
      await stream.open();
      expect(stream.resumeToken).toEqual(before);
      await stream.next();
      expect(stream.resumeToken).toEqual(token('a'));
      await stream.close();
    }),
);

test('Change Streams, prose test 13: within a batch the token is that of the last returned change', () =>
  withScript({ answers: [batch([change('a'), change('b')], 'q')] }, async ({ client }) => {
    const stream = client.db('shop').collection('films').watch();
    await stream.next();
    expect(stream.resumeToken).toEqual(token('a'));
    await stream.close();
  }));

test.each<readonly [what: string, options: ChangeStreamOptions, expected: ResumeToken]>([
  ['startAfter', { startAfter: token('s') }, token('s')],
  ['resumeAfter', { resumeAfter: token('r') }, token('r')],
  ['nothing', {}, null],
])(
  'Change Streams, prose test 14: before a change of the first batch is read, the token is %s',
  (_, options, expected) =>
    withScript({ answers: [batch([change('a')], 'q')] }, async ({ client }) => {
      const stream = client.db('shop').collection('films').watch([], options);
      expect(stream.resumeToken).toEqual(expected);
      await stream.open();
      expect([stream.resumeToken, stream.bufferedCount()]).toEqual([expected, 1]);
      await stream.close();
    }),
);

test('Change Streams, prose test 17: a stream with startAfter resumes with startAfter until it has received a change', () =>
  withScript({ answers: [batch([]), 'hang up', batch([change('a')])] }, async ({ client, received }) => {
    const stream = client
      .db('shop')
      .collection('films')
      .watch([], { startAfter: token('s') });
    await stream.next();
    expect(stagesOf(received)).toEqual([{ startAfter: token('s') }, { startAfter: token('s') }]);
    await stream.close();
  }));

test('Change Streams, prose test 18: a stream with startAfter resumes with resumeAfter after it has received a change', () =>
  withScript({ answers: [batch([change('a')]), 'hang up', batch([change('b')])] }, async ({ client, received }) => {
    const stream = client
      .db('shop')
      .collection('films')
      .watch([], { startAfter: token('s') });
    expect([await stream.next(), await stream.next()]).toEqual([change('a'), change('b')]);
    expect(stagesOf(received)).toEqual([{ startAfter: token('s') }, { resumeAfter: token('a') }]);
    await stream.close();
  }));

test.each<readonly [title: string, layout: Layout, uri: string]>([
  ['a replica set', [{ replicaSet: 'rs' }], 'mongodb://db1/?replicaSet=rs'],
  ['a sharded cluster', { topology: 'sharded', mongoses: 1 }, 'mongodb://db1/'],
])(
  'Change Streams, prose test 19: %s splits the event of a 10 MB update into two fragments, and both arrive',
  (_, layout, uri) =>
    withServers(layout, async ({ open }) => {
      const text = (letter: string): string => letter.repeat(10 * 1024 * 1024);
      const films = await open(uri)
        .db('shop')
        .createCollection('films', { changeStreamPreAndPostImages: { enabled: true } });
      await films.insertOne({ value: text('q') });
      const stream = films.watch([{ $changeStreamSplitLargeEvent: {} }], { fullDocumentBeforeChange: 'required' });
      await stream.open();
      await films.updateOne({}, { $set: { value: text('z') } });
      const [first, second] = [await stream.next(), await stream.next()];
      expect([first.splitEvent, second.splitEvent]).toEqual([
        { fragment: 1, of: 2 },
        { fragment: 2, of: 2 },
      ]);
      const event = { ...first, ...second } as Document;
      const before = event['fullDocumentBeforeChange'] as Document;
      const { updatedFields } = event['updateDescription'] as { updatedFields: Document };
      expect([before['value'] === text('q'), updatedFields['value'] === text('z')]).toEqual([true, true]);
      await stream.close();
    }),
  60_000,
);

test('Change Streams, prose test 19: fragments of an event are returned one by one', () => {
  const fragment = (number: number): Document => change(`f${number}`, { splitEvent: { fragment: number, of: 2 } });
  return withScript(
    { answers: [batch([]), batch([fragment(1)]), batch([fragment(2)])] },
    async ({ client, received }) => {
      const stream = client
        .db('shop')
        .collection('films')
        .watch([{ $changeStreamSplitLargeEvent: {} }], { fullDocumentBeforeChange: 'required' });
      const [first, second] = [await stream.next(), await stream.next()];
      expect([first.splitEvent, second.splitEvent]).toEqual([
        { fragment: 1, of: 2 },
        { fragment: 2, of: 2 },
      ]);
      expect(received[0]!['pipeline']).toEqual([
        { $changeStream: { fullDocumentBeforeChange: 'required' } },
        { $changeStreamSplitLargeEvent: {} },
      ]);
      await stream.close();
    },
  );
});
