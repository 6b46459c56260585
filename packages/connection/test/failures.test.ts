/** How a connection fails: kinds, messages, causes, and whether it stays open. */
import { Cancellation, MongoError, serverError } from '@tessera/contracts';
import type { Authenticator, Compressor, Message } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { unreadable as wrongReply, unwritten } from '../src/connection-errors.js';
import { createStage, encode, HELLO, Note, settle, unreadable } from './stage.js';

describe('a message that throws while it reads one of many replies', () => {
  test('is abandoned, and the connection stays open if the reply was BSON', async () => {
    const { open } = createStage();
    const { peer, connection } = await open();
    const note = new Note({ hello: 1 }, { answer: 'many' });
    const odd = new MongoError('usage', 'not what was expected');
    note.onReply = () => {
      throw odd;
    };
    connection.start(note, Infinity);
    peer.reply({ n: 1 }, { more: true, id: 901 });
    expect([note.error, connection.closed]).toEqual([odd, false]);
    peer.reply({ n: 2 }, { to: 901 });
    const next = new Note();
    connection.start(next, Infinity);
    peer.reply({ ok: 1 });
    expect(next.received).toEqual([{ ok: 1 }, 'end']);
  });

  test('closes the connection if the reply was not BSON', async () => {
    const { open } = createStage();
    const { peer, connection } = await open();
    const note = new Note({ hello: 1 }, { answer: 'many' });
    connection.start(note, Infinity);
    peer.reply(unreadable(), { more: true, id: 901 });
    expect([note.error?.kind, note.error?.origin?.phase, connection.closed]).toEqual(['protocol', 'command', true]);
  });
});

test("wraps another exception of a message's reply method in a protocol error that names the server", async () => {
  const { open } = createStage();
  const { peer, connection } = await open();
  const note = new Note();
  const cause = new TypeError('oops');
  note.onReply = () => {
    throw cause;
  };
  connection.start(note, Infinity);
  peer.reply({ ok: 1 });
  expect(note.error).toMatchObject({
    ...{ kind: 'protocol', message: 'The reply of db:27017 could not be read: oops.', cause },
  });
});

test('the cause of an aborted authentication is the reason of the signal', async () => {
  const authenticator: Authenticator = {
    mechanism: 'X',
    begin: () => ({ finish: () => new Promise(() => undefined) }),
  };
  const cancellation = new Cancellation();
  const { dial } = createStage({ authenticator });
  const { peer, connecting } = await dial({ signal: cancellation });
  peer.reply(HELLO);
  await settle();
  const reason = new Error('enough');
  cancellation.abort(reason);
  const error = await connecting.catch((thrown: unknown) => thrown);
  const causes: unknown[] = [];
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) causes.push(cause);
  expect(causes).toContain(reason);
  expect(error).toMatchObject({ kind: 'aborted', message: 'The authentication was aborted.' });
});

test('ignores the socket after the connection is closed: keeps the first cause and calls ended once', async () => {
  let endings = 0;
  const { open } = createStage();
  const { peer, connection } = await open({ ended: () => (endings += 1) });
  connection.close(new MongoError('network', 'closed on purpose'));
  peer.sink.closed(new Error('ECONNRESET'));
  connection.close(new MongoError('network', 'closed again'));
  peer.send(new Uint8Array(32));
  const note = new Note();
  connection.start(note, Infinity);
  expect([endings, note.error?.cause]).toMatchObject([1, { message: 'closed on purpose' }]);
});

test('ignores a reply that arrived together with the reply that closed the connection.', async () => {
  let endings = 0;
  const { open } = createStage();
  const { peer, connection } = await open({ ended: () => (endings += 1) });
  const note = new Note();
  note.onEnd = () => {
    connection.close();
  };
  connection.start(note, Infinity);
  const frames: Uint8Array[] = [];
  const send = peer.send.bind(peer);
  peer.send = bytes => void frames.push(bytes);
  peer.reply({ ok: 1 });
  peer.reply({ ok: 1 });
  send(Buffer.concat(frames));
  expect([note.received, connection.closed, endings]).toEqual([[{ ok: 1 }, 'end'], true, 1]);
});

