import { inspect } from 'node:util';
import { createNode } from '@tessera/node';
import { createServer } from '@tessera/server';
import type { Server } from '@tessera/server';
import { MongoClient, MongoServerError } from '@tessera/mongodb';
import type { MongoClientOptions } from '@tessera/mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let server: Server;
let address: string;

beforeAll(async () => {
  server = createServer(createNode(), {
    testCommands: true,
    users: [
      { user: 'sha1', pwd: 'sha1', mechanisms: ['SCRAM-SHA-1'] },
      { user: 'sha256', pwd: 'sha256', mechanisms: ['SCRAM-SHA-256'] },
      { user: 'both', pwd: 'both' },
      { user: 'IX', pwd: 'IX', mechanisms: ['SCRAM-SHA-256'] },
      { user: '\u2168', pwd: '\u2163', mechanisms: ['SCRAM-SHA-256'] },
    ],
  });
  ({ address } = await server.listen('127.0.0.1:0'));
});

afterAll(() => server.close());

const use = async <T>(
  uri: string,
  options: MongoClientOptions,
  work: (client: MongoClient) => Promise<T>,
): Promise<T> => {
  const client = new MongoClient(uri.replace('HOST', address), { serverSelectionTimeoutMS: 5000, ...options });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
};

/** Runs a command that requires authentication. Returns its result and the authenticated users. */
const work = async (client: MongoClient): Promise<unknown> => {
  try {
    await client.db('shop').command({ dbStats: 1 });
    const { authInfo } = await client.db('admin').command({ connectionStatus: 1 });
    return (authInfo as { authenticatedUsers: unknown }).authenticatedUsers;
  } catch (error) {
    return error instanceof MongoServerError ? `${error.code} ${error.message.replace(/ \(.*/, '')}` : error;
  }
};
const inUri = (user: string, password: string, options = ''): Promise<unknown> =>
  use(`mongodb://${encodeURIComponent(user)}:${encodeURIComponent(password)}@HOST/admin?${options}`, {}, work);
const inCode = (username: string, password: string, options: MongoClientOptions = {}): Promise<unknown> =>
  use('mongodb://HOST/', { auth: { username, password }, ...options }, work);

const inAs = (user: string): unknown => [{ user, db: 'admin' }];
const FAILED = '18 Authentication failed.';

describe('Authentication "SCRAM-SHA-256 and mechanism negotiation"', () => {
  test.each([
    ['sha1', 'SCRAM-SHA-1'],
    ['sha256', 'SCRAM-SHA-256'],
    ['both', 'SCRAM-SHA-1'],
    ['both', 'SCRAM-SHA-256'],
  ])(
    'Authentication, prose test 2.1: the user %s authenticates with %s, set in the connection string or in options',
    async (user, authMechanism) => {
      expect(await inUri(user, user, `authMechanism=${authMechanism}`)).toEqual(inAs(user));
      expect(await inCode(user, user, { authMechanism })).toEqual(inAs(user));
    },
  );

  test.each(['sha1', 'sha256', 'both'])(
    'Authentication, prose test 2.2: the user %s authenticates with a negotiated mechanism, from the connection string or from options',
    async user => {
      expect(await inUri(user, user)).toEqual(inAs(user));
      expect(await inCode(user, user)).toEqual(inAs(user));
    },
  );

  test('Authentication, prose tests 3.1, 3.2: an unsupported mechanism, an unknown user and a wrong password fail with the same error', async () => {
    expect(await inUri('sha1', 'sha1', 'authMechanism=SCRAM-SHA-256')).toBe(FAILED);
    expect(await inUri('sha256', 'sha256', 'authMechanism=SCRAM-SHA-1')).toBe(FAILED);
    expect(await inUri('nobody', 'sha256')).toBe(FAILED);
    expect(await inUri('both', 'wrong')).toBe(FAILED);
    expect(await inUri('both', 'both', 'authSource=shop')).toBe(FAILED);
  });

  test('Authentication, prose test 4: passwords are normalized with SASLprep', async () => {
    expect(await inUri('IX', 'IX')).toEqual(inAs('IX'));
    expect(await inUri('IX', 'I\u00ADX')).toEqual(inAs('IX'));
    expect(await inUri('\u2168', 'IV')).toEqual(inAs('\u2168'));
    expect(await inUri('\u2168', 'I\u00ADV')).toEqual(inAs('\u2168'));
  });
});

describe('a client with a wrong password', () => {
  test('fails after one attempt, with an error that does not contain the password', async () => {
    await use('mongodb://both:hunter2@HOST/', {}, async client => {
      const began = performance.now();
      const error = await client
        .db('shop')
        .collection('c')
        .insertOne({})
        .catch((e: unknown) => e);
      expect(error).toMatchObject({ code: 18, codeName: 'AuthenticationFailed' });
      expect((error as MongoServerError).message).toBe(
        `Authentication failed. (SCRAM-SHA-256 at ${address}, authSource admin. Check the user name, the password and "authSource".)`,
      );
      expect(performance.now() - began).toBeLessThan(4000);
      expect(inspect([client, client.options, error], { depth: 20 })).not.toContain('hunter2');
    });
  });
});

