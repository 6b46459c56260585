/** Changes that have arrived before the application reads them, with the whole driver and a scripted primary. */
import type { MongoClient } from '@tessera/client';
import { expect, test } from 'vitest';
import { batch, change, withScript } from './change-stream-server.js';

const films = (client: MongoClient) => client.db('shop').collection('films');

test('a change stream returns received changes in the order of the calls, of next and of its iterator', () =>
  withScript({ answers: [batch([change('a'), change('b'), change('c'), change('d')])] }, async ({ client }) => {
    const stream = films(client).watch();
    const iterator = stream[Symbol.asyncIterator]();
    expect(await stream.next()).toEqual(change('a'));
    expect(await Promise.all([stream.next(), iterator.next(), stream.next()])).toEqual([
      ...[change('b'), { value: change('c'), done: false }, change('d')],
    ]);
    await stream.close();
  }));

test("a change stream returns no received change after the end of the caller's session", () =>
  withScript({ answers: [batch([change('a'), change('b')])] }, async ({ client }) => {
    const session = client.startSession();
    const stream = films(client).watch([], { session });
    expect(await stream.next()).toEqual(change('a'));
    await session.endSession();
    await expect(stream.next()).rejects.toThrow(expect.objectContaining({ name: 'MongoExpiredSessionError' }));
    await stream.close();
  }));

test('a started change stream is closed after its client was closed, and returns no received change', () =>
  withScript({ answers: [batch([change('a'), change('b')])] }, async ({ client }) => {
    const stream = films(client).watch();
    const emitted: string[] = [];
    stream.on('close', () => emitted.push('close'));
    const iterator = stream[Symbol.asyncIterator]();
    expect(await stream.next()).toEqual(change('a'));
    await client.close();
    expect([stream.closed, emitted]).toEqual([true, ['close']]);
    for (const read of [() => stream.next(), () => stream.tryNext()])
      await expect(read()).rejects.toThrow(expect.objectContaining({ name: 'MongoAPIError' }));
    expect(await iterator.next()).toEqual({ value: undefined, done: true });
  }));

test('a change stream returns no received change while its client closes', () =>
  withScript({ answers: [batch([change('a'), change('b')])] }, async ({ client }) => {
    const stream = films(client).watch();
    expect(await stream.next()).toEqual(change('a'));
    const closing = client.close();
    await expect(stream.next()).rejects.toThrow(expect.objectContaining({ name: 'MongoNotConnectedError' }));
    await closing;
  }));

test('a listener that closes the client receives no error and no further change', () =>
  withScript({ answers: [batch([change('a')])] }, async ({ client }) => {
    const stream = films(client).watch();
    const emitted: unknown[] = [];
    stream.on('error', error => emitted.push(error));
    const closed = new Promise(resolve => stream.once('close', resolve));
    stream.on('change', received => {
      emitted.push(received);
      void client.close();
    });
    await closed;
    expect(emitted).toEqual([change('a')]);
  }));