test('does not send a command if a listener to commandStarted closes the connection', async () => {
  const stage = createStage({ wants: ['commandStarted'] });
  const { connection, peer } = await stage.open();
  stage.events.push = () => {
    connection.close();
    return 0;
  };
  const note = new Note();
  connection.start(note, Infinity);
  expect([note.received, note.error?.origin?.sent, peer.frames]).toEqual([['fail: network'], false, []]);
});

test('sends a message once if it is started again while its compression is in progress', async () => {
  const done: (() => void)[] = [];
  const compressor: Compressor = {
    id: 2,
    name: 'zlib',
    compress: bytes =>
      new Promise(resolve => {
        done.push(() => {
          resolve(bytes.slice());
        });
      }),
    decompress: bytes => bytes,
  };
  const { open } = createStage({ compressors: [compressor], options: { compressors: ['zlib'] } });
  const { peer, connection } = await open({}, { ...HELLO, compression: ['zlib'] });
  const note = new Note();
  connection.start(note, Infinity);
  expect(connection.detach(new MongoError('aborted', 'stop'))).toBe(true);
  connection.start(note, Infinity);
  for (const one of done) one();
  await settle();
  expect(peer.frames).toHaveLength(1);
  peer.reply({ ok: 1 });
  expect(note.received).toEqual(['fail: aborted', { ok: 1 }, 'end']);
});

describe('an error of a server with an unknown address', () => {
  const message: Message = new Note();
  const origin = { phase: 'command', sent: true } as const;

  test('names "the server" in its message', () => {
    expect([
      serverError({ ok: 0, errmsg: 'no', code: 5, codeName: 'GraphContainsCycle' }, origin, 'ping').message,
      serverError({ ok: 0, code: 5 }, { ...origin, address: 'db:27017' }, 'ping').message,
      serverError({ ok: 0 }, origin, 'ping').message,
      wrongReply(new Error('odd'), origin).message,
      unwritten(message, 'odd', origin).message,
    ]).toEqual([
      "'ping' failed at the server: no (code 5, GraphContainsCycle)",
      "'ping' failed at db:27017: the server gave no reason (code 5)",
      "'ping' failed at the server: the server gave no reason",
      'The reply of the server could not be read: odd.',
      "'ping' could not be written: odd.",
    ]);
  });
});

describe('Stable API', () => {
  const serverApi = { version: '1', strict: true, deprecationErrors: false };

  test('appends exactly the declared fields to every command', async () => {
    const said = async (api: object | string): Promise<unknown> => {
      const { open } = createStage({ options: { serverApi: api as never } });
      const { peer, connection } = await open();
      connection.start(new Note(), Infinity);
      return peer.last.command;
    };
    expect(await said(serverApi)).toEqual({
      ...{ ping: 1, $db: 'test', apiVersion: '1', apiStrict: true, apiDeprecationErrors: false },
    });
    expect(await said('1')).toEqual({ ping: 1, $db: 'test', apiVersion: '1' });
    expect(await said({ version: '1', strict: undefined })).toEqual({ ping: 1, $db: 'test', apiVersion: '1' });
  });

  test('serves messages with sections, without sections and without a reply one after another', async () => {
    const { open } = createStage({ options: { serverApi } });
    const { peer, connection } = await open();
    const insert = new Note({ insert: 'c' }, { sequence: [{ _id: 1 }], answer: 'none' });
    connection.start(insert, Infinity);
    expect(peer.last).toMatchObject({ flags: 2, command: { insert: 'c', documents: [{ _id: 1 }], apiVersion: '1' } });
    const ping = new Note();
    connection.start(ping, Infinity);
    expect([peer.last.flags, peer.last.command]).toEqual([
      ...[0, { ping: 1, $db: 'test', apiVersion: '1', apiStrict: true, apiDeprecationErrors: false }],
    ]);
    peer.reply(encode({ ok: 1 }));
    expect([insert.received, ping.received]).toEqual([['end'], [{ ok: 1 }, 'end']]);
  });
});
