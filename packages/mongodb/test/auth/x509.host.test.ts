import { MongoClient } from '@tessera/mongodb';
import { MongoClient as OfficialClient } from 'mongodb';
import type { RunningServer } from 'tessera-server';
import { startServer } from 'tessera-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthority, createFiles } from '../../../node/test/certificates.js';

const files = createFiles();
const authority = createAuthority();
const tlsCAFile = files.write('ca.pem', authority.certificate);
const write = (name: string, commonName: string, organization?: string): string =>
  files.write(name, authority.issue(commonName, organization === undefined ? {} : { organization }).both);

const ada = 'CN=ada,O=Tessera \\+ Sons\\, Ltd';
const adaFile = write('ada.pem', 'ada', 'Tessera + Sons, Ltd');
const eveFile = write('eve.pem', 'eve');

let server: RunningServer;

beforeAll(async () => {
  const { both } = authority.issue('localhost', { hosts: ['127.0.0.1'] });
  server = await startServer({
    tlsCertificateKeyFile: files.write('server.pem', both),
    tlsCAFile,
    tlsAllowConnectionsWithoutCertificates: true,
    users: [{ user: ada, db: '$external', roles: [{ role: 'readWrite', db: 'shop' }] }],
  });
});

afterAll(async () => {
  await server.close();
  files.remove();
});

interface Options {
  readonly tlsCertificateKeyFile?: string;
  readonly username?: string;
}

describe.each([
  ['this driver', (uri: string, options: object) => new MongoClient(uri, options)],
  ['the official driver', (uri: string, options: object) => new OfficialClient(uri, options) as unknown as MongoClient],
])('MONGODB-X509 by %s', (_name, create) => {
  const using = async <T>({ username, ...options }: Options, work: (client: MongoClient) => Promise<T>): Promise<T> => {
    const user = username === undefined ? '' : `${encodeURIComponent(username)}@`;
    const client = create(`mongodb://${user}${server.address}/?tls=true&authMechanism=MONGODB-X509`, {
      tlsCAFile,
      serverSelectionTimeoutMS: 2_000,
      ...options,
    });
    try {
      return await work(client);
    } finally {
      await client.close();
    }
  };

  test.each([{}, { username: ada }])('accepts a certificate whose subject is a user: %j', async options => {
    const info = await using({ tlsCertificateKeyFile: adaFile, ...options }, client =>
      client.db('shop').command({ connectionStatus: 1 }),
    );
    expect(info['authInfo']).toMatchObject({ authenticatedUsers: [{ user: ada, db: '$external' }] });
  });

  test.each([
    ['whose subject is not a user', { tlsCertificateKeyFile: eveFile }, 11],
    ['whose subject is not the given user', { tlsCertificateKeyFile: eveFile, username: ada }, 18],
    ['that the client does not send', {}, 18],
  ])('rejects a certificate %s', async (_why, options, code) => {
    const failed = using(options, client => client.db('shop').command({ ping: 1 }));
    await expect(failed).rejects.toMatchObject({ code });
  });
});
