import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Collection } from 'mongodb';
import { MongoClient } from 'mongodb';
import type { StartClusterOptions, StartOptions } from 'tessera-server';
import { startCluster, startServer } from 'tessera-server';
import { describe, expect, test } from 'vitest';
import { help, readArguments } from '../src/arguments.js';
import { createAuthority, createFiles } from '../../node/test/certificates.js';
import { version } from '../src/version.js';

test('startServer: resolves when the server accepts connections on a free local port, and `await using` closes it', async () => {
  let uri: string;
  {
    await using server = await startServer();
    ({ uri } = server);
    expect(uri).toMatch(/^mongodb:\/\/127\.0\.0\.1:\d+\/$/);
    const client = await MongoClient.connect(uri);
    try {
      await client.db('shop').collection('films').insertOne({ title: 'Metropolis' });
      expect(await client.db('shop').collection('films').countDocuments()).toBe(1);
    } finally {
      await client.close();
    }
  }
  await expect(MongoClient.connect(uri, { serverSelectionTimeoutMS: 100 })).rejects.toThrow('ECONNREFUSED');
});

test('startServer: two servers share nothing', async () => {
  await using one = await startServer();
  await using other = await startServer();
  const [first, second] = await Promise.all([MongoClient.connect(one.uri), MongoClient.connect(other.uri)]);
  try {
    await first.db('d').collection('c').insertOne({});
    expect(await second.db('d').collection('c').countDocuments()).toBe(0);
  } finally {
    await Promise.all([first.close(), second.close()]);
  }
});

test('startServer: rejects an unsupported version', async () => {
  await expect(startServer({ version: '3.6.0' })).rejects.toThrow(
    'The version "3.6.0" is not supported. Give a version from 4.2.0 to 8.2.x.',
  );
});

test('startServer: with a certificate accepts only TLS, and clients must trust the certificate', async () => {
  const files = createFiles();
  try {
    const ca = createAuthority();
    const tlsCAFile = files.write('ca.pem', ca.certificate);
    const identity = ca.issue('localhost', { hosts: ['localhost', '127.0.0.1'] });
    const tlsCertificateKeyFile = files.write('server.pem', identity.both);
    await using server = await startServer({ tlsCertificateKeyFile });
    expect(server.uri).toMatch(/^mongodb:\/\/127\.0\.0\.1:\d+\/\?tls=true$/);
    const client = await MongoClient.connect(server.uri, { tlsCAFile });
    try {
      await client.db('shop').collection('films').insertOne({ title: 'Metropolis' });
      expect(await client.db('shop').collection('films').countDocuments()).toBe(1);
      const { security } = await client.db('admin').command({ serverStatus: 1 });
      expect(security).toEqual({ SSLServerSubjectName: 'CN=localhost' });
    } finally {
      await client.close();
    }
    const impatient = { serverSelectionTimeoutMS: 200 };
    await expect(MongoClient.connect(server.uri, impatient)).rejects.toThrow('unable to verify');
    await expect(MongoClient.connect(server.uri.replace('?tls=true', ''), impatient)).rejects.toThrow();
  } finally {
    files.remove();
  }
});

test('startServer: rejects TLS options without a readable certificate', async () => {
  await expect(startServer({ tlsCAFile: '/ca.pem' })).rejects.toThrow(
    'The server needs a certificate for TLS. Set "tlsCertificateKeyFile" to its PEM file.',
  );
  await expect(startServer({ tlsCertificateKeyFile: '/nowhere.pem' })).rejects.toThrow(
    'Could not read the file of "tlsCertificateKeyFile"',
  );
});

test('arguments: accepts `--name value` and `--name=value`; the default port is 27017', () => {
  expect(readArguments([])).toEqual({ kind: 'start', options: { port: 27017 } });
  expect(readArguments(['--port', '0', '--bind-ip=::1', '--server-version', '7.0.0'])).toEqual({
    kind: 'start',
    options: { port: 0, bindIp: '::1', version: '7.0.0' },
  });
  expect(readArguments(['--test-commands'])).toEqual({ kind: 'start', options: { port: 27017, testCommands: true } });
  expect(readArguments(['--search'])).toEqual({ kind: 'start', options: { port: 27017, search: true } });
  expect(readArguments(['--tls-certificate-key-file=s.pem', '--tls-allow-connections-without-certificates'])).toEqual({
    kind: 'start',
    options: { port: 27017, tlsCertificateKeyFile: 's.pem', tlsAllowConnectionsWithoutCertificates: true },
  });
  expect(readArguments(['--data=/var/data'])).toEqual({ kind: 'start', options: { port: 27017, data: '/var/data' } });
  expect(readArguments(['--oplog-size', '200'])).toEqual({ kind: 'start', options: { port: 27017, oplogSizeMB: 200 } });
  expect(readArguments(['--memory-limit=64'])).toEqual({ kind: 'start', options: { port: 27017, memoryLimitMB: 64 } });
  expect(readArguments(['--max-connections=50'])).toEqual({
    kind: 'start',
    options: { port: 27017, maxIncomingConnections: 50 },
  });
  expect(readArguments(['--topology', 'replicaset:5', '--port=0'])).toEqual({
    kind: 'cluster',
    options: { port: 0, topology: 'replicaset', members: 5 },
  });
  expect(readArguments(['--topology=sharded', '--replica-set', 'a'])).toEqual({
    kind: 'cluster',
    options: { port: 27017, topology: 'sharded', setName: 'a' },
  });
  expect(readArguments(['--help'])).toEqual({ kind: 'help' });
  expect(readArguments(['--version'])).toEqual({ kind: 'version' });
  expect(help).toContain('--bind-ip');
});

