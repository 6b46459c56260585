import { createHash, createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import { bson, encode } from '@tessera/bson';
import type { Authenticator, Document, Transport } from '@tessera/contracts';
import { Binary } from 'bson';
import { describe, expect, test } from 'vitest';
import { createAws, credentialOf } from '@tessera/auth';
import type { CredentialOptions } from '@tessera/auth';
import { ADDRESS, failure, scripted, world } from './scripted.js';

const OWN = new Uint8Array(32).fill(7);
const NONCE = Buffer.concat([OWN, Buffer.alloc(32, 9)]);
const TIME = Date.UTC(2019, 10, 7, 0, 26, 7, 250);
const KEYS = { username: 'AKIDEXAMPLE', password: 'hunter2' };

const step = (document: Document, done = false): Document => ({
  conversationId: 1,
  payload: new Binary(encode(document)),
  done,
  ok: 1,
});
const FIRST = step({ s: new Binary(NONCE), h: 'sts.us-west-2.amazonaws.com' });
const DONE = { conversationId: 1, payload: new Binary(new Uint8Array(0)), done: true, ok: 1 };

/** Responses of AWS services by the first line of the request. */
type Services = Readonly<Record<string, string>>;

interface House {
  readonly aws: Authenticator;
  readonly requests: string[];
  wallTime: number;
}

const house = (
  options: CredentialOptions = {},
  variables: Readonly<Record<string, string>> = {},
  services: Services = {},
  files: Readonly<Record<string, string>> = {},
): House => {
  const deps = world(OWN);
  const requests: string[] = [];
  const transport: Transport = {
    connect: async to => {
      let request = '';
      return {
        readsAhead: false,
        listen: sink => {
          setImmediate(() => {
            const line = `${to} ${request.split(' HTTP')[0]!}`;
            const answer = Buffer.from(services[line] ?? 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');
            sink.room().set(answer);
            sink.filled(answer.length);
          });
        },
        write: bytes => {
          request = Buffer.from(bytes).toString();
          return requests.push(`${to} ${request}`) > 0;
        },
        end: () => undefined,
        destroy: () => undefined,
      };
    },
  };
  const made: House = {
    requests,
    wallTime: TIME,
    aws: createAws(
      {
        ...deps,
        transport,
        clock: { ...deps.clock, now: () => deps.clock.now(), wallTime: () => made.wallTime },
        host: {
          ...deps.host,
          environment: name => variables[name],
          readText: async name => files[name] ?? Promise.reject(new Error('no such file')),
        },
      },
      credentialOf({ authMechanism: 'MONGODB-AWS', ...options })!,
    ),
  };
  return made;
};

/** Runs a conversation and returns the decoded payloads. */
const talk = async ({ aws }: House, answers: readonly Document[] = [FIRST, DONE]): Promise<Document[]> => {
  const told: Document[] = [];
  const { connection } = scripted(
    answers.map(answer => (command: Document) => {
      told.push(bson.read((command['payload'] as Binary).value()).document());
      return answer;
    }),
  );
  await (await aws.begin(ADDRESS)).finish(connection, undefined, Infinity);
  return told;
};

const json = (body: Document): string => {
  const text = JSON.stringify(body);
  return `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
};
const plain = (text: string): string => `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
const keyOf = (told: readonly Document[]): unknown => /Credential=(\w+)\//.exec(told[1]!['a'] as string)?.[1];

/** Computes Signature Version 4 step by step, as Amazon describes it. */
const expectedSignature = (region: string, host: string): string => {
  const sha = (text: string): string => createHash('sha256').update(text).digest('hex');
  const body = 'Action=GetCallerIdentity&Version=2011-06-15';
  const canonical = [
    'POST',
    '/',
    '',
    'content-length:43',
    'content-type:application/x-www-form-urlencoded',
    `host:${host}`,
    'x-amz-date:20191107T002607Z',
    'x-mongodb-gs2-cb-flag:n',
    `x-mongodb-server-nonce:${NONCE.toString('base64')}`,
    '',
    'content-length;content-type;host;x-amz-date;x-mongodb-gs2-cb-flag;x-mongodb-server-nonce',
    sha(body),
  ].join('\n');
  const toSign = `AWS4-HMAC-SHA256\n20191107T002607Z\n20191107/${region}/sts/aws4_request\n${sha(canonical)}`;
  let key = Buffer.from('AWS4hunter2');
  for (const part of ['20191107', region, 'sts', 'aws4_request']) key = createHmac('sha256', key).update(part).digest();
  return createHmac('sha256', key).update(toSign).digest('hex');
};

describe('Authentication "MONGODB-AWS"', () => {
  test('sends a nonce, and then a signature over both nonces', async () => {
    // The signature of the same request by the AWS SDK for Python (botocore 1.43).
    const signature = '08c4d083cac0dbfc0501dab543a62911140e644f206763aa94ca288986c97117';
    expect(await talk(house(KEYS))).toEqual([
      { r: new Binary(OWN), p: 110 },
      {
        a: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20191107/us-west-2/sts/aws4_request, SignedHeaders=content-length;content-type;host;x-amz-date;x-mongodb-gs2-cb-flag;x-mongodb-server-nonce, Signature=${signature}`,
        d: '20191107T002607Z',
      },
    ]);
  });

  test('is never started with hello', async () => {
    expect((await house(KEYS).aws.begin(ADDRESS)).first).toBeUndefined();
  });

  test('sends and signs a session token', async () => {
    const told = await talk(house({ ...KEYS, authMechanismProperties: { AWS_SESSION_TOKEN: 'token!' } }));
    expect([told[1]?.['t'], (told[1]!['a'] as string).slice(-64)]).toEqual([
      'token!',
      '83e7656496376e4039bd6f810a5c84d0c74b1bd5383739b6df514e9674257485',
    ]);
  });

  test.each([
    ['sts.amazonaws.com', 'us-east-1'],
    ['sts.us-west-2.amazonaws.com.ch', 'us-west-2'],
    ['example.com', 'com'],
    ['localhost', 'us-east-1'],
  ])('"Region Calculation": %s is in %s', async (host, region) => {
    const told = await talk(house(KEYS), [step({ s: new Binary(NONCE), h: host }), DONE]);
    expect(told[1]?.['a']).toContain(`/${region}/sts/`);
    expect(told[1]?.['a']).toContain(expectedSignature(region, host));
  });

  test.each([
    ['sts..com', { s: new Binary(NONCE), h: 'sts..com' }, 'its host name is invalid'],
    ['.amazonaws.com', { s: new Binary(NONCE), h: '.amazonaws.com' }, 'its host name is invalid'],
    ['sts.amazonaws.', { s: new Binary(NONCE), h: 'sts.amazonaws.' }, 'its host name is invalid'],
    ['an empty host', { s: new Binary(NONCE), h: '' }, 'its host name is invalid'],
    ['a host of 256 letters', { s: new Binary(NONCE), h: 'a'.repeat(256) }, 'its host name is invalid'],
    ['no host', { s: new Binary(NONCE) }, 'its host name is invalid'],
    ['no nonce', { h: 'localhost' }, "its nonce does not begin with the client's nonce"],
    [
      'a short nonce',
      { s: new Binary(NONCE.subarray(0, 63)), h: 'x' },
      "its nonce does not begin with the client's nonce",
    ],
    ['another nonce', { s: new Binary(Buffer.alloc(64)), h: 'x' }, "its nonce does not begin with the client's nonce"],
  ])('rejects a server that answers with %s, without signing anything', async (_what, first, said) => {
    const error = await failure(talk(house(KEYS), [step(first)]));
    expect([error.kind, error.message]).toEqual(['protocol', `db:27017 violates MONGODB-AWS: ${said}.`]);
  });

  test('rejects a conversation that ends too early or not at all', async () => {
    expect((await failure(talk(house(KEYS), [{ ...FIRST, done: true }]))).message).toMatch(
      /ends the conversation too early/,
    );
    expect((await failure(talk(house(KEYS), [FIRST, { ...DONE, done: false }]))).message).toMatch(/does not end/);
  });

  test('printing never reveals the secret key', async () => {
    const { aws } = house(KEYS);
    const refused = { ok: 0, code: 18, errmsg: 'Authentication failed.' };
    const error = await failure(talk(house(KEYS), [FIRST, refused]));
    expect(error.kind).toBe('auth');
    expect(inspect([aws, error, await aws.begin(ADDRESS)], { depth: 9 })).not.toContain('hunter2');
  });
});

describe('Authentication "Obtaining Credentials"', () => {
  const environment = { AWS_ACCESS_KEY_ID: 'AKIENV', AWS_SECRET_ACCESS_KEY: 'secret' };
  const role = '/latest/meta-data/iam/security-credentials/';
  const ec2 = (AccessKeyId: string, Expiration: string): Services => ({
    '169.254.169.254:80 PUT /latest/api/token': plain('imds token\n'),
    [`169.254.169.254:80 GET ${role}`]: plain('my role'),
    [`169.254.169.254:80 GET ${role}my%20role`]: json({
      Code: 'Success',
      ...{ AccessKeyId, SecretAccessKey: 'x', Token: 'y', Expiration },
    }),
  });
  const provider = (accessKeyId: string) => ({
    AWS_CREDENTIAL_PROVIDER: async () => ({ accessKeyId, secretAccessKey: 'x', sessionToken: 'z' }),
  });

  test('"Custom Credential Provider Authentication Precedence": prefers the connection string, then a provider, then the environment', async () => {
    const options = { authMechanismProperties: provider('AKIPROV') };
    expect(keyOf(await talk(house({ ...KEYS, ...options }, environment)))).toBe('AKIDEXAMPLE');
    expect(keyOf(await talk(house(options, environment)))).toBe('AKIPROV');
    expect(keyOf(await talk(house({}, environment)))).toBe('AKIENV');
  });

  test('"Environment variables": reads them every time, with or without a session token', async () => {
    const variables: Record<string, string> = { ...environment };
    const h = house({}, variables);
    expect((await talk(h))[1]).not.toHaveProperty('t');
    variables['AWS_SESSION_TOKEN'] = 'fresh';
    variables['AWS_ACCESS_KEY_ID'] = 'AKINEXT';
    const told = await talk(h);
    expect([keyOf(told), told[1]?.['t']]).toEqual(['AKINEXT', 'fresh']);
  });

  test('"ECS endpoint": requests the keys from the container service', async () => {
    const services = {
      '169.254.170.2:80 GET /v2/credentials/x': json({
        AccessKeyId: 'AKIECS',
        SecretAccessKey: 's',
        Token: 't',
        Expiration: '2019-11-07T06:00:00Z',
      }),
    };
    const told = await talk(house({}, { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/credentials/x' }, services));
    expect([keyOf(told), told[1]?.['t']]).toEqual(['AKIECS', 't']);
  });

  test('"AssumeRoleWithWebIdentity": sends the token of the file with the given session name or a generated one', async () => {
    const answer = json({ Credentials: { AccessKeyId: 'AKIEKS', SecretAccessKey: 's', SessionToken: 't' } });
    const services = { 'sts.amazonaws.com:443 POST /': answer };
    const variables = { AWS_WEB_IDENTITY_TOKEN_FILE: '/token', AWS_ROLE_ARN: 'r' };
    const files = { '/token': ' a.b.c\n' };
    const nameOf = async (more: Readonly<Record<string, string>>): Promise<unknown> => {
      const h = house({}, { ...variables, ...more }, services, files);
      expect(keyOf(await talk(h))).toBe('AKIEKS');
      expect(h.requests[0]).toMatch(/&WebIdentityToken=a\.b\.c$/);
      return /RoleSessionName=([^&]*)/.exec(h.requests[0]!)?.[1];
    };
    expect(await nameOf({})).toBe(`tessera-${'07'.repeat(32)}`);
    expect(await nameOf({ AWS_ROLE_SESSION_NAME: 'mine' })).toBe('mine');
  });

  test('"EC2 endpoint": requests a token, then the role, then its keys', async () => {
    const h = house({}, {}, ec2('AKIEC2', '2019-11-07T06:00:00Z'));
    expect(keyOf(await talk(h))).toBe('AKIEC2');
    expect(h.requests).toEqual([
      '169.254.169.254:80 PUT /latest/api/token HTTP/1.1\r\nHost: 169.254.169.254\r\nConnection: close\r\nX-aws-ec2-metadata-token-ttl-seconds: 30\r\n\r\n',
      `169.254.169.254:80 GET ${role} HTTP/1.1\r\nHost: 169.254.169.254\r\nConnection: close\r\nX-aws-ec2-metadata-token: imds token\r\n\r\n`,
      `169.254.169.254:80 GET ${role}my%20role HTTP/1.1\r\nHost: 169.254.169.254\r\nConnection: close\r\nX-aws-ec2-metadata-token: imds token\r\n\r\n`,
    ]);
  });

  test('"Caching Credentials": keeps keys until five minutes before they expire, even if the environment changes', async () => {
    const variables: Record<string, string> = {};
    const h = house({}, variables, ec2('AKIEC2', '2019-11-07T01:00:00Z'));
    await talk(h);
    Object.assign(variables, environment);
    h.wallTime = Date.UTC(2019, 10, 7, 0, 54, 59);
    expect(keyOf(await talk(h))).toBe('AKIEC2');
    expect(h.requests).toHaveLength(3);
    h.wallTime = Date.UTC(2019, 10, 7, 0, 55, 0);
    expect(keyOf(await talk(h))).toBe('AKIENV');
  });

  test('"Caching Credentials": drops keys when authentication fails', async () => {
    const h = house({}, {}, ec2('AKIEC2', '2019-11-07T06:00:00Z'));
    await failure(talk(h, [FIRST, { ok: 0, code: 18, errmsg: 'no' }]));
    await talk(h);
    expect(h.requests).toHaveLength(6);
  });

  test('errors name the problem without revealing received values', async () => {
    const message = async (...given: Parameters<typeof house>): Promise<string> =>
      (await failure(talk(house(...given)))).message;
    const ecs = (answer: string): Services => ({ '169.254.170.2:80 GET /x': answer });
    const container = { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: 'x' };
    const cause = new Error('no profile');
    const seen = await failure(
      talk(house({ authMechanismProperties: { AWS_CREDENTIAL_PROVIDER: () => Promise.reject(cause) } })),
    );
    expect([seen.kind, seen.cause]).toEqual(['auth', cause]);
    const failing = { AWS_CREDENTIAL_PROVIDER: () => Promise.reject(cause) };
    expect([
      await message({}, { AWS_ACCESS_KEY_ID: 'AKIENV' }),
      await message({ authMechanismProperties: { AWS_CREDENTIAL_PROVIDER: async () => ({ accessKeyId: 'x' }) } }),
      await message({ authMechanismProperties: { AWS_CREDENTIAL_PROVIDER: async () => undefined } }),
      await message({ authMechanismProperties: failing }),
      await message({}, container, ecs('HTTP/1.1 500 Sorry\r\nContent-Length: 0\r\n\r\n')),
      await message({}, container, ecs(plain('<html>'))),
      await message({}, container, ecs(plain('null'))),
      await message({}, {}),
      await message({}, { AWS_WEB_IDENTITY_TOKEN_FILE: '/nowhere/token', AWS_ROLE_ARN: 'r' }),
    ]).toEqual([
      'No AWS credentials: the environment returned no access key with its secret.',
      'No AWS credentials: AWS_CREDENTIAL_PROVIDER returned no access key with its secret.',
      'No AWS credentials: AWS_CREDENTIAL_PROVIDER returned no access key with its secret.',
      'No AWS credentials: AWS_CREDENTIAL_PROVIDER threw an error; see the cause.',
      'No AWS credentials: 169.254.170.2:80 answered /x with status 500.',
      'No AWS credentials: the response of 169.254.170.2:80 is not JSON.',
      'No AWS credentials: 169.254.170.2:80 returned no access key with its secret.',
      'No AWS credentials: 169.254.169.254:80 answered /latest/api/token with status 404.',
      'No AWS credentials: the file /nowhere/token of AWS_WEB_IDENTITY_TOKEN_FILE cannot be read.',
    ]);
  });
});
