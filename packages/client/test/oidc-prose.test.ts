import { createOidc } from '@tessera/auth';
import type { OidcCallback, OidcCallbackParams, OidcResponse } from '@tessera/auth';
import { MongoClient } from '@tessera/client';
import type { MongoClientOptions } from '@tessera/client';
import type { World } from '@tessera/sim';
import { createWorld } from '@tessera/sim';
import { describe, expect, test } from 'vitest';
import { ok, startMetadataService } from '../../auth/test/metadata-service.js';
import { PEOPLE, startOidcServer } from './oidc-server.js';
import type { OidcServer, Providers } from './oidc-server.js';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Returns the n-th token of the callback, starting at 1. */
type Answers = (n: number, params: OidcCallbackParams) => unknown;

interface Setup {
  readonly world: World;
  readonly server: OidcServer;
  readonly calls: readonly OidcCallbackParams[];
  readonly client: MongoClient;
}

interface Setting {
  readonly username?: string;
  readonly providers?: Providers;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly options?: MongoClientOptions;
  /**
   * The results of the callback. By default every call returns a new token that the server accepts, and human callbacks
   * also a refresh token.
   */
  readonly answers?: Answers;
}

/**
 * Runs a test with a client with a callback, and a server that accepts the tokens `t1` to `t9`. Nothing may stay open
 * afterwards.
 */
const withServers =
  (flow: 'OIDC_CALLBACK' | 'OIDC_HUMAN_CALLBACK') =>
  async (respond: (setup: Setup) => Promise<void>, setting: Setting = {}): Promise<void> => {
    const { username, providers, properties, options, answers } = setting;
    const world = createWorld({ turn });
    await world.run(async () => {
      const server = await startOidcServer(world, providers);
      for (let n = 1; n < 10; n += 1) server.valid.add(`t${n}`);
      const calls: OidcCallbackParams[] = [];
      const usual: Answers = n => ({
        accessToken: `t${n}`,
        ...(flow === 'OIDC_CALLBACK' ? {} : { refreshToken: `r${n}` }),
      });
      const callback: OidcCallback = async params => {
        calls.push(params);
        return (answers ?? usual)(calls.length, params) as OidcResponse;
      };
      const at = username === undefined ? '' : `${encodeURIComponent(username)}@`;
      const client = new MongoClient(
        `mongodb://${at}localhost/?authMechanism=MONGODB-OIDC&directConnection=true&retryReads=false&retryWrites=false`,
        {
          ...options,
          authMechanismProperties: {
            ...('ENVIRONMENT' in (properties ?? {}) ? {} : { [flow]: callback }),
            ...properties,
          },
        },
        { runtime: world.runtime, parts: { authenticators: { 'MONGODB-OIDC': createOidc } } },
      );
      await respond({ world, server, calls, client });
      await client.close();
      await server.close();
      await world.runtime.clock.sleep(2_000);
    });
    expect(world.leftovers()).toEqual([]);
  };

const find = (client: MongoClient): Promise<unknown> => client.db('test').collection('c').findOne({});
const insert = (client: MongoClient): Promise<unknown> => client.db('test').collection('c').insertOne({});
const failure = async (work: Promise<unknown>): Promise<Error> => {
  const error: unknown = await work.then(
    () => new Error('it went well'),
    (reason: unknown) => reason,
  );
  return error as Error;
};

/** Closes the connection, so that the next operation authenticates again. */
const loseConnection = async (server: OidcServer, client: MongoClient): Promise<void> => {
  server.failNext(['find'], 'hang up');
  await failure(find(client));
};

