import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { MongoClient, MongoNetworkError, MongoServerSelectionError } from '@tessera/mongodb';
import type { MongoClientOptions } from '@tessera/mongodb';
import { startServer } from 'tessera-server';
import type { RunningServer, StartOptions } from 'tessera-server';
import { createAuthority, createFiles } from '../../../node/test/certificates.js';

const files = createFiles();
const ca = createAuthority();
const hosts = ['localhost', '127.0.0.1'];
const tlsCAFile = files.write('ca.pem', ca.certificate);
const tlsCertificateKeyFile = files.write('server.pem', ca.issue('localhost', { hosts }).both);
const client = ca.issue('ann', { password: 'hunter2' });
const clientFile = files.write('client.pem', client.both);

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
afterAll(() => {
  files.remove();
});

const serve = async (options: StartOptions = {}): Promise<RunningServer> => {
  const server = await startServer({ tlsCertificateKeyFile, ...options });
  cleanups.push(() => server.close());
  return server;
};

const ping = async (uri: string, options: MongoClientOptions): Promise<unknown> => {
  const made = new MongoClient(uri, { serverSelectionTimeoutMS: 15_000, ...options });
  try {
    return await made.db('admin').command({ ping: 1 });
  } finally {
    await made.close();
  }
};

/** Returns the server selection error of a client that the server rejects. */
const selectionError = async (uri: string, options: MongoClientOptions): Promise<Error> =>
  ping(uri, { serverSelectionTimeoutMS: 800, ...options }).then(
    () => new Error('it connected'),
    (error: unknown) => error as Error,
  );

describe('a client with TLS', () => {
  test('connects with a CA file, with the connection string, and with the options of tls.connect', async () => {
    const { uri } = await serve();
    const plain = uri.replace('?tls=true', '');
    expect(await ping(uri, { tlsCAFile })).toMatchObject({ ok: 1 });
    expect(await ping(`${uri}&tlsCAFile=${encodeURIComponent(tlsCAFile)}`, {})).toMatchObject({ ok: 1 });
    expect(await ping(plain, { ssl: true, ca: ca.certificate, minVersion: 'TLSv1.3' })).toMatchObject({ ok: 1 });
    expect(await ping(uri, { tlsInsecure: true })).toMatchObject({ ok: 1 });
  });

  test('sends its certificate, whose key may be encrypted', async () => {
    const { uri } = await serve({ tlsCAFile });
    const shown = { tlsCertificateKeyFile: clientFile, tlsCertificateKeyFilePassword: 'hunter2' };
    expect(await ping(uri, { tlsCAFile, ...shown })).toMatchObject({ ok: 1 });
    const error = await selectionError(uri, { tlsCAFile });
    expect(error).toBeInstanceOf(MongoServerSelectionError);
    expect(error.message).toContain('requires a client certificate; set tlsCertificateKeyFile');
  });

  test('stores and returns a thousand documents unchanged', async () => {
    const { uri } = await serve();
    await using made = new MongoClient(uri, { tlsCAFile });
    const films = made.db('shop').collection<{ _id: number; title: string }>('films');
    const documents = Array.from({ length: 1000 }, (_, _id) => ({ _id, title: 'Metropolis '.repeat(_id % 100) }));
    await films.insertMany(documents);
    expect(await films.find().sort({ _id: 1 }).toArray()).toEqual(documents);
  });
});

describe('a failed TLS connection explains the cause without secrets:', () => {
  test('a certificate of an untrusted authority', async () => {
    const { uri, address } = await serve();
    const error = await selectionError(uri, {});
    expect(error).toBeInstanceOf(MongoServerSelectionError);
    expect(error.message).toContain(`The certificate of ${address} is not signed by a trusted authority`);
  });

  test('an expired certificate, and the certificate of another host', async () => {
    const expired = ca.issue('localhost', { hosts, to: -1000 }).both;
    const late = await serve({ tlsCertificateKeyFile: files.write('expired.pem', expired) });
    expect((await selectionError(late.uri, { tlsCAFile })).message).toContain('has expired; renew it on the server');
    const foreign = ca.issue('db9', { hosts: ['db9.example.com'] }).both;
    const other = await serve({ tlsCertificateKeyFile: files.write('db9.pem', foreign) });
    expect((await selectionError(other.uri, { tlsCAFile })).message).toContain('is for another host');
    expect(await ping(other.uri, { tlsCAFile, tlsAllowInvalidHostnames: true })).toMatchObject({ ok: 1 });
  });

  test('a server without TLS', async () => {
    const server = await startServer();
    cleanups.push(() => server.close());
    expect((await selectionError(`${server.uri}?tls=true`, { tlsCAFile })).message).toMatch(
      /closed the connection during the TLS handshake \(.*\); it may not support TLS/,
    );
  });

  test('missing files and wrong passwords, which fail at once because they are not temporary', async () => {
    const { uri } = await serve();
    const patient = { serverSelectionTimeoutMS: 30_000 };
    const missing = await selectionError(uri, { ...patient, tlsCAFile: '/nowhere/ca.pem' });
    expect(missing.message).toContain('Could not read the file of the option "tlsCAFile"');
    const wrong = { tlsCertificateKeyFile: clientFile, tlsCertificateKeyFilePassword: 'hunter3' };
    const denied = await selectionError(uri, { ...patient, tlsCAFile, ...wrong });
    expect(denied.message).toContain('Check tlsCertificateKeyFilePassword (or passphrase).');
    expect(denied.stack).not.toContain('hunter');
  });

  test('a server that stops responding during the TLS handshake, until server selection times out', async () => {
    const server = createServer(socket => void cleanups.push(() => socket.destroy()));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const error = await selectionError(`mongodb://127.0.0.1:${port}/?tls=true&connectTimeoutMS=150`, { tlsCAFile });
    expect(error.message).toContain('did not complete the TLS handshake within');
    expect(error).not.toBeInstanceOf(MongoNetworkError);
  });
});
