import { spawn } from 'node:child_process';
import { createServer, connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MongoClient } from '@tessera/mongodb';
import type { MongoClientOptions } from '@tessera/mongodb';
import { startCluster, startServer } from 'tessera-server';
import type { Cluster } from '@tessera/cluster';
import { debianProgram, Unavailable } from '../../../../tools/judges/src/index.js';
import type { DebianProgram } from '../../../../tools/judges/src/index.js';
import { createAuthority, createFiles } from '../../../node/test/certificates.js';
import { createProxy } from '../../../node/test/socks5-proxy.js';
import type { TestProxy } from '../../../node/test/socks5-proxy.js';

const auth = { username: 'username', password: 'p4ssw0rd' };
const files = createFiles();
const ca = createAuthority();
const tlsCAFile = files.write('ca.pem', ca.certificate);
const tlsCertificateKeyFile = files.write('server.pem', ca.issue('localhost', { hosts: ['localhost'] }).both);
afterAll(() => {
  files.remove();
});

type Outcome = 'succeeds' | 'fails';

/** Messages for a proxy that requires a password or rejects the given one. */
const refusedByProxy = /the proxy \S+: The proxy (?:requires authentication|rejected "proxyUsername")/;

/** Sends a hello and checks the outcome. A failing hello is retried until server selection times out. */
const hello = async (uri: string, options: MongoClientOptions, expected: Outcome): Promise<Outcome> => {
  const serverSelectionTimeoutMS = expected === 'fails' ? 500 : 15_000;
  const client = new MongoClient(uri, { serverSelectionTimeoutMS, ...options });
  try {
    await client.db('admin').command({ hello: 1 });
    return 'succeeds';
  } catch (error) {
    if (!refusedByProxy.test(String(error))) throw error;
    return 'fails';
  } finally {
    await client.close();
  }
};

const optionsOf = (query: string): MongoClientOptions =>
  Object.fromEntries(
    query.split('&').map(pair => {
      const [name = '', value = ''] = pair.split('=');
      return [name, value === 'true' ? true : name === 'proxyPort' ? Number(value) : value];
    }),
  );

/** The table of the specification. LOCKED and OPEN stand for the ports of its two proxies. */
const table = [
  ['MAPPED', 'proxyPort=LOCKED&directConnection=true', 'fails'],
  ['MAPPED', 'proxyPort=OPEN&directConnection=true', 'succeeds'],
  ['SERVERS', 'proxyPort=LOCKED', 'fails'],
  ['SERVERS', 'proxyPort=OPEN', 'succeeds'],
  ['MAPPED', 'proxyPort=LOCKED&proxyUsername=nonexistentuser&proxyPassword=badauth&directConnection=true', 'fails'],
  ['MAPPED', 'proxyPort=OPEN&proxyUsername=nonexistentuser&proxyPassword=badauth&directConnection=true', 'succeeds'],
  ['SERVERS', 'proxyPort=OPEN&proxyUsername=nonexistentuser&proxyPassword=badauth', 'succeeds'],
  ['MAPPED', 'proxyPort=LOCKED&proxyUsername=username&proxyPassword=p4ssw0rd&directConnection=true', 'succeeds'],
  ['MAPPED', 'proxyPort=OPEN&directConnection=true', 'succeeds'],
  ['SERVERS', 'proxyPort=LOCKED&proxyUsername=username&proxyPassword=p4ssw0rd', 'succeeds'],
  ['SERVERS', 'proxyPort=OPEN', 'succeeds'],
] as const;

