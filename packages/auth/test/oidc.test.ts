import { inspect } from 'node:util';
import { bson, encode } from '@tessera/bson';
import type { Authenticator, Connection, Document, MongoError, Transport } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import type { World } from '@tessera/sim';
import { Binary } from 'bson';
import { describe, expect, test } from 'vitest';
import { createOidc, credentialOf } from '@tessera/auth';
import type { OidcCallback, OidcCallbackParams } from '@tessera/auth';
import { ADDRESS, failure, scripted, world as realWorld } from './scripted.js';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

const DONE = { conversationId: 1, payload: new Binary(new Uint8Array(0)), done: true, ok: 1 };
const REFUSED = { ok: 0, code: 18, codeName: 'AuthenticationFailed', errmsg: 'Authentication failed.' };
const IDP = { issuer: 'https://issuer', clientId: 'abcd', requestScopes: ['a', 'b'] };
const IDP_STEP = { conversationId: 1, payload: new Binary(encode(IDP)), done: false, ok: 1 };

/** Decodes the payload of a command. */
const said = (command: Document): unknown => {
  const { payload } = command;
  return [Object.keys(command)[0], bson.read((payload as Binary).value()).document()];
};

/** A server that returns replies from a list and records the commands. */
const server = (answers: readonly Document[]): { connection: Connection; told: unknown[] } => {
  const told: unknown[] = [];
  const { connection } = scripted(
    answers.map(answer => (command: Document) => {
      told.push(said(command));
      return answer;
    }),
  );
  return { connection, told };
};

interface House {
  readonly world: World;
  readonly oidc: Authenticator;
  readonly calls: OidcCallbackParams[];
}

/** A mechanism with tokens `t1`, `t2`, …, and refresh tokens `r1`, … in the human flow. */
const house = (kind: 'machine' | 'human', more: Document = {}, username?: string, callback?: OidcCallback): House => {
  const world = createWorld({ turn });
  const calls: OidcCallbackParams[] = [];
  const counting: OidcCallback = async params => {
    calls.push(params);
    if (callback !== undefined) return callback(params);
    const n = calls.length;
    return { accessToken: `t${n}`, ...(kind === 'human' ? { refreshToken: `r${n}` } : {}) };
  };
  const credential = credentialOf({
    username,
    authMechanism: 'MONGODB-OIDC',
    authMechanismProperties: {
      [kind === 'human' ? 'OIDC_HUMAN_CALLBACK' : 'OIDC_CALLBACK']: counting,
      ...(kind === 'human' ? { ALLOWED_HOSTS: ['db'] } : {}),
      ...more,
    },
  })!;
  return { world, oidc: createOidc({ ...world.at('app'), bson }, credential), calls };
};

const authenticate = async (
  { oidc }: House,
  connection: Connection,
  answer?: Document,
  deadline = Infinity,
): Promise<void> => {
  const conversation = await oidc.begin(ADDRESS);
  await conversation.finish(connection, answer, deadline);
};

const one = ['saslStart', { jwt: 't1' }];
const two = ['saslStart', { jwt: 't2' }];