describe('machine authentication flow', () => {
  const asMachine = withServers('OIDC_CALLBACK');

  test('MONGODB-OIDC, prose test 1.1: one operation calls the callback once', async () => {
    await asMachine(async ({ client, calls }) => {
      expect(await find(client)).toBeNull();
      expect(calls).toHaveLength(1);
    });
  });

  test('MONGODB-OIDC, prose test 1.2: ten times a hundred concurrent operations call the callback once', async () => {
    await asMachine(
      async ({ client, calls, server, world }) => {
        const worker = async (): Promise<void> => {
          for (let n = 0; n < 100; n += 1) await find(client);
        };
        await Promise.all(Array.from({ length: 10 }, worker));
        // Two calls of the callback are at least 100 ms apart.
        await world.runtime.clock.sleep(1000);
        expect([calls.length, server.count('find')]).toEqual([1, 1000]);
      },
      // Other connections need a token while the callback runs.
      { answers: n => turn().then(() => ({ accessToken: `t${n}` })) },
    );
  });

  test('MONGODB-OIDC, prose test 2.1: the callback receives the version, the user name and a signal for its timeout', async () => {
    const seen = async (setting: Setting): Promise<Partial<OidcCallbackParams>> => {
      let params: Partial<OidcCallbackParams> = {};
      await asMachine(async ({ client, calls }) => {
        await find(client);
        const { timeoutContext, ...rest } = calls[0]!;
        expect(timeoutContext).toBeInstanceOf(AbortSignal);
        params = rest;
      }, setting);
      return params;
    };
    expect(await seen({})).toEqual({ version: 1 });
    expect(await seen({ username: 'test_user1' })).toEqual({ version: 1, username: 'test_user1' });
  });

  test.each([
    ["MONGODB-OIDC, prose test 2.2: null as the callback's result is an error", null],
    ['MONGODB-OIDC, prose test 2.3: a result without a token is an error', { expiresInSeconds: 60 }],
  ])('%s', async (_, answer) => {
    await asMachine(
      async ({ client, server }) => {
        expect((await failure(find(client))).message).toContain('The OIDC callback must return { accessToken: string');
        expect(server.count('saslStart')).toBe(0);
      },
      { answers: () => answer },
    );
  });

  test('MONGODB-OIDC, prose tests 2.4, 2.5: the constructor rejects a callback with ENVIRONMENT, and ALLOWED_HOSTS with ENVIRONMENT', () => {
    const made = (authMechanismProperties: object): (() => MongoClient) => {
      const { runtime } = createWorld({ turn });
      const options = { authMechanism: 'MONGODB-OIDC', authMechanismProperties };
      return () => new MongoClient('mongodb://localhost', options, { runtime });
    };
    expect(made({ ENVIRONMENT: 'test', OIDC_CALLBACK: () => undefined })).toThrow('exactly one of the properties');
    expect(made({ ENVIRONMENT: 'azure', TOKEN_RESOURCE: 'x', ALLOWED_HOSTS: [] })).toThrow(
      'MONGODB-OIDC takes the property ALLOWED_HOSTS only with a callback',
    );
  });

  test('MONGODB-OIDC, prose test 3.1: a rejected cached token is replaced, and the operation succeeds', async () => {
    await asMachine(async ({ client, server, calls }) => {
      await find(client);
      server.valid.delete('t1');
      await loseConnection(server, client);
      expect(await find(client)).toBeNull();
      expect(calls).toHaveLength(2);
    });
  });

  test('MONGODB-OIDC, prose test 3.2: a rejected new token is an error after one call', async () => {
    await asMachine(
      async ({ client, calls }) => {
        expect(await failure(find(client))).toMatchObject({ code: 18 });
        expect(calls).toHaveLength(1);
      },
      { answers: () => ({ accessToken: 'bad' }) },
    );
  });

  test('MONGODB-OIDC, prose test 3.3: another error of saslStart keeps the token in the cache', async () => {
    await asMachine(async ({ client, server, calls }) => {
      server.failNext(['saslStart'], 20);
      expect(await failure(find(client))).toMatchObject({ code: 20 });
      expect(calls).toHaveLength(1);
      expect(await find(client)).toBeNull();
      expect(calls).toHaveLength(1);
    });
  });

  test('MONGODB-OIDC, prose test 4.1: code 391 fetches another token, and the operation succeeds', async () => {
    await asMachine(async ({ client, server, calls }) => {
      server.failNext(['find'], 391);
      expect(await find(client)).toBeNull();
      expect(calls).toHaveLength(2);
    });
  });

  test.each([
    ['MONGODB-OIDC, prose test 4.2: a read fails if the new token is rejected', 'find', find],
    ['MONGODB-OIDC, prose test 4.3: a write fails if the new token is rejected', 'insert', insert],
  ])('%s', async (_, name, operate) => {
    await asMachine(
      async ({ client, server, calls }) => {
        await operate(client);
        server.failNext([name], 391);
        expect(await failure(operate(client))).toMatchObject({ code: 18 });
        expect(calls).toHaveLength(2);
      },
      { answers: n => ({ accessToken: n === 1 ? 't1' : 'bad' }) },
    );
  });

  test('MONGODB-OIDC, prose test 4.4: speculative authentication is not used for reauthentication', async () => {
    await asMachine(async ({ client, server, calls }) => {
      await find(client);
      await loseConnection(server, client);
      const before = server.count('saslStart');
      await insert(client);
      expect([calls.length, server.count('saslStart') - before]).toEqual([1, 0]);
      server.failNext(['insert'], 391);
      await insert(client);
      expect([calls.length, server.count('saslStart') - before]).toEqual([2, 1]);
    });
  });

  test('MONGODB-OIDC, prose test 4.5: an operation with a session succeeds after reauthentication', async () => {
    await asMachine(async ({ client, server, calls }) => {
      server.failNext(['find'], 391);
      const session = client.startSession();
      expect(await client.db('test').collection('c').findOne({}, { session })).toBeNull();
      expect(calls).toHaveLength(2);
      const sent = server.received.filter(command => 'find' in command).map(({ lsid }) => lsid as unknown);
      expect(sent).toEqual([session.id, session.id]);
      await session.endSession();
    });
  });
});

