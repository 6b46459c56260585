import { describe, expect, test } from 'vitest';
import { Long } from 'bson';
import type { Document } from 'bson';
import { batch, change, withScript, passing } from './change-stream-server.js';
import type { Answer } from './change-stream-server.js';

/** Returns the reply with another server cursor id. */
const ofCursor = (id: number, answer: Document): Document => ({
  cursor: { ...(answer['cursor'] as Document), id: Long.fromNumber(id) },
});

describe('Change Streams: a stream that ends leaves no server cursor open', () => {
  test('after its signal aborts, although the connection still waits for a reply', () =>
    withScript({ answers: [batch([], 'p'), 'silence'] }, async ({ client, received, names, sleep }) => {
      const controller = new AbortController();
      const stream = client.db('shop').collection('films').watch([], { signal: controller.signal });
      const next = stream.next();
      await sleep(50);
      const reason = new Error('enough');
      controller.abort(reason);
      await expect(next).rejects.toBe(reason);
      await sleep(100);
      expect(names()).toEqual(['aggregate', 'getMore', 'killCursors']);
      expect(received[2]!['lsid']).toEqual(received[0]!['lsid']);
    }));

  test('after close, although other operations wait for the connection', () =>
    withScript(
      { answers: [batch([], 'p'), batch([], 'q'), batch([], 'r')], options: { maxPoolSize: 1 } },
      async ({ client, names, sleep }) => {
        const shop = client.db('shop');
        const stream = shop.collection('films').watch();
        await stream.tryNext();
        const more = stream.tryNext();
        const others = [1, 2, 3].map(() => shop.command({ ping: 1 }));
        await stream.close();
        await expect(more).resolves.toBe(null);
        await Promise.all(others);
        await sleep(100);
        expect(names()).toEqual(['aggregate', 'getMore', 'getMore', 'killCursors']);
      },
    ));

  test('after return() of its iterator, which ends a pending next() at once', () =>
    withScript({ answers: [batch([], 'p'), 'silence'] }, async ({ client, names, sleep }) => {
      const stream = client.db('shop').collection('films').watch();
      const iterator = stream[Symbol.asyncIterator]();
      const next = iterator.next();
      await sleep(50);
      const settled = await Promise.race([Promise.all([iterator.return(), next]), sleep(100)]);
      await stream.close();
      expect(settled).toEqual([
        { value: undefined, done: true },
        { value: undefined, done: true },
      ]);
      expect(await iterator.next()).toEqual({ value: undefined, done: true });
      await sleep(100);
      expect(names()).toEqual(['aggregate', 'getMore', 'killCursors']);
    }));

  test.each<readonly [why: string, failure: Answer]>([
    ['lost connection', 'hang up'],
    ['resumable error', passing()],
  ])('after a resume because of a %s, and kills each of its cursors once', (_, failure) =>
    withScript(
      { answers: [ofCursor(1, batch([])), failure, ofCursor(2, batch([change('a')]))] },
      async ({ client, received, sleep }) => {
        const stream = client.db('shop').collection('films').watch();
        await stream.next();
        await stream.close();
        await sleep(2_000);
        const ended = received.flatMap(command => (command['cursors'] ?? []) as readonly unknown[]).map(Number);
        expect(ended.sort()).toEqual([1, 2]);
      },
    ),
  );
});
