import { inspect } from 'node:util';
import { createAws } from '@tessera/auth';
import { MongoClient } from '@tessera/client';
import type { Clock, Runtime, Transport } from '@tessera/contracts';
import { createNode } from '@tessera/node';
import type { World } from '@tessera/sim';
import { createWorld } from '@tessera/sim';
import { expect, test } from 'vitest';
import { ok, startMetadataService } from '../../auth/test/metadata-service.js';
import type { HttpPlay } from '../../auth/test/metadata-service.js';
import { startAwsServer } from './aws-server.js';
import type { AwsServer } from './aws-server.js';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

interface Setup {
  readonly server: AwsServer;
  readonly world: World;
  /** The environment variables. A test may change them. */
  readonly environment: Record<string, string>;
  /** Runs a find with a new client. Returns its result or its error. */
  find(credentials?: string, properties?: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** Returns a client that stays open. Each of its finds uses a new connection. */
  stay(): { find(): Promise<unknown>; close(): Promise<void> };
  readonly clock: Clock;
  /** The contents of files by path. */
  readonly files: Map<string, string>;
}

const STS = 'sts.amazonaws.com:443';

/**
 * Returns a transport that skips TLS for HTTPS, because the simulated network has no TLS. Other TLS connections fail.
 */
const withoutTls = (transport: Transport): Transport => ({
  connect: (to, { tls, ...options }) => {
    expect([to, tls]).toEqual([
      to,
      to === STS ? { allowInvalidCertificates: false, allowInvalidHostnames: false, native: {} } : undefined,
    ]);
    return transport.connect(to, options);
  },
});

const failed = (error: unknown): unknown => {
  // The error contains no secret.
  expect(inspect(error, { depth: 20 })).not.toMatch(/hunter2|token!/);
  return (error as Error).message;
};

/**
 * Runs a test with the users `AKI1` (secret) and `AKI2` (secret and session token). Nothing may stay open afterwards.
 */
const withServers = async (runTest: (setup: Setup) => Promise<void>): Promise<void> => {
  const environment: Record<string, string> = {};
  const files = new Map<string, string>();
  const world = createWorld({ turn, crypto: createNode().crypto }, { environment });
  const runtime: Runtime = {
    ...world.runtime,
    transport: withoutTls(world.runtime.transport),
    host: {
      ...world.runtime.host,
      readText: async path => files.get(path) ?? Promise.reject(new Error(`no file ${path}`)),
    },
  };
  await world.run(async () => {
    const server = await startAwsServer(world);
    server.users.set('AKI1', { secret: 'hunter2' }).set('AKI2', { secret: 'hunter22', token: 'token!' });
    const clientOf = (credentials: string, authMechanismProperties = {}): MongoClient =>
      new MongoClient(
        `mongodb://${credentials}db1/?authMechanism=MONGODB-AWS&directConnection=true&retryReads=false`,
        Object.keys(authMechanismProperties).length === 0 ? {} : { authMechanismProperties },
        { runtime, parts: { authenticators: { 'MONGODB-AWS': createAws } } },
      );
    const find = (client: MongoClient): Promise<unknown> => client.db('test').collection('c').findOne({}).catch(failed);
    await runTest({
      server,
      world,
      environment,
      files,
      clock: world.runtime.clock,
      find: async (credentials = '', properties = {}) => {
        const client = clientOf(credentials, properties);
        const found = await find(client);
        await client.close();
        return found;
      },
      stay: () => {
        const client = clientOf('');
        return {
          find: async () => {
            const found = await find(client);
            if (found !== null) return found;
            server.hangUp();
            expect(await find(client)).toContain('closed the connection');
            return found;
          },
          close: () => client.close(),
        };
      },
    });
    await server.close();
    await world.runtime.clock.sleep(2_000);
  });
  expect(world.leftovers()).toEqual([]);
};

const role = '/latest/meta-data/iam/security-credentials/';
const keysOf = (key: string, secret: string, token: string | undefined, until: number): string =>
  ok(
    JSON.stringify({
      ...{ Code: 'Success', AccessKeyId: key, SecretAccessKey: secret, Expiration: new Date(until).toISOString() },
      ...(token === undefined ? {} : { Token: token }),
    }),
  );

/** Returns the metadata service of an EC2 instance. */
const ec2 =
  (credentials: () => string): HttpPlay =>
  (request, _, headers) => {
    if (request === 'PUT /latest/api/token')
      return /x-aws-ec2-metadata-token-ttl-seconds: \d+/i.test(headers) ? ok('imds') : ok('', '400 Bad Request');
    if (!headers.includes('X-aws-ec2-metadata-token: imds')) return ok('', '401 Unauthorized');
    return request === `GET ${role}` ? ok('my-role') : request === `GET ${role}my-role` ? credentials() : undefined;
  };

const HOUR = 3_600_000;

test('MONGODB-AWS, prose test 1: uses an access key and its secret from the connection string', async () => {
  await withServers(async ({ find, server }) => {
    expect(await find('AKI1:hunter2@')).toBeNull();
    expect(await find('AKI1:wrong@')).toContain('Authentication failed.');
    expect(server.signed).toEqual(['AKI1', 'AKI1']);
  });
});

test('MONGODB-AWS, prose test 2: uses the credentials of an EC2 instance', async () => {
  await withServers(async ({ find, server, world, clock }) => {
    const keys = (): string => keysOf('AKI2', 'hunter22', 'token!', clock.wallTime() + HOUR);
    const service = await startMetadataService(world, '169.254.169.254:80', ec2(keys));
    expect(await find()).toBeNull();
    expect(server.signed).toEqual(['AKI2']);
    expect(service.asked).toEqual(['PUT /latest/api/token', `GET ${role}`, `GET ${role}my-role`]);
    await service.close();
  });
});

test('MONGODB-AWS, prose test 3: uses the credentials of an ECS task', async () => {
  await withServers(async ({ find, server, world, clock, environment }) => {
    environment['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'] = '/v2/credentials/x';
    const service = await startMetadataService(world, '169.254.170.2:80', () =>
      keysOf('AKI2', 'hunter22', 'token!', clock.wallTime() + HOUR),
    );
    expect(await find()).toBeNull();
    expect([server.signed, service.asked]).toEqual([['AKI2'], ['GET /v2/credentials/x']]);
    await service.close();
  });
});

test('MONGODB-AWS, prose test 4: uses the credentials of an assumed role, with a session token', async () => {
  await withServers(async ({ find }) => {
    expect(await find('AKI2:hunter22@', { AWS_SESSION_TOKEN: 'token!' })).toBeNull();
    expect(await find('AKI2:hunter22@')).toContain('Authentication failed.');
  });
});

/**
 * Returns an STS endpoint that gives keys for the token `web token` and the role, in the form of the specification or
 * that of AWS.
 */
const sts =
  (roleArn: string, keys: Readonly<Record<string, unknown>>, wrapped: boolean, sessionName?: string): HttpPlay =>
  (request, _, text) => {
    const form = new URLSearchParams(text.slice(text.indexOf('\r\n\r\n') + 4));
    const { RoleSessionName: name = '', ...expectedText } = Object.fromEntries(form);
    expect([request, expectedText]).toEqual([
      'POST /',
      { Action: 'AssumeRoleWithWebIdentity', Version: '2011-06-15', RoleArn: roleArn, WebIdentityToken: 'web token!' },
    ]);
    if (sessionName === undefined) expect(name).toMatch(/^tessera-[0-9a-f]{16}$/);
    else expect(name).toBe(sessionName);
    const found = { Credentials: keys };
    return ok(
      JSON.stringify(
        wrapped ? { AssumeRoleWithWebIdentityResponse: { AssumeRoleWithWebIdentityResult: found } } : found,
      ),
    );
  };

test.each([
  ['MONGODB-AWS, prose test 5.1: uses a web identity with a session name', 'app1', false],
  ['MONGODB-AWS, prose test 5.2: uses a web identity without a session name', undefined, true],
])('%s', async (_, sessionName, wrapped) => {
  await withServers(async ({ stay, server, world, clock, environment, files }) => {
    const arn = 'arn:aws:iam::1:role/x';
    Object.assign(environment, { AWS_WEB_IDENTITY_TOKEN_FILE: '/token', AWS_ROLE_ARN: arn });
    if (sessionName !== undefined) environment['AWS_ROLE_SESSION_NAME'] = sessionName;
    files.set('/token', 'web token!\n');
    const until = clock.wallTime() + HOUR;
    const keys = {
      ...{ AccessKeyId: 'AKI2', SecretAccessKey: 'hunter22', SessionToken: 'token!' },
      Expiration: wrapped ? until / 1000 : new Date(until).toISOString(),
    };
    const service = await startMetadataService(world, STS, sts(arn, keys, wrapped, sessionName));
    const client = stay();
    expect([await client.find(), await client.find(), service.asked.length]).toEqual([null, null, 1]);
    await client.close();
    await service.close();
    expect(server.signed).toEqual(['AKI2', 'AKI2']);
  });
});

test('an error about a rejected web identity does not contain its token', async () => {
  await withServers(async ({ find, world, environment, files }) => {
    Object.assign(environment, { AWS_WEB_IDENTITY_TOKEN_FILE: '/token', AWS_ROLE_ARN: 'r' });
    files.set('/token', 'hunter2');
    const service = await startMetadataService(world, STS, () => ok('no', '403 Forbidden'));
    expect(await find()).toBe('No AWS credentials: sts.amazonaws.com:443 answered / with status 403.');
    await service.close();
  });
});

test('MONGODB-AWS, prose tests 6.1, 6.2: uses the environment, with and without a session token', async () => {
  await withServers(async ({ find, environment }) => {
    Object.assign(environment, { AWS_ACCESS_KEY_ID: 'AKI1', AWS_SECRET_ACCESS_KEY: 'hunter2' });
    expect(await find()).toBeNull();
    Object.assign(environment, { AWS_ACCESS_KEY_ID: 'AKI2', AWS_SECRET_ACCESS_KEY: 'hunter22' });
    expect(await find()).toContain('Authentication failed.');
    environment['AWS_SESSION_TOKEN'] = 'token!';
    expect(await find()).toBeNull();
  });
});

test('MONGODB-AWS, prose test 7.1: caches fetched credentials, fetches new ones before they expire, and drops rejected ones', async () => {
  await withServers(async ({ stay, server, world, clock }) => {
    let until = clock.wallTime() + HOUR;
    const keys = (): string => keysOf('AKI1', 'hunter2', undefined, until);
    const service = await startMetadataService(world, '169.254.169.254:80', ec2(keys));
    const fetches = (): number => service.asked.length / 3;
    const client = stay();
    expect([await client.find(), fetches()]).toEqual([null, 1]);
    expect([await client.find(), fetches()]).toEqual([null, 1]);
    world.shiftWallTime(HOUR - 60_000);
    until = clock.wallTime() + HOUR;
    expect([await client.find(), fetches()]).toEqual([null, 2]);
    const known = server.users.get('AKI1')!;
    server.users.delete('AKI1');
    expect([await client.find(), fetches()]).toEqual([expect.stringContaining('Authentication failed.'), 2]);
    server.users.set('AKI1', known);
    expect([await client.find(), fetches()]).toEqual([null, 3]);
    expect([await client.find(), fetches()]).toEqual([null, 3]);
    await client.close();
    await service.close();
  });
});

test('MONGODB-AWS, prose test 7.2: does not cache the environment, and prefers cached credentials to it', async () => {
  await withServers(async ({ stay, find, server, world, clock, environment }) => {
    const keys = (): string => keysOf('AKI1', 'hunter2', undefined, clock.wallTime() + HOUR);
    const service = await startMetadataService(world, '169.254.169.254:80', ec2(keys));
    Object.assign(environment, { AWS_ACCESS_KEY_ID: 'AKI1', AWS_SECRET_ACCESS_KEY: 'hunter2' });
    expect([await find(), service.asked]).toEqual([null, []]);
    environment['AWS_SECRET_ACCESS_KEY'] = 'wrong';
    expect([await find(), service.asked]).toEqual([expect.stringContaining('Authentication failed.'), []]);
    delete environment['AWS_ACCESS_KEY_ID'];
    delete environment['AWS_SECRET_ACCESS_KEY'];
    const client = stay();
    expect([await client.find(), service.asked.length]).toEqual([null, 3]);
    Object.assign(environment, { AWS_ACCESS_KEY_ID: 'AKI1', AWS_SECRET_ACCESS_KEY: 'wrong' });
    expect([await client.find(), service.asked.length]).toEqual([null, 3]);
    await client.close();
    await service.close();
    expect(server.signed).toHaveLength(4);
  });
});

/** A credential provider of the application, with the number of its calls. */
const providerOf = (accessKeyId: string, secretAccessKey: string, sessionToken?: string) => {
  const provider = {
    calls: 0,
    AWS_CREDENTIAL_PROVIDER: async () => {
      provider.calls += 1;
      return { accessKeyId, secretAccessKey, sessionToken };
    },
  };
  return provider;
};

test('MONGODB-AWS, prose test 8.1: calls a provider of the application', async () => {
  await withServers(async ({ find }) => {
    for (const provider of [providerOf('AKI1', 'hunter2'), providerOf('AKI2', 'hunter22', 'token!')]) {
      expect(await find('', { AWS_CREDENTIAL_PROVIDER: provider.AWS_CREDENTIAL_PROVIDER })).toBeNull();
      expect(provider.calls).toBe(1);
    }
  });
});

test('MONGODB-AWS, prose tests 8.2, 8.3: the connection string takes precedence over the provider, and the provider over the environment', async () => {
  await withServers(async ({ find, environment, server }) => {
    const provider = providerOf('AKI1', 'hunter2');
    const { AWS_CREDENTIAL_PROVIDER } = provider;
    expect(await find('AKI1:hunter2@', { AWS_CREDENTIAL_PROVIDER })).toBeNull();
    expect(provider.calls).toBe(0);
    Object.assign(environment, { AWS_ACCESS_KEY_ID: 'AKI2', AWS_SECRET_ACCESS_KEY: 'wrong' });
    expect(await find('', { AWS_CREDENTIAL_PROVIDER })).toBeNull();
    expect([provider.calls, server.signed]).toEqual([1, ['AKI1', 'AKI1']]);
  });
});