test('arguments: an invalid argument results in a message that says what to do', () => {
  const messageOf = (...given: readonly string[]): string => {
    const commandLine = readArguments(given);
    return commandLine.kind === 'mistake' ? commandLine.sentence : `no mistake: ${commandLine.kind}`;
  };
  expect(messageOf('--prot', '1')).toBe('Unknown argument --prot. Run tessera-server --help to list the arguments.');
  expect(messageOf('--port')).toBe('--port requires a value: --port 27017.');
  expect(messageOf('--port', '70000')).toBe('--port 70000 is not a port. Give a number from 0 to 65535.');
  expect(messageOf('--port', 'x')).toBe('--port x is not a port. Give a number from 0 to 65535.');
  for (const wrong of ['0', '1.5', 'x'])
    expect(messageOf('--oplog-size', wrong)).toBe(
      `--oplog-size ${wrong} is not a size. Give a number of megabytes of at least 1.`,
    );
  for (const wrong of ['0', '-1', '1.5', 'x'])
    expect(messageOf('--max-connections', wrong)).toBe(
      `--max-connections ${wrong} is not a number of connections. Give a whole number of at least 1.`,
    );
  for (const wrong of ['triangle', 'replicaset:8', 'standalone:2', 'sharded:0'])
    expect(messageOf('--topology', wrong)).toBe(
      `--topology ${wrong} is not a topology. Give standalone, replicaset:1 to replicaset:7, sharded:N or load-balanced:N.`,
    );
  expect(messageOf('--bind-ip', '--port')).toBe('--bind-ip requires a value: --bind-ip ….');
});

test('the version equals the one in package.json', () => {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(manifest).toMatchObject({ version });
});

test('startServer: a data folder keeps the data, and only one server at a time can use it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'start-'));
  const data = join(folder, 'made', 'data');
  const withFilms = async <T>(uri: string, use: (films: Collection) => Promise<T>): Promise<T> => {
    const client = new MongoClient(uri);
    try {
      return await use(client.db('shop').collection('films'));
    } finally {
      await client.close();
    }
  };
  try {
    {
      await using server = await startServer({ data });
      await withFilms(server.uri, films => films.insertOne({ title: 'Metropolis' }));
      await expect(startServer({ data })).rejects.toThrow(`The folder ${data} is in use by process ${process.pid}`);
    }
    await using server = await startServer({ data });
    expect(await withFilms(server.uri, films => films.countDocuments({ title: 'Metropolis' }))).toBe(1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('an undefined option has its default', async () => {
  const options = { port: undefined, bindIp: undefined, maxIncomingConnections: undefined, version: undefined };
  await using server = await startServer(options as unknown as StartOptions);
  expect(server.address).toMatch(/^127\.0\.0\.1:\d+$/);
  await using cluster = await startCluster({ ...options, members: 1 } as unknown as StartClusterOptions);
  expect(cluster.uri).toContain('replicaSet=rs0');
});

describe('unknown options and values of another type are rejected at once', () => {
  const failureOf = async (start: Promise<unknown>): Promise<unknown> => start.catch((error: unknown) => String(error));

  test('startServer', async () => {
    expect(await failureOf(startServer({ replSet: 'rs0' } as object))).toBe(
      'TypeError: startServer has no option "replSet". Its options are version, parameters, testCommands, replicaSet, ' +
        'auth, users, journalInterval, data, oplogSizeMB, memoryLimitMB, maxIncomingConnections, capacity, search, port, ' +
        'bindIp, report, compressors, tlsCertificateKeyFile, tlsCertificateKeyFilePassword, tlsCAFile, tlsAllowConnectionsWithoutCertificates.',
    );
    const wrong = { replicaSet: { members: 1 } } as unknown as StartOptions;
    expect(await failureOf(startServer(wrong))).toBe(
      'TypeError: The option "replicaSet" of startServer must have the type string, but has the type object.',
    );
  });

  test('startCluster', async () => {
    const wrong = { members: '3' } as unknown as StartClusterOptions;
    expect(await failureOf(startCluster(wrong))).toBe(
      'TypeError: The option "members" of startCluster must have the type number or list, but has the type string.',
    );
    await expect(startCluster({ addresses: [] } as object)).rejects.toThrow(
      /^startCluster has no option "addresses"\./,
    );
  });
});
