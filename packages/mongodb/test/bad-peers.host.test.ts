import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { MongoClient, MongoNotConnectedError, MongoParseError, MongoServerSelectionError } from '@tessera/mongodb';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  while (closing.length > 0) await closing.pop()?.();
});

/** Starts a TCP server that passes each socket to the given function. Returns its address. */
const peer = async (handle: (socket: Socket) => void): Promise<string> => {
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    handle(socket);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise(resolve => server.close(resolve));
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** Returns the server selection error of an operation on an unusable deployment. */
const selectionError = async (hosts: string, options = ''): Promise<MongoServerSelectionError> => {
  const client = new MongoClient(`mongodb://${hosts}/?serverSelectionTimeoutMS=250&connectTimeoutMS=150${options}`);
  closing.push(() => client.close());
  const failed: unknown = await client
    .db()
    .collection('films')
    .findOne()
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  expect(failed).toBeInstanceOf(MongoServerSelectionError);
  return failed as MongoServerSelectionError;
};

const frame = (length: number, ...rest: readonly number[]): Buffer => {
  const header = Buffer.alloc(16);
  header.writeInt32LE(length, 0);
  header.writeInt32LE(2013, 12);
  return Buffer.concat([header, Buffer.from(rest)]);
};

describe('server selection fails with one error that describes the peer:', () => {
  test('a host name that does not resolve', async () => {
    const { message } = await selectionError('no-such-host.invalid:27017');
    expect(message).toContain('no-such-host.invalid');
    expect(message).toMatch(/find \(primary\) within \d+ ms/);
  });

  test('a port that refuses connections', async () => {
    expect((await selectionError('127.0.0.1:1')).message).toContain('ECONNREFUSED 127.0.0.1:1');
  });

  test('an HTTP server', async () => {
    const address = await peer(socket => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));
    expect((await selectionError(address)).message).toContain('HTTP');
  });

  test('a server that replies with a TLS alert', async () => {
    const alert = Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46]);
    const address = await peer(socket => socket.once('data', () => socket.end(alert)));
    expect((await selectionError(address)).message).toContain('TLS');
  });

  test('a TLS server, to which the client connects without TLS', async () => {
    const server = createTlsServer({});
    server.on('tlsClientError', () => undefined);
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise(resolve => server.close(resolve)));
    expect((await selectionError(`127.0.0.1:${(server.address() as AddressInfo).port}`)).message).toContain('TLS');
  });

  test('a server that never replies', async () => {
    expect((await selectionError(await peer(() => undefined))).message).toMatch(/did not answer hello within \d+ ms/);
  });

  test('a server that closes the connection', async () => {
    expect((await selectionError(await peer(socket => socket.once('data', () => socket.end())))).message).toContain(
      'closed the connection',
    );
  });

  test("a server that sends a frame with a length of two gigabytes, below the header's size, or below zero", async () => {
    for (const length of [2_147_483_647, 3, -1]) {
      const address = await peer(socket => socket.once('data', () => socket.write(frame(length, 1, 2, 3))));
      expect((await selectionError(address)).message).toContain(address);
    }
  });

  test('a server that closes the connection in the middle of a frame', async () => {
    const address = await peer(socket => socket.once('data', () => socket.end(frame(100, 0, 0, 0, 0, 0))));
    expect((await selectionError(address)).message).toContain(address);
  });
});

describe('a client', () => {
  test('throws on an invalid connection string, with an error that does not contain the password', () => {
    expect(() => new MongoClient('mongodb://ann:hunter2@db1/?maxpolsize=3')).toThrow(MongoParseError);
    for (const uri of [
      'mongodb://ann:hunter2@db1/?maxpolsize=3',
      'mongodb://ann:hunter2@x:y@db1',
      'mongodb://ann:hunter2@',
    ])
      try {
        new MongoClient(uri);
        expect.unreachable('the connection string was accepted');
      } catch (error) {
        expect(String((error as Error).stack)).not.toContain('hunter2');
      }
  });

  test('rejects operations after close, and can connect again', async () => {
    const client = new MongoClient('mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=50');
    await client.close();
    await expect(client.db().collection('films').findOne()).rejects.toThrow(MongoNotConnectedError);
    await expect(client.connect()).rejects.toThrow(MongoServerSelectionError);
    await client.close();
  });

  test('ends an operation that waits for a server when the client is closed', async () => {
    const client = new MongoClient('mongodb://127.0.0.1:1');
    const waiting = client.db().collection('films').findOne();
    const outcome = expect(waiting).rejects.toThrow(/closed/);
    await client.close();
    await outcome;
  });

  test("ends an operation at once when its signal aborts, with the signal's reason", async () => {
    const client = new MongoClient('mongodb://127.0.0.1:1');
    closing.push(() => client.close());
    const reason = new Error('enough');
    const abort = new AbortController();
    const waiting = client.db().collection('films').findOne({}, { signal: abort.signal });
    const outcome = expect(waiting).rejects.toBe(reason);
    abort.abort(reason);
    await outcome;
    await expect(
      client
        .db()
        .collection('films')
        .findOne({}, { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
  });

  test('adds the calling function to the stack of an error', async () => {
    const client = new MongoClient('mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=20');
    closing.push(() => client.close());
    const readTheFilms = async (): Promise<void> => {
      await client.db().collection('films').findOne();
    };
    await expect(readTheFilms()).rejects.toSatisfy((error: Error) => error.stack?.includes('readTheFilms') === true);
  });
});