describe('Authentication "MONGODB-OIDC", machine authentication flow', () => {
  test('"One-Step": sends the callback\'s token to $external, as the specification writes it', async () => {
    const { connection, asked } = scripted([DONE]);
    const h = house('machine', {}, undefined, async () => ({ accessToken: 'abcd1234' }));
    await h.world.run(() => authenticate(h, connection));
    expect(asked[0]?.[0]).toBe('$external');
    expect(Buffer.from(asked[0]?.[1]['payload'] as string, 'utf8').toString('base64')).toBe(
      'FwAAAAJqd3QACQAAAGFiY2QxMjM0AAA=',
    );
  });

  test('calls the callback once for many connections', async () => {
    const h = house('machine', {}, 'me');
    await h.world.run(async () => {
      const servers = [server([DONE]), server([DONE]), server([DONE])];
      await Promise.all(servers.map(({ connection }) => authenticate(h, connection)));
      expect(servers.map(({ told }) => told)).toEqual([[one], [one], [one]]);
    });
    expect(
      h.calls.map(({ version, username, idpInfo, refreshToken }) => ({ version, username, idpInfo, refreshToken })),
    ).toEqual([{ version: 1, username: 'me', idpInfo: undefined, refreshToken: undefined }]);
  });

  test('"Speculative Authentication": is used only with a cached token, and an accepted token completes authentication', async () => {
    const h = house('machine');
    await h.world.run(async () => {
      expect((await h.oidc.begin(ADDRESS)).first).toBeUndefined();
      await authenticate(h, server([DONE]).connection);
      const { first } = await h.oidc.begin(ADDRESS);
      expect([said(first!), first!['db']]).toEqual([one, '$external']);
      const { connection, told } = server([]);
      await authenticate(h, connection, DONE);
      expect(told).toEqual([]);
    });
  });

  test('keeps a token that the server ignored in hello, and sends it again', async () => {
    const h = house('machine');
    await h.world.run(async () => {
      await authenticate(h, server([DONE]).connection);
      const { connection, told } = server([DONE]);
      await authenticate(h, connection, { conversationId: 1, done: false });
      expect(told).toEqual([one]);
    });
  });

  test('replaces a rejected cached token, at least 100 ms after the last call of the callback', async () => {
    const h = house('machine');
    await h.world.run(async () => {
      const { clock } = h.world.at('app');
      await authenticate(h, server([DONE]).connection);
      const before = clock.now();
      const { connection, told } = server([REFUSED, DONE]);
      await authenticate(h, connection);
      expect(told).toEqual([one, two]);
      expect(clock.now() - before).toBe(100);
    });
    expect(h.calls).toHaveLength(2);
  });

  test('throws if a new token is rejected, without calling the callback again', async () => {
    const h = house('machine');
    await h.world.run(async () => {
      const error = await failure(authenticate(h, server([REFUSED]).connection));
      expect([error.kind, error.code]).toEqual(['auth', 18]);
    });
    expect(h.calls).toHaveLength(1);
  });

  test('keeps the cache after an error other than 18', async () => {
    const h = house('machine');
    await h.world.run(async () => {
      const illegal = { ok: 0, code: 20, errmsg: 'IllegalOperation' };
      expect((await failure(authenticate(h, server([illegal]).connection))).code).toBe(20);
      await authenticate(h, server([DONE]).connection);
    });
    expect(h.calls).toHaveLength(1);
  });

  test('"Reauthentication" fetches another token, unless another connection already did', async () => {
    const h = house('machine');
    await h.world.run(async () => {
      const [first, second] = [server([DONE, DONE]), server([DONE, DONE])];
      await authenticate(h, first.connection);
      await authenticate(h, second.connection);
      await authenticate(h, first.connection);
      await authenticate(h, second.connection);
      expect([first.told, second.told]).toEqual([
        [one, two],
        [one, two],
      ]);
    });
    expect(h.calls).toHaveLength(2);
  });

  test('rejects a conversation without an end', async () => {
    const h = house('machine');
    await h.world.run(async () => {
      const error = await failure(authenticate(h, server([{ ...DONE, done: false }]).connection));
      expect(error.message).toBe('db:27017 violates MONGODB-OIDC: it does not end the conversation.');
    });
  });
});

