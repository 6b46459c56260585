import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { MongoClient, MongoNotConnectedError, MongoParseError, MongoServerSelectionError } from '@tessera/mongodb';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  while (closing.length > 0) await closing.pop()?.();
});

/** A port whose connections are treated so. */
const peer = async (treat: (socket: Socket) => void): Promise<string> => {
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    treat(socket);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise(resolve => server.close(resolve));
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** What a client says of a deployment that it cannot use. */
const complaint = async (hosts: string, options = ''): Promise<MongoServerSelectionError> => {
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

describe('a peer that is no usable MongoDB server is told of in one error, with what it did', () => {
  test('a host that does not exist', async () => {
    const { message } = await complaint('no-such-host.invalid:27017');
    expect(message).toContain('no-such-host.invalid');
    expect(message).toMatch(/find \(primary\) within \d+ ms/);
  });

  test('a port where nobody listens', async () => {
    expect((await complaint('127.0.0.1:1')).message).toContain('ECONNREFUSED 127.0.0.1:1');
  });

  test('a web server', async () => {
    const address = await peer(socket => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));
    expect((await complaint(address)).message).toContain('HTTP');
  });

  test('a TLS server on a plain port', async () => {
    const alert = Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46]);
    const address = await peer(socket => socket.once('data', () => socket.end(alert)));
    expect((await complaint(address)).message).toContain('TLS');
  });

  test('a TLS server of the host itself', async () => {
    const server = createTlsServer({});
    server.on('tlsClientError', () => undefined);
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise(resolve => server.close(resolve)));
    expect((await complaint(`127.0.0.1:${(server.address() as AddressInfo).port}`)).message).toContain('TLS');
  });

  test('one that says nothing', async () => {
    expect((await complaint(await peer(() => undefined))).message).toMatch(/did not answer hello within \d+ ms/);
  });

  test('one that hangs up', async () => {
    expect((await complaint(await peer(socket => socket.once('data', () => socket.end())))).message).toContain(
      'closed the connection',
    );
  });

  test('one that claims a frame of two gigabytes, of fewer bytes than a header, or of nonsense', async () => {
    for (const length of [2_147_483_647, 3, -1]) {
      const address = await peer(socket => socket.once('data', () => socket.write(frame(length, 1, 2, 3))));
      expect((await complaint(address)).message).toContain(address);
    }
  });

  test('one that stops in the middle of a frame', async () => {
    const address = await peer(socket => socket.once('data', () => socket.end(frame(100, 0, 0, 0, 0, 0))));
    expect((await complaint(address)).message).toContain(address);
  });
});

describe('a client', () => {
  test('refuses what is malformed when it is made, and never repeats a password', () => {
    expect(() => new MongoClient('mongodb://ann:hunter2@db1/?maxpolsize=3')).toThrow(MongoParseError);
    for (const uri of [
      'mongodb://ann:hunter2@db1/?maxpolsize=3',
      'mongodb://ann:hunter2@x:y@db1',
      'mongodb://ann:hunter2@',
    ])
      try {
        new MongoClient(uri);
        expect.unreachable('it was accepted');
      } catch (error) {
        expect(String((error as Error).stack)).not.toContain('hunter2');
      }
  });

  test('that is closed says so, and opens again by connect', async () => {
    const client = new MongoClient('mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=50');
    await client.close();
    await expect(client.db().collection('films').findOne()).rejects.toThrow(MongoNotConnectedError);
    await expect(client.connect()).rejects.toThrow(MongoServerSelectionError);
    await client.close();
  });

  test('closed while an operation waits for a server ends that operation at once', async () => {
    const client = new MongoClient('mongodb://127.0.0.1:1');
    const waiting = client.db().collection('films').findOne();
    const outcome = expect(waiting).rejects.toThrow(/closed/);
    await client.close();
    await outcome;
  });

  test("gives up at once when the signal aborts, with the signal's reason", async () => {
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

  test('an error names the function that asked', async () => {
    const client = new MongoClient('mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=20');
    closing.push(() => client.close());
    const readTheFilms = async (): Promise<void> => {
      await client.db().collection('films').findOne();
    };
    await expect(readTheFilms()).rejects.toSatisfy((error: Error) => error.stack?.includes('readTheFilms') === true);
  });
});