describe('a client with a password', () => {
  test('emits no event that contains the password', async () => {
    await use('mongodb://both:both@HOST/', { monitorCommands: true }, async client => {
      const emitted: unknown[] = [];
      for (const name of ['commandStarted', 'commandSucceeded', 'commandFailed', 'serverHeartbeatSucceeded'] as const)
        client.on(name, (event: unknown) => void emitted.push(event));
      client.on('connectionReady', event => void emitted.push(event));
      await client.db('shop').collection('c').findOne({});
      await client.db('admin').command({ createUser: 'eve', pwd: 'hunter2', roles: [] });
      await client.db('admin').command({ dropUser: 'eve' });
      const printed = inspect(emitted, { depth: 20 });
      expect(printed).toContain('createUser');
      expect(printed).not.toMatch(/hunter2|saslStart|speculativeAuthenticate|payload/);
    });
  });

  test('authenticates each of several concurrent connections', async () => {
    await use('mongodb://both:both@HOST/', { minPoolSize: 3 }, async client => {
      const c = client.db('shop').collection('many');
      await Promise.all(Array.from({ length: 20 }, (_, i) => c.insertOne({ i })));
      expect(await c.countDocuments()).toBe(20);
    });
  });

  test('reconnects after a connection is lost during authentication', async () => {
    await use('mongodb://both:both@HOST/', { appName: 'unlucky' }, async client => {
      await use('mongodb://both:both@HOST/', {}, other =>
        other.db('admin').command({
          configureFailPoint: 'failCommand',
          mode: { times: 1 },
          data: { failCommands: ['saslContinue'], closeConnection: true, appName: 'unlucky' },
        }),
      );
      expect(await client.db('shop').collection('c').findOne({})).toBeNull();
    });
  });

  test('authenticates again after the server replies with code 391', async () => {
    await use('mongodb://both:both@HOST/', { appName: 'forgotten', monitorCommands: true }, async client => {
      const c = client.db('shop').collection('c');
      await c.findOne({});
      const emitted: string[] = [];
      client.on('commandStarted', ({ commandName }) => void emitted.push(commandName));
      await use('mongodb://both:both@HOST/', {}, other =>
        other.db('admin').command({
          configureFailPoint: 'failCommand',
          mode: { times: 1 },
          data: { failCommands: ['find'], errorCode: 391, appName: 'forgotten' },
        }),
      );
      expect(await c.findOne({})).toBeNull();
      expect(emitted).toEqual(['find', 'saslStart', 'saslContinue', 'find']);
    });
  });
});

test('MONGODB-OIDC calls its callback, and fails when the server does not support the mechanism', async () => {
  let calls = 0;
  const OIDC_CALLBACK = async (): Promise<{ accessToken: string }> => {
    calls += 1;
    return { accessToken: 'hunter2' };
  };
  const options = { authMechanism: 'MONGODB-OIDC', authMechanismProperties: { OIDC_CALLBACK } };
  await use('mongodb://HOST/', options, async client => {
    const error = await client
      .db('shop')
      .command({ dbStats: 1 })
      .catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 334, codeName: 'MechanismUnavailable' });
    expect(inspect(error, { depth: 9 })).not.toContain('hunter2');
  });
  expect(calls).toBe(1);
});

test('a mechanism without an implementation fails at the first operation, and the error names the option that adds one', async () => {
  await use('mongodb://me@HOST/?authMechanism=GSSAPI', {}, async client => {
    await expect(client.db('shop').command({ dbStats: 1 })).rejects.toThrow(
      "The mechanism GSSAPI is not part of this client: there is none in @tessera/auth; pass a Mechanism of your own as parts: { authenticators: { 'GSSAPI': … } }.",
    );
  });
});

test('the constructor throws on invalid credentials', () => {
  expect(() => new MongoClient('mongodb://me@h/')).toThrow('Authentication needs a password.');
  expect(() => new MongoClient('mongodb://h/?authMechanism=MONGODB-OIDC')).toThrow(
    'MONGODB-OIDC needs exactly one of the properties ENVIRONMENT, OIDC_CALLBACK, OIDC_HUMAN_CALLBACK.',
  );
});

test('a client without credentials can send hello, but no other command', async () => {
  await use('mongodb://HOST/', {}, async client => {
    expect(await client.db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
    const error = await client
      .db('shop')
      .collection('items')
      .findOne({})
      .catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 13, codeName: 'Unauthorized' });
  });
});