describe('Authentication "OIDC Callback"', () => {
  const failed = async (callback: OidcCallback, deadline = Infinity): Promise<MongoError> => {
    const h = house('machine', {}, undefined, callback);
    let error: MongoError | undefined;
    await h.world.run(async () => {
      error = await failure(authenticate(h, server([]).connection, undefined, deadline));
    });
    return error!;
  };

  test('rejects an invalid result without revealing it', async () => {
    for (const response of [
      null,
      undefined,
      {},
      'hunter2',
      { accessToken: '' },
      { accessToken: 5 },
      { token: 'hunter2' },
      { accessToken: 'hunter2', expiresInSeconds: -1 },
      { accessToken: 'hunter2', expiresInSeconds: '5' },
      { accessToken: 'hunter2', refreshToken: '' },
    ]) {
      const error = await failed(async () => response as never);
      expect([error.kind, error.message]).toEqual([
        'auth',
        'The OIDC callback must return { accessToken: string, expiresInSeconds?: number from 0, refreshToken?: string }.',
      ]);
      expect(inspect(error, { depth: 9 })).not.toContain('hunter2');
    }
  });

  test('the error of the callback is the cause', async () => {
    const cause = new TypeError('no network');
    const error = await failed(() => Promise.reject(cause));
    expect([error.kind, error.cause, error.message]).toEqual([
      ...['auth', cause, 'The OIDC callback threw an error; see the cause.'],
    ]);
    const thrown = await failed(() => {
      throw cause;
    });
    expect(thrown.cause).toBe(cause);
  });

  test('its time limit is the rest of the handshake, at most a minute, and then its signal aborts', async () => {
    for (const [deadline, limit] of [
      [5000, 5000],
      [Infinity, 60_000],
    ] as const) {
      let signal: OidcCallbackParams['timeoutContext'] | undefined;
      const h = house('machine', {}, undefined, ({ timeoutContext }) => {
        signal = timeoutContext;
        return new Promise(() => undefined);
      });
      await h.world.run(async () => {
        const { clock } = h.world.at('app');
        const began = clock.now();
        const error = await failure(authenticate(h, server([]).connection, undefined, began + deadline));
        expect([error.kind, clock.now() - began, signal?.aborted, signal instanceof AbortSignal]).toEqual([
          'timeout',
          limit,
          true,
          true,
        ]);
      });
    }
  });
});

describe('Authentication "MONGODB-OIDC", human authentication flow', () => {
  test('"Two-Step": sends the principal first, then the token of the issuer named by the server', async () => {
    const h = house('human', {}, 'myidp');
    await h.world.run(async () => {
      const { connection, told } = server([IDP_STEP, DONE]);
      await authenticate(h, connection);
      expect(told).toEqual([
        ['saslStart', { n: 'myidp' }],
        ['saslContinue', { jwt: 't1' }],
      ]);
    });
    const { idpInfo, refreshToken, username } = h.calls[0]!;
    expect({ idpInfo, refreshToken, username }).toEqual({ idpInfo: IDP, refreshToken: undefined, username: 'myidp' });
  });

  test('leaves out the principal without a user name', async () => {
    const h = house('human');
    await h.world.run(async () => {
      const { connection, told } = server([IDP_STEP, DONE]);
      await authenticate(h, connection);
      expect(told[0]).toEqual(['saslStart', {}]);
    });
  });

  test('reauthentication renews the token with the refresh token in one step', async () => {
    const h = house('human');
    await h.world.run(async () => {
      const { connection, told } = server([IDP_STEP, DONE, DONE]);
      await authenticate(h, connection);
      await authenticate(h, connection);
      expect(told[2]).toEqual(two);
    });
    expect(h.calls.map(({ refreshToken, idpInfo }) => [refreshToken, idpInfo])).toEqual([
      [undefined, IDP],
      ['r1', IDP],
    ]);
  });

  test('reauthentication asks the server again without a refresh token', async () => {
    const h = house('human', {}, undefined, async () => ({ accessToken: 't' }));
    await h.world.run(async () => {
      const { connection, told } = server([IDP_STEP, DONE, IDP_STEP, DONE]);
      await authenticate(h, connection);
      await authenticate(h, connection);
      expect(told).toHaveLength(4);
    });
    expect(h.calls).toHaveLength(2);
  });

  test('falls back to the two-step flow when the server rejects a renewed token, and throws if that is rejected too', async () => {
    const again = { ok: 0, code: 391, errmsg: 'ReauthenticationRequired' };
    const h = house('human');
    await h.world.run(async () => {
      const { connection, told } = server([IDP_STEP, DONE, again, IDP_STEP, DONE, REFUSED, REFUSED]);
      await authenticate(h, connection);
      await authenticate(h, connection);
      expect(told.slice(2)).toEqual([two, ['saslStart', {}], ['saslContinue', { jwt: 't3' }]]);
      expect(h.calls.map(({ refreshToken }) => refreshToken)).toEqual([undefined, 'r1', undefined]);
      expect((await failure(authenticate(h, connection))).code).toBe(18);
    });
    expect(h.calls).toHaveLength(4);
  });

  test('a human user has five minutes, regardless of the deadline of the handshake', async () => {
    const h = house('human', {}, undefined, async () => {
      await h.world.at('app').clock.sleep(200_000);
      return { accessToken: 't1' };
    });
    await h.world.run(async () => {
      const { clock } = h.world.at('app');
      const deadlines: number[] = [];
      const { connection } = server([IDP_STEP, DONE]);
      const { command } = connection;
      const watched = {
        ...connection,
        command: (...given: Parameters<typeof command>) => {
          deadlines.push(given[2] - clock.now());
          return command(...given);
        },
      };
      await authenticate(h, watched, undefined, clock.now() + 30_000);
      expect(deadlines).toEqual([30_000, 30_000]);
    });
  });

  test('sends nothing to a host that is not allowed, and does not call the callback', async () => {
    const refusal = async (allowed: readonly string[] | undefined, address: string): Promise<string | undefined> => {
      const h = house('human', { ALLOWED_HOSTS: allowed });
      try {
        await h.oidc.begin(address);
      } catch (error) {
        return (error as Error).message;
      }
      return undefined;
    };
    expect(await refusal([], 'localhost:27017')).toBe(
      'Tokens must not be sent to the host localhost (ALLOWED_HOSTS: none). To allow it, add it to ALLOWED_HOSTS in authMechanismProperties.',
    );
    for (const address of ['evil.com:1', 'mongodb.net:1', 'xmongodb.net:1', 'a.mongodb.net.evil.com:1', '/tmp/x.sock'])
      expect(await refusal(['*.mongodb.net'], address)).toContain('Tokens must not be sent');
    for (const [pattern, address] of [
      ['*.mongodb.net', 'a.b.mongodb.net:27017'],
      ['EXAMPLE.com', 'example.com:1'],
      ['::1', '[::1]:27017'],
      ['127.0.0.1', '127.0.0.1:27017'],
    ] as const)
      expect(await refusal([pattern], address)).toBeUndefined();
  });

  test('rejects a server that names no issuer or ends too early', async () => {
    for (const [step, what] of [
      [{ ...IDP_STEP, payload: new Binary(encode({ clientId: 'x' })) }, 'its reply has no issuer'],
      [{ ...IDP_STEP, done: true }, 'it ends the conversation before receiving a token'],
    ] as const) {
      const h = house('human');
      await h.world.run(async () => {
        const error = await failure(authenticate(h, server([step]).connection));
        expect(error.message).toBe(`db:27017 violates MONGODB-OIDC: ${what}.`);
      });
      expect(h.calls).toEqual([]);
    }
  });

  test('rejects a payload that is not a document', async () => {
    const h = house('human');
    await h.world.run(async () => {
      const broken = { ...IDP_STEP, payload: new Binary(Uint8Array.of(9, 0, 0, 0)) };
      expect((await failure(authenticate(h, server([broken]).connection))).kind).toBe('protocol');
    });
  });
});

