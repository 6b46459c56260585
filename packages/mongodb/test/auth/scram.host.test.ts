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

/** What a command that needs a login answers, and who is logged in. */
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
    'Authentication, prose test 2.1: the user %s logs in by %s, named in the connection string or in code',
    async (user, authMechanism) => {
      expect(await inUri(user, user, `authMechanism=${authMechanism}`)).toEqual(inAs(user));
      expect(await inCode(user, user, { authMechanism })).toEqual(inAs(user));
    },
  );

  test.each(['sha1', 'sha256', 'both'])(
    'Authentication, prose test 2.2: the user %s logs in by a negotiated mechanism, by connection string or in code',
    async user => {
      expect(await inUri(user, user)).toEqual(inAs(user));
      expect(await inCode(user, user)).toEqual(inAs(user));
    },
  );

  test('Authentication, prose tests 3.1, 3.2: the other mechanism, an unknown user and a wrong password fail alike', async () => {
    expect(await inUri('sha1', 'sha1', 'authMechanism=SCRAM-SHA-256')).toBe(FAILED);
    expect(await inUri('sha256', 'sha256', 'authMechanism=SCRAM-SHA-1')).toBe(FAILED);
    expect(await inUri('nobody', 'sha256')).toBe(FAILED);
    expect(await inUri('both', 'wrong')).toBe(FAILED);
    expect(await inUri('both', 'both', 'authSource=shop')).toBe(FAILED);
  });

  test('Authentication, prose test 4: passwords in any of their forms', async () => {
    expect(await inUri('IX', 'IX')).toEqual(inAs('IX'));
    expect(await inUri('IX', 'I\u00ADX')).toEqual(inAs('IX'));
    expect(await inUri('\u2168', 'IV')).toEqual(inAs('\u2168'));
    expect(await inUri('\u2168', 'I\u00ADV')).toEqual(inAs('\u2168'));
  });
});

describe('a client with a wrong password', () => {
  test('fails at once, with one attempt, and tells no password', async () => {
    await use('mongodb://both:hunter2@HOST/', {}, async client => {
      const began = performance.now();
      const error = await client
        .db('shop')
        .collection('c')
        .insertOne({})
        .catch((e: unknown) => e);
      expect(error).toMatchObject({ code: 18, codeName: 'AuthenticationFailed' });
      expect((error as MongoServerError).message).toBe(
        `Authentication failed. (SCRAM-SHA-256 at ${address}, authSource admin; check user name, password and authSource)`,
      );
      expect(performance.now() - began).toBeLessThan(4000);
      expect(inspect([client, client.options, error], { depth: 20 })).not.toContain('hunter2');
    });
  });
});

describe('a client with a password', () => {
  test('tells it in no event', async () => {
    await use('mongodb://both:both@HOST/', { monitorCommands: true }, async client => {
      const heard: unknown[] = [];
      for (const name of ['commandStarted', 'commandSucceeded', 'commandFailed', 'serverHeartbeatSucceeded'] as const)
        client.on(name, (event: unknown) => void heard.push(event));
      client.on('connectionReady', event => void heard.push(event));
      await client.db('shop').collection('c').findOne({});
      await client.db('admin').command({ createUser: 'eve', pwd: 'hunter2', roles: [] });
      await client.db('admin').command({ dropUser: 'eve' });
      const told = inspect(heard, { depth: 20 });
      expect(told).toContain('createUser');
      expect(told).not.toMatch(/hunter2|saslStart|speculativeAuthenticate|payload/);
    });
  });

  test('uses several connections at once, each of which is authenticated', async () => {
    await use('mongodb://both:both@HOST/', { minPoolSize: 3 }, async client => {
      const c = client.db('shop').collection('many');
      await Promise.all(Array.from({ length: 20 }, (_, i) => c.insertOne({ i })));
      expect(await c.countDocuments()).toBe(20);
    });
  });

  test('reconnects after its connection was lost during authentication', async () => {
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

  test('is authenticated anew when the server wants to be told again (391)', async () => {
    await use('mongodb://both:both@HOST/', { appName: 'forgotten', monitorCommands: true }, async client => {
      const c = client.db('shop').collection('c');
      await c.findOne({});
      const heard: string[] = [];
      client.on('commandStarted', ({ commandName }) => void heard.push(commandName));
      await use('mongodb://both:both@HOST/', {}, other =>
        other.db('admin').command({
          configureFailPoint: 'failCommand',
          mode: { times: 1 },
          data: { failCommands: ['find'], errorCode: 391, appName: 'forgotten' },
        }),
      );
      expect(await c.findOne({})).toBeNull();
      expect(heard).toEqual(['find', 'saslStart', 'saslContinue', 'find']);
    });
  });
});

test('MONGODB-OIDC is there: its callback is asked, and the server says that it does not know the mechanism', async () => {
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

test('a mechanism that nobody has is told at the first operation, with what to pass', async () => {
  await use('mongodb://me@HOST/?authMechanism=GSSAPI', {}, async client => {
    await expect(client.db('shop').command({ dbStats: 1 })).rejects.toThrow(
      "The mechanism GSSAPI is not part of this client: there is none in @tessera/auth; pass a Mechanism of your own as parts: { authenticators: { 'GSSAPI': … } }.",
    );
  });
});

test('a credential that cannot be is refused by the constructor', () => {
  expect(() => new MongoClient('mongodb://me@h/')).toThrow('Authentication needs a password.');
  expect(() => new MongoClient('mongodb://h/?authMechanism=MONGODB-OIDC')).toThrow(
    'MONGODB-OIDC needs exactly one of the properties ENVIRONMENT, OIDC_CALLBACK, OIDC_HUMAN_CALLBACK: where the token comes from.',
  );
});

test('without credentials a client can greet, and nothing else', async () => {
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
