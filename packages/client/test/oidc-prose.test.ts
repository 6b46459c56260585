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

/** Answers the n-th call, from 1. */
type Answers = (n: number, params: OidcCallbackParams) => unknown;

interface Stage {
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
  /** By default every call gives a token of its own that the server takes, and to people a refresh token. */
  readonly answers?: Answers;
}

/** A client with a callback, and a server that takes `t1` to `t9`; afterwards nothing may be left open. */
const onStage =
  (flow: 'OIDC_CALLBACK' | 'OIDC_HUMAN_CALLBACK') =>
  async (play: (stage: Stage) => Promise<void>, setting: Setting = {}): Promise<void> => {
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
      await play({ world, server, calls, client });
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

/** The next operation has to log in again. */
const loseConnection = async (server: OidcServer, client: MongoClient): Promise<void> => {
  server.failNext(['find'], 'hang up');
  await failure(find(client));
};

describe('machine authentication flow', () => {
  const asMachine = onStage('OIDC_CALLBACK');

  test('MONGODB-OIDC, prose test 1.1: the callback is called once for one operation', async () => {
    await asMachine(async ({ client, calls }) => {
      expect(await find(client)).toBeNull();
      expect(calls).toHaveLength(1);
    });
  });

  test('MONGODB-OIDC, prose test 1.2: ten times a hundred operations at once call it once', async () => {
    await asMachine(
      async ({ client, calls, server, world }) => {
        const worker = async (): Promise<void> => {
          for (let n = 0; n < 100; n += 1) await find(client);
        };
        await Promise.all(Array.from({ length: 10 }, worker));
        // Between two calls of the callback there are 100 ms.
        await world.runtime.clock.sleep(1000);
        expect([calls.length, server.count('find')]).toEqual([1, 1000]);
      },
      // While the callback is under way other connections come to need a token.
      { answers: n => turn().then(() => ({ accessToken: `t${n}` })) },
    );
  });

  test('MONGODB-OIDC, prose test 2.1: the callback is given version, user name and a signal for its time', async () => {
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
    ['MONGODB-OIDC, prose test 2.2: null for a credential is an error', null],
    ['MONGODB-OIDC, prose test 2.3: a credential without a token is an error', { expiresInSeconds: 60 }],
  ])('%s', async (_, answer) => {
    await asMachine(
      async ({ client, server }) => {
        expect((await failure(find(client))).message).toContain('The OIDC callback must return { accessToken: a text');
        expect(server.count('saslStart')).toBe(0);
      },
      { answers: () => answer },
    );
  });

  test('MONGODB-OIDC, prose tests 2.4, 2.5: a callback beside ENVIRONMENT, or ALLOWED_HOSTS there, is refused by the constructor', () => {
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

  test('MONGODB-OIDC, prose test 3.1: a cached token that is refused is replaced, and the operation succeeds', async () => {
    await asMachine(async ({ client, server, calls }) => {
      await find(client);
      server.valid.delete('t1');
      await loseConnection(server, client);
      expect(await find(client)).toBeNull();
      expect(calls).toHaveLength(2);
    });
  });

  test('MONGODB-OIDC, prose test 3.2: a new token that is refused is an error after one call', async () => {
    await asMachine(
      async ({ client, calls }) => {
        expect(await failure(find(client))).toMatchObject({ code: 18 });
        expect(calls).toHaveLength(1);
      },
      { answers: () => ({ accessToken: 'bad' }) },
    );
  });

  test('MONGODB-OIDC, prose test 3.3: another error of saslStart leaves the token in the cache', async () => {
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
    ['MONGODB-OIDC, prose test 4.2: a read fails if the new token is refused', 'find', find],
    ['MONGODB-OIDC, prose test 4.3: a write fails if the new token is refused', 'insert', insert],
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

  test('MONGODB-OIDC, prose test 4.4: what was said with hello does not count for reauthentication', async () => {
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
      const sent = server.asked.filter(command => 'find' in command).map(({ lsid }) => lsid as unknown);
      expect(sent).toEqual([session.id, session.id]);
      await session.endSession();
    });
  });
});

describe('the environment azure', () => {
  const inAzure = async (username: string | undefined, play: (stage: Stage) => Promise<void>): Promise<void> => {
    await onStage('OIDC_CALLBACK')(
      async stage => {
        const azure = await startMetadataService(stage.world, '169.254.169.254:80', request =>
          request.includes('client_id=bad') ? ok('no identity', '400 Bad Request') : ok('{"access_token":"t1"}'),
        );
        await play(stage);
        await azure.close();
      },
      {
        ...(username === undefined ? {} : { username }),
        properties: { ENVIRONMENT: 'azure', TOKEN_RESOURCE: 'api://x' },
      },
    );
  };

  test('MONGODB-OIDC, prose test 5.1: without a user name its token is taken', async () => {
    await inAzure(undefined, async ({ client }) => {
      expect(await find(client)).toBeNull();
    });
  });

  test('MONGODB-OIDC, prose test 5.2: with a wrong user name there is no token', async () => {
    await inAzure('bad', async ({ client, server }) => {
      expect((await failure(find(client))).message).toBe(
        'No token from azure: it answered with status 400: no identity',
      );
      expect(server.count('saslStart')).toBe(0);
    });
  });
});

describe('human authentication flow', () => {
  const asPerson = onStage('OIDC_HUMAN_CALLBACK');
  const several = { test_user1: PEOPLE, test_user2: { ...PEOPLE, clientId: 'efgh' } };

  test.each<readonly [string, Setting]>([
    ['MONGODB-OIDC, prose test H1.1: with one principal no user name is needed', {}],
    [
      'MONGODB-OIDC, prose test H1.2: with one principal its user name may be given',
      { username: 'test_user1', providers: { test_user1: PEOPLE } },
    ],
    ['MONGODB-OIDC, prose test H1.3: the first of several', { username: 'test_user1', providers: several }],
    ['MONGODB-OIDC, prose test H1.4: the second of several', { username: 'test_user2', providers: several }],
    [
      'MONGODB-OIDC, prose test H1.8: a provider for machines names no clientId',
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

  test('MONGODB-OIDC, prose test H1.5: nobody of several is an error, and nobody is asked', async () => {
    await asPerson(
      async ({ client, calls }) => {
        expect(await failure(find(client))).toMatchObject({ code: 18 });
        expect(calls).toEqual([]);
      },
      { providers: several },
    );
  });

  test.each([[], ['example.com']])(
    'MONGODB-OIDC, prose test H1.6: a host that is not allowed is told nothing, and nobody is asked',
    async (...hosts) => {
      await asPerson(
        async ({ client, calls, server }) => {
          expect((await failure(find(client))).message).toContain('The host localhost is not among those');
          expect([calls, server.count('saslStart')]).toEqual([[], 0]);
        },
        { properties: { ALLOWED_HOSTS: hosts } },
      );
    },
  );

  test('MONGODB-OIDC, prose test H1.7: ALLOWED_HOSTS of a connection string is refused by the constructor', () => {
    const uri =
      'mongodb+srv://example.com/?authMechanism=MONGODB-OIDC&authMechanismProperties=ALLOWED_HOSTS:%5B%22example.com%22%5D';
    const { runtime } = createWorld({ turn });
    expect(() => new MongoClient(uri, {}, { runtime })).toThrow(
      'The property ALLOWED_HOSTS of MONGODB-OIDC must be a list of host names, given in code.',
    );
  });

  test('MONGODB-OIDC, prose test H2.1: the callback is given what the server says of the provider, and a signal', async () => {
    await asPerson(async ({ client, calls }) => {
      await find(client);
      const { timeoutContext, ...rest } = calls[0]!;
      expect(timeoutContext).toBeInstanceOf(AbortSignal);
      expect(rest).toEqual({ version: 1, idpInfo: PEOPLE });
    });
  });

  test('MONGODB-OIDC, prose test H2.2: a credential without a token is an error', async () => {
    await asPerson(
      async ({ client }) => {
        expect((await failure(find(client))).message).toContain('The OIDC callback must return { accessToken: a text');
      },
      { answers: () => ({ refreshToken: 'r' }) },
    );
  });

  test('MONGODB-OIDC, prose test H2.3: the callback is given the refresh token that it gave', async () => {
    await asPerson(async ({ client, server, calls }) => {
      await find(client);
      server.failNext(['find'], 391);
      expect(await find(client)).toBeNull();
      expect(calls.map(({ refreshToken }) => refreshToken)).toEqual([undefined, 'r1']);
    });
  });

  test('MONGODB-OIDC, prose test H3.1: a cached token goes with hello, so that saslStart is not needed', async () => {
    await asPerson(async ({ client, server, calls }) => {
      server.failNext(['find'], 'hang up');
      expect((await failure(find(client))).name).toBe('MongoNetworkError');
      server.failNext(['saslStart'], 18);
      expect(await find(client)).toBeNull();
      expect(calls).toHaveLength(1);
    });
  });

  test('MONGODB-OIDC, prose test H3.2: without a cached token nothing goes with hello', async () => {
    await asPerson(async ({ client, server }) => {
      server.failNext(['saslStart'], 18);
      expect(await failure(find(client))).toMatchObject({ code: 18 });
      expect(server.asked.filter(command => 'speculativeAuthenticate' in command)).toEqual([]);
    });
  });

  test('MONGODB-OIDC, prose test H4.1: after code 391 the token is renewed, and the listeners hear both attempts', async () => {
    await asPerson(
      async ({ client, server, calls }) => {
        await find(client);
        expect(calls).toHaveLength(1);
        const heard: string[] = [];
        for (const name of ['commandStarted', 'commandSucceeded', 'commandFailed'] as const)
          client.on(name, ({ commandName }: { readonly commandName: string }) => {
            if (!commandName.startsWith('sasl')) heard.push(`${name} ${commandName}`);
          });
        server.failNext(['find'], 391);
        expect(await find(client)).toBeNull();
        expect(calls).toHaveLength(2);
        expect(heard).toEqual([
          'commandStarted find',
          'commandFailed find',
          'commandStarted find',
          'commandSucceeded find',
        ]);
      },
      { options: { monitorCommands: true } },
    );
  });

  test('MONGODB-OIDC, prose test H4.2: after code 391 without a refresh token the server is asked once more', async () => {
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

  test('MONGODB-OIDC, prose test H4.3: what a refresh token gives is taken, else the server is asked once more', async () => {
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

  test('MONGODB-OIDC, prose test H4.4: if that is refused, too, the operation fails', async () => {
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

  test('MONGODB-OIDC, prose test H4.4: if the server refuses every saslStart, the operation fails after two calls', async () => {
    await asPerson(async ({ client, server, calls }) => {
      await find(client);
      expect(calls).toHaveLength(1);
      server.failNext(['find', 'saslStart'], 391, 3);
      expect(await failure(find(client))).toMatchObject({ code: 391 });
      expect(calls).toHaveLength(2);
    });
  });
});