describe('Authentication "Built-in OIDC Environment Integrations"', () => {
  /** Returns the token sent to the server, and the requests made to get it. */
  const run = async (
    properties: Document,
    answer: string,
    host: Partial<Document> = {},
    username?: string,
  ): Promise<readonly [told: unknown, asked: unknown]> => {
    const asked: string[] = [];
    const transport: Transport = {
      connect: async to => ({
        readsAhead: false,
        listen: sink => {
          setImmediate(() => {
            const bytes = Buffer.from(answer);
            const step = bytes.length > 1000 ? 4096 : 7;
            for (let at = 0; at < bytes.length; at += step) {
              const piece = bytes.subarray(at, at + step);
              sink.room().set(piece);
              sink.filled(piece.length);
            }
            sink.closed();
          });
        },
        write: bytes => asked.push(`${to} ${Buffer.from(bytes).toString()}`) > 0,
        end: () => undefined,
        destroy: () => undefined,
      }),
    };
    const deps = realWorld();
    const oidc = createOidc(
      { ...deps, transport, host: { ...deps.host, ...host } },
      credentialOf({ username, authMechanism: 'MONGODB-OIDC', authMechanismProperties: properties })!,
    );
    const { connection, told } = server([DONE]);
    await (await oidc.begin(ADDRESS)).finish(connection, undefined, Infinity);
    return [told[0], asked[0]];
  };
  const answered = (body: string, status = '200 OK'): string =>
    `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

  test('azure: requests the token from the instance metadata service, with the client ID if given', async () => {
    const properties = { ENVIRONMENT: 'azure', TOKEN_RESOURCE: 'api://a b' };
    expect(await run(properties, answered('{"access_token":"eyJ","expires_in":"3599"}'), {}, 'my client')).toEqual([
      ['saslStart', { jwt: 'eyJ' }],
      '169.254.169.254:80 GET /metadata/identity/oauth2/token?api-version=2018-02-01&resource=api%3A%2F%2Fa%20b&client_id=my%20client HTTP/1.1\r\n' +
        'Host: 169.254.169.254\r\nConnection: close\r\nAccept: application/json\r\nMetadata: true\r\n\r\n',
    ]);
  });

  test('gcp: uses the response as the token, also in chunks', async () => {
    const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\neyJ\r\n2\r\nab\r\n0\r\n\r\n';
    expect(await run({ ENVIRONMENT: 'gcp', TOKEN_RESOURCE: 'x' }, chunked)).toEqual([
      ['saslStart', { jwt: 'eyJab' }],
      'metadata:80 GET /computeMetadata/v1/instance/service-accounts/default/identity?audience=x HTTP/1.1\r\n' +
        'Host: metadata\r\nConnection: close\r\nMetadata-Flavor: Google\r\n\r\n',
    ]);
  });

  test('k8s and test: reads the token from a file', async () => {
    const files: Readonly<Record<string, string>> = {
      '/var/run/secrets/kubernetes.io/serviceaccount/token': 'account\n',
      '/aws': 'aws',
      '/azure': 'azure',
      '/test': 'test',
    };
    const token = async (environment: string, variables: Readonly<Record<string, string>>): Promise<unknown> =>
      (
        await run({ ENVIRONMENT: environment }, '', {
          environment: (name: string) => variables[name],
          readText: async (path: string) => files[path]!,
        })
      )[0];
    expect([
      await token('k8s', {}),
      await token('k8s', { AWS_WEB_IDENTITY_TOKEN_FILE: '/aws' }),
      await token('k8s', { AWS_WEB_IDENTITY_TOKEN_FILE: '/aws', AZURE_FEDERATED_TOKEN_FILE: '/azure' }),
      await token('test', { OIDC_TOKEN_FILE: '/test' }),
    ]).toEqual(['account', 'aws', 'azure', 'test'].map(jwt => ['saslStart', { jwt }]));
  });

  test('errors contain the response', async () => {
    const azure = { ENVIRONMENT: 'azure', TOKEN_RESOURCE: 'x' };
    const message = async (work: Promise<unknown>): Promise<string> => (await failure(work)).message;
    expect([
      await message(run(azure, answered('no identity', '400 Bad Request'))),
      await message(run(azure, answered('{}'))),
      await message(run(azure, answered('<html>'))),
      await message(run(azure, 'SSH-2.0\r\n')),
      await message(run(azure, '')),
      await message(run({ ENVIRONMENT: 'test' }, '', { environment: () => undefined })),
      await message(run({ ENVIRONMENT: 'k8s' }, '', { readText: undefined })),
      await message(run({ ENVIRONMENT: 'k8s' }, '', { readText: () => Promise.reject(new Error('ENOENT')) })),
    ]).toEqual([
      'No token from azure: it answered with status 400: no identity.',
      'No token from azure: its response has no access_token.',
      'No token from azure: its response has no access_token.',
      '169.254.169.254:80 sent an invalid HTTP response to GET /metadata/identity/oauth2/token?api-version=2018-02-01&resource=x.',
      '169.254.169.254:80 sent an invalid HTTP response to GET /metadata/identity/oauth2/token?api-version=2018-02-01&resource=x.',
      'No token from test: the environment variable for the file is not set.',
      'No token from k8s: this host has no files; pass an OIDC_CALLBACK.',
      'No token from k8s: the file /var/run/secrets/kubernetes.io/serviceaccount/token cannot be read.',
    ]);
  });

  test('truncates an endless response', async () => {
    const endless = `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(300_000)}`;
    const error = await failure(run({ ENVIRONMENT: 'gcp', TOKEN_RESOURCE: 'x' }, endless));
    expect(error.message).toMatch(/sent too long a response to GET .*$/);
  });
});
