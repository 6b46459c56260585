import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createNode } from '@tessera/node';
import { MongoClient, MongoServerSelectionError } from '@tessera/mongodb';
import type { MongoClientOptions } from '@tessera/mongodb';
import { startServer } from 'tessera-server';
import type { RunningServer } from 'tessera-server';
import { debianProgram, Unavailable } from '../../../../tools/judges/src/index.js';
import type { DebianProgram } from '../../../../tools/judges/src/index.js';
import { createAuthority, createFiles } from '../../../node/test/certificates.js';

const libraries = [
  ...['libnetfilter-conntrack3', 'libnfnetlink0', 'libmnl0', 'libnftables1', 'libnftnl11', 'libxtables12'],
  'libjansson4',
];
const dnsmasq: DebianProgram | Unavailable = await debianProgram('dnsmasq-base', 'usr/sbin/dnsmasq', libraries).catch(
  (error: unknown) => {
    if (error instanceof Unavailable) return error;
    throw error;
  },
);
const why = dnsmasq instanceof Unavailable ? ` (skipped: ${dnsmasq.message})` : '';

const freePort = async (): Promise<number> => {
  const socket = createSocket('udp4');
  await new Promise<void>(resolve => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address();
  await new Promise<void>(resolve => socket.close(resolve));
  return port;
};

const domain = 'example.test';

describe.skipIf(why !== '')(`mongodb+srv with dnsmasq, a real name server${why}`, () => {
  const files = createFiles();
  const ca = createAuthority();
  const tlsCAFile = files.write('ca.pem', ca.certificate);
  let server: RunningServer;
  let names: ChildProcess;
  let nameServer: string;

  beforeAll(async () => {
    const tlsCertificateKeyFile = files.write('server.pem', ca.issue('db1', { hosts: [`db1.${domain}`] }).both);
    server = await startServer({ tlsCertificateKeyFile });
    const port = server.address.split(':')[1]!;
    const { file, env } = dnsmasq as DebianProgram;
    const srv = (name: string, host: string): string => `--srv-host=_mongodb._tcp.${name}.${domain},${host},${port}`;
    const txt = (name: string, ...strings: readonly string[]): string =>
      `--txt-record=${name}.${domain},${strings.join(',')}`;
    const asking = new Resolver({ timeout: 200, tries: 1 });
    const start = (at: number): ChildProcess =>
      spawn(
        file,
        [
          ...[
            '--keep-in-foreground',
            '--conf-file=/dev/null',
            '--no-resolv',
            '--no-hosts',
            '--no-daemon',
            '--pid-file',
          ],
          ...['--listen-address=127.0.0.1', '--bind-interfaces', `--port=${at}`, `--local=/test/`],
          `--host-record=db1.${domain},127.0.0.1`,
          ...[srv('good', `db1.${domain}`), txt('good', 'authS', 'ource=thatDB')],
          ...[srv('foreign', 'db1.evil.test')],
          ...[srv('forbidden', `db1.${domain}`), txt('forbidden', 'tls=false')],
          ...[srv('twice', `db1.${domain}`), txt('twice', 'authSource=a'), txt('twice', 'replicaSet=b')],
          ...[srv('set', `db1.${domain}`), txt('set', 'replicaSet=not-this-one')],
        ],
        { env, stdio: 'ignore' },
      );
    // dnsmasq exits at once if another process took the port; then another port is tried.
    do {
      const at = await freePort();
      nameServer = `127.0.0.1:${at}`;
      asking.setServers([nameServer]);
      names = start(at);
      while (names.exitCode === null && !(await asking.resolve4(`db1.${domain}`).then(Boolean, () => false)));
    } while (names.exitCode !== null);
  }, 20_000);
  afterAll(async () => {
    names.kill('SIGKILL');
    await server.close();
    files.remove();
  });

  /** Only this name server can resolve the hosts' names. */
  const lookup: LookupFunction = (name, _options, done) => {
    const resolver = new Resolver();
    resolver.setServers([nameServer]);
    resolver.resolve4(name).then(
      addresses =>
        done(
          null,
          addresses.map(address => ({ address, family: 4 })),
        ),
      (error: unknown) => done(error as Error, ''),
    );
  };

  const open = (uri: string, options: MongoClientOptions = {}): MongoClient =>
    new MongoClient(uri, { tlsCAFile, ...options, runtime: createNode({ nameServers: [nameServer], lookup }) });

  const connectError = async (uri: string, options?: MongoClientOptions): Promise<Error> => {
    await using client = open(uri, options);
    return await client.connect().then(
      () => new Error('it connected'),
      (error: unknown) => error as Error,
    );
  };

  test('connects to the hosts of the SRV records with the TXT options and TLS, and verifies the certificate against the host name', async () => {
    await using client = open(`mongodb+srv://good.${domain}/shop`);
    await client.connect();
    await client.db().collection('films').insertOne({ title: 'Metropolis' });
    expect(await client.db().collection('films').countDocuments()).toBe(1);
    expect([...client.driver.deployment.description.servers.keys()]).toEqual([
      `db1.${domain}:${server.address.split(':')[1]}`,
    ]);
  });

  test('fails at once for a missing record, a host outside the domain, and TXT records that are not allowed', async () => {
    expect((await connectError(`mongodb+srv://missing.${domain}/`)).message).toBe(
      `Could not look up the SRV records of _mongodb._tcp.missing.${domain}: querySrv ENOTFOUND _mongodb._tcp.missing.${domain}.`,
    );
    expect((await connectError(`mongodb+srv://foreign.${domain}/`)).message).toBe(
      `The SRV records of foreign.${domain} contain the host db1.evil.test, which is not in the domain .${domain}.`,
    );
    expect((await connectError(`mongodb+srv://forbidden.${domain}/`)).message).toBe(
      `The TXT record of forbidden.${domain} is invalid: TXT records may set authSource, replicaSet, loadBalanced, not "tls".`,
    );
    expect((await connectError(`mongodb+srv://twice.${domain}/`)).message).toBe(
      `twice.${domain} has 2 TXT records; only one is allowed.`,
    );
  });

  test('uses the replicaSet of the TXT record, unless the connection string names another', async () => {
    const error = await connectError(`mongodb+srv://set.${domain}/?serverSelectionTimeoutMS=300`);
    expect(error).toBeInstanceOf(MongoServerSelectionError);
    expect(error.message).toContain('not-this-one');
  });
});

test('fails with one clear error if the name server does not respond', async () => {
  const runtime = createNode({ nameServers: [`127.0.0.1:${await freePort()}`] });
  await using client = new MongoClient('mongodb+srv://db.example.test/', { runtime });
  const failing = client.connect();
  await expect(failing).rejects.toThrow(
    'Could not look up the SRV records of _mongodb._tcp.db.example.test: querySrv ECONNREFUSED _mongodb._tcp.db.example.test.',
  );
});