describe.each([
  ['without TLS', false],
  ['with TLS', true],
])(
  'SOCKS5 Support, prose tests 1 to 12: the rows of the table, with connection string and options, %s',
  (_, withTls) => {
    let cluster: Cluster;
    let locked: TestProxy;
    let open: TestProxy;
    beforeAll(async () => {
      cluster = await startCluster({ bindIp: 'localhost', members: 3, ...(withTls ? { tlsCertificateKeyFile } : {}) });
      const map = { 'localhost:12345': cluster.addresses[1]! };
      [locked, open] = await Promise.all([createProxy({ auth, map }), createProxy({ map })]);
    });
    afterAll(async () => {
      await Promise.all([cluster.close(), locked.close(), open.close()]);
    });

    test.each(table.map((row, index) => [index + 1, ...row] as const))('%i. %s with %s %s', async (...row) => {
      const [, where, template, outcome] = row;
      const host = where === 'MAPPED' ? 'localhost:12345' : cluster.addresses.join();
      const query = `proxyHost=localhost&${template}`
        .replace('LOCKED', String(locked.port))
        .replace('OPEN', String(open.port));
      const tls = withTls ? `&tls=true&tlsCAFile=${encodeURIComponent(tlsCAFile)}` : '';
      const options = { ...optionsOf(query), ...(withTls ? { tls: true, tlsCAFile } : {}) };
      const proxy = template.includes('LOCKED') ? locked : open;
      const destination = `name ${where === 'MAPPED' ? host : cluster.primary!.address}`;
      for (const [uri, given] of [
        [`mongodb://${host}/?${query}${tls}`, {}],
        [`mongodb://${host}/`, options],
      ] as const) {
        const before = proxy.asked.length;
        expect(await hello(uri, given, outcome)).toBe(outcome);
        // The test could also connect to the members directly, so it checks that the proxy was used.
        expect(proxy.asked.slice(before).includes(destination)).toBe(outcome === 'succeeds');
      }
    });

    test("SOCKS5 Support, prose test 13: events contain the server's address, never the proxy's", async () => {
      const options = { monitorCommands: true, ...(withTls ? { tls: true, tlsCAFile } : {}) };
      const query = `proxyHost=localhost&proxyPort=${open.port}&directConnection=true`;
      const client = new MongoClient(`mongodb://localhost:12345/?${query}`, options);
      const emitted: unknown[] = [];
      for (const name of [
        'commandStarted',
        'commandSucceeded',
        'connectionCreated',
        'serverHeartbeatSucceeded',
      ] as const)
        client.on(name, (event: unknown) => void emitted.push(event));
      await client.db('admin').command({ hello: 1 });
      await client.close();
      const printed = JSON.stringify(emitted, (_key, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      );
      expect(printed).toContain('localhost:12345');
      expect(printed).not.toContain(String(open.port));
    });
  },
);

test('the proxy resolves host names, not the driver', async () => {
  const server = await startServer();
  const proxy = await createProxy({ map: { 'db1.invalid:27017': server.address } });
  const query = `proxyHost=localhost&proxyPort=${proxy.port}&directConnection=true`;
  expect(await hello(`mongodb://db1.invalid/?${query}`, {}, 'succeeds')).toBe('succeeds');
  expect(new Set(proxy.asked)).toEqual(new Set(['methods 0', 'name db1.invalid:27017']));
  await Promise.all([server.close(), proxy.close()]);
});

const microsocks: DebianProgram | Unavailable = await debianProgram('microsocks', 'usr/bin/microsocks').catch(
  (error: unknown) => {
    if (error instanceof Unavailable) return error;
    throw error;
  },
);

const freePort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise(resolve => server.close(resolve));
  return port;
};

/** Resolves when the port accepts connections. */
const reachable = async (port: number): Promise<void> => {
  for (;;) {
    const isOpen = await new Promise<boolean>(resolve => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (isOpen) return;
    await new Promise(resolve => setTimeout(resolve, 20));
  }
};

const noProxy = microsocks instanceof Unavailable ? ` (skipped: ${microsocks.message})` : '';
test.skipIf(noProxy !== '')(
  `microsocks, a real proxy: with a password, a wrong password, and TLS${noProxy}`,
  async () => {
    const { file, env } = microsocks as DebianProgram;
    const port = await freePort();
    const child = spawn(file, ['-i', '127.0.0.1', '-p', String(port), '-u', 'ann', '-P', 'hunter2'], {
      env,
      stdio: 'ignore',
    });
    const server = await startServer({ bindIp: 'localhost', tlsCertificateKeyFile });
    try {
      await reachable(port);
      const by = { proxyHost: '127.0.0.1', proxyPort: port, tlsCAFile };
      const as = (proxyPassword: string) => ({ ...by, proxyUsername: 'ann', proxyPassword });
      expect(await hello(server.uri, as('hunter2'), 'succeeds')).toBe('succeeds');
      expect(await hello(server.uri, as('hunter3'), 'fails')).toBe('fails');
      await using client = new MongoClient(server.uri, { ...by, proxyUsername: 'ann', proxyPassword: 'hunter2' });
      const films = client.db('shop').collection<{ _id: number }>('films');
      const documents = Array.from({ length: 500 }, (_, _id) => ({ _id }));
      await films.insertMany(documents);
      expect(await films.find().sort({ _id: 1 }).toArray()).toEqual(documents);
    } finally {
      child.kill('SIGKILL');
      await server.close();
    }
  },
);