describe('the environment azure', () => {
  const inAzure = async (username: string | undefined, respond: (setup: Setup) => Promise<void>): Promise<void> => {
    await withServers('OIDC_CALLBACK')(
      async setup => {
        const azure = await startMetadataService(setup.world, '169.254.169.254:80', request =>
          request.includes('client_id=bad') ? ok('no identity', '400 Bad Request') : ok('{"access_token":"t1"}'),
        );
        await respond(setup);
        await azure.close();
      },
      {
        ...(username === undefined ? {} : { username }),
        properties: { ENVIRONMENT: 'azure', TOKEN_RESOURCE: 'api://x' },
      },
    );
  };

  test('MONGODB-OIDC, prose test 5.1: its token is used without a user name', async () => {
    await inAzure(undefined, async ({ client }) => {
      expect(await find(client)).toBeNull();
    });
  });

  test('MONGODB-OIDC, prose test 5.2: a wrong user name gets no token', async () => {
    await inAzure('bad', async ({ client, server }) => {
      expect((await failure(find(client))).message).toBe(
        'No token from azure: it answered with status 400: no identity.',
      );
      expect(server.count('saslStart')).toBe(0);
    });
  });
});

describe('human authentication flow', () => {
  const asPerson = withServers('OIDC_HUMAN_CALLBACK');
  const several = { test_user1: PEOPLE, test_user2: { ...PEOPLE, clientId: 'efgh' } };

  test.each<readonly [string, Setting]>([
    ['MONGODB-OIDC, prose test H1.1: a single principal needs no user name', {}],
    [
      'MONGODB-OIDC, prose test H1.2: a single principal may have a user name',
      { username: 'test_user1', providers: { test_user1: PEOPLE } },
    ],
    [
      'MONGODB-OIDC, prose test H1.3: selects the first of several principals',
      { username: 'test_user1', providers: several },
    ],
    [
      'MONGODB-OIDC, prose test H1.4: selects the second of several principals',
      { username: 'test_user2', providers: several },
    ],
    [
      'MONGODB-OIDC, prose test H1.8: a provider for machines has no clientId',
      { username: 'test_machine', providers: { test_machine: { issuer: 'https://issuer' } } },
    ],
  ])('%s', async (_, setting) => {
    await asPerson(async ({ client, calls }) => {
      expect(await find(client)).toBeNull();
      const { username = '', providers = { '': PEOPLE } } = setting;
      expect(calls.map(({ idpInfo, username: name }) => [idpInfo, name])).toEqual([
        [{ clientId: undefined, requestScopes: undefined, ...providers[username] }, setting.username],
      ]);
    }, setting);
  });

  test('MONGODB-OIDC, prose test H1.5: several principals without a user name are an error, and the callback is not called', async () => {
    await asPerson(
      async ({ client, calls }) => {
        expect(await failure(find(client))).toMatchObject({ code: 18 });
        expect(calls).toEqual([]);
      },
      { providers: several },
    );
  });

  test.each([[], ['example.com']])(
    'MONGODB-OIDC, prose test H1.6: a host that is not allowed receives no token, and the callback is not called',
    async (...hosts) => {
      await asPerson(
        async ({ client, calls, server }) => {
          expect((await failure(find(client))).message).toContain('Tokens must not be sent to the host localhost');
          expect([calls, server.count('saslStart')]).toEqual([[], 0]);
        },
        { properties: { ALLOWED_HOSTS: hosts } },
      );
    },
  );

  test('MONGODB-OIDC, prose test H1.7: the constructor rejects ALLOWED_HOSTS in a connection string', () => {
    const uri =
      'mongodb+srv://example.com/?authMechanism=MONGODB-OIDC&authMechanismProperties=ALLOWED_HOSTS:%5B%22example.com%22%5D';
    const { runtime } = createWorld({ turn });
    expect(() => new MongoClient(uri, {}, { runtime })).toThrow(
      'The property ALLOWED_HOSTS of MONGODB-OIDC must be a list of host names, given in code.',
    );
  });

  test("MONGODB-OIDC, prose test H2.1: the callback receives the server's provider information and a signal", async () => {
    await asPerson(async ({ client, calls }) => {
      await find(client);
      const { timeoutContext, ...rest } = calls[0]!;
      expect(timeoutContext).toBeInstanceOf(AbortSignal);
      expect(rest).toEqual({ version: 1, idpInfo: PEOPLE });
    });
  });

  test('MONGODB-OIDC, prose test H2.2: a result without a token is an error', async () => {
    await asPerson(
      async ({ client }) => {
        expect((await failure(find(client))).message).toContain('The OIDC callback must return { accessToken: string');
      },
      { answers: () => ({ refreshToken: 'r' }) },
    );
  });

  test('MONGODB-OIDC, prose test H2.3: the callback receives its previous refresh token', async () => {
    await asPerson(async ({ client, server, calls }) => {
      await find(client);
      server.failNext(['find'], 391);
      expect(await find(client)).toBeNull();
      expect(calls.map(({ refreshToken }) => refreshToken)).toEqual([undefined, 'r1']);
    });
  });

  test('MONGODB-OIDC, prose test H3.1: a cached token is sent with hello, so no saslStart is needed', async () => {
    await asPerson(async ({ client, server, calls }) => {
      server.failNext(['find'], 'hang up');
      expect((await failure(find(client))).name).toBe('MongoNetworkError');
      server.failNext(['saslStart'], 18);
      expect(await find(client)).toBeNull();
      expect(calls).toHaveLength(1);
    });
  });

  test('MONGODB-OIDC, prose test H3.2: without a cached token, hello has no speculative authentication', async () => {
    await asPerson(async ({ client, server }) => {
      server.failNext(['saslStart'], 18);
      expect(await failure(find(client))).toMatchObject({ code: 18 });
      expect(server.received.filter(command => 'speculativeAuthenticate' in command)).toEqual([]);
    });
  });

  test('MONGODB-OIDC, prose test H4.1: after code 391 the token is refreshed, and listeners receive both attempts', async () => {
    await asPerson(
      async ({ client, server, calls }) => {
        await find(client);
        expect(calls).toHaveLength(1);
        const recorded: string[] = [];
        for (const name of ['commandStarted', 'commandSucceeded', 'commandFailed'] as const)
          client.on(name, ({ commandName }: { readonly commandName: string }) => {
            if (!commandName.startsWith('sasl')) recorded.push(`${name} ${commandName}`);
          });
        server.failNext(['find'], 391);
        expect(await find(client)).toBeNull();
        expect(calls).toHaveLength(2);
        expect(recorded).toEqual([
          'commandStarted find',
          'commandFailed find',
          'commandStarted find',
          'commandSucceeded find',
        ]);
      },
      { options: { monitorCommands: true } },
    );
  });

  test('MONGODB-OIDC, prose test H4.2: after code 391 without a refresh token, the two-step flow runs', async () => {
    await asPerson(
      async ({ client, server, calls }) => {
        await find(client);
        server.failNext(['find'], 391);
        expect(await find(client)).toBeNull();
        expect([calls.length, server.count('saslContinue')]).toEqual([2, 2]);
      },
      { answers: n => ({ accessToken: `t${n}` }) },
    );
  });

  test('MONGODB-OIDC, prose test H4.3: the token from a refresh token is used, and otherwise the two-step flow runs', async () => {
    const calledWith = async (commands: readonly string[], times: number): Promise<number> => {
      let called = 0;
      await asPerson(async ({ client, server, calls }) => {
        await find(client);
        server.failNext(commands, 391, times);
        expect(await find(client)).toBeNull();
        called = calls.length;
      });
      return called;
    };
    expect(await calledWith(['find'], 1)).toBe(2);
    expect(await calledWith(['find', 'saslStart'], 2)).toBe(3);
  });

  test('MONGODB-OIDC, prose test H4.4: if the token of the two-step flow is rejected too, the operation fails', async () => {
    await asPerson(
      async ({ client, server, calls }) => {
        await find(client);
        expect(calls).toHaveLength(1);
        server.failNext(['find'], 391);
        expect(await failure(find(client))).toMatchObject({ code: 18 });
        expect(calls).toHaveLength(3);
      },
      { answers: n => ({ accessToken: n === 1 ? 't1' : 'bad', refreshToken: 'bad' }) },
    );
  });

  test('MONGODB-OIDC, prose test H4.4: if the server rejects every saslStart, the operation fails after two calls', async () => {
    await asPerson(async ({ client, server, calls }) => {
      await find(client);
      expect(calls).toHaveLength(1);
      server.failNext(['find', 'saslStart'], 391, 3);
      expect(await failure(find(client))).toMatchObject({ code: 391 });
      expect(calls).toHaveLength(2);
    });
  });
});
