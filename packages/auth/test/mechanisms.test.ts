import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Authenticator, Conversation, Credential } from '@tessera/contracts';
import { createAuthenticator, mechanisms } from '@tessera/auth';
import type { CredentialOptions } from '@tessera/auth';
import { onDemand } from '../src/on-demand.js';
import { ADDRESS, binary, failure, scripted, world } from './scripted.js';

const authenticator = (options: CredentialOptions): Authenticator =>
  createAuthenticator({ ...world(), mechanisms }, options)!;

describe('Authentication "MONGODB-X509"', () => {
  const x509 = (options: CredentialOptions = {}): Authenticator =>
    authenticator({ authMechanism: 'MONGODB-X509', ...options });

  test('sends no user name if none is given', async () => {
    const { connection, asked } = scripted([{ dbname: '$external', user: 'CN=client', ok: 1 }]);
    const conversation = await x509().begin(ADDRESS);
    expect(conversation.first).toEqual({ authenticate: 1, mechanism: 'MONGODB-X509', db: '$external' });
    await conversation.finish(connection, undefined, Infinity);
    expect(asked).toEqual([['$external', { authenticate: 1, mechanism: 'MONGODB-X509' }]]);
  });

  test('sends a given user name unchanged', async () => {
    const { connection, asked } = scripted([{ ok: 1 }]);
    await (await x509({ username: 'CN=me,O=Ⅸ' }).begin(ADDRESS)).finish(connection, undefined, Infinity);
    expect(asked).toEqual([['$external', { authenticate: 1, mechanism: 'MONGODB-X509', user: 'CN=me,O=Ⅸ' }]]);
  });

  test('accepts the reply in hello', async () => {
    const { connection, asked } = scripted([]);
    await (await x509().begin(ADDRESS)).finish(connection, { dbname: '$external', user: 'CN=client' }, Infinity);
    expect(asked).toEqual([]);
  });

  test('throws an authentication error if the server rejects it', async () => {
    const { connection } = scripted([{ ok: 0, code: 18, codeName: 'AuthenticationFailed', errmsg: 'no certificate' }]);
    const error = await failure((await x509().begin(ADDRESS)).finish(connection, undefined, Infinity));
    expect([error.kind, error.code]).toEqual(['auth', 18]);
  });
});

describe('Authentication "PLAIN"', () => {
  const plain = authenticator({ username: 'user', password: 'pencil', authMechanism: 'PLAIN' });

  test('follows the conversation of the specification, never in hello', async () => {
    const { connection, asked } = scripted([{ conversationId: 1, payload: binary(''), done: true, ok: 1 }]);
    const conversation = await plain.begin(ADDRESS);
    expect([conversation.first, conversation.user]).toEqual([undefined, undefined]);
    await conversation.finish(connection, undefined, Infinity);
    expect(asked).toEqual([
      ['$external', { saslStart: 1, mechanism: 'PLAIN', payload: '\0user\0pencil', autoAuthorize: 1 }],
    ]);
  });

  test('rejects a server that does not end the conversation', async () => {
    const { connection } = scripted([{ conversationId: 1, payload: binary('more'), done: false, ok: 1 }]);
    const error = await failure((await plain.begin(ADDRESS)).finish(connection, undefined, Infinity));
    expect([error.kind, error.message]).toEqual([
      'protocol',
      'db:27017 violates PLAIN: it does not end the conversation.',
    ]);
  });

  test('printing never reveals the password', async () => {
    expect(inspect([plain, await plain.begin(ADDRESS)], { depth: 9 })).not.toContain('pencil');
  });
});

describe('the mechanism in the options', () => {
  test('is undefined without a user', () => {
    expect(createAuthenticator({ ...world(), mechanisms }, { authSource: 'people' })).toBeUndefined();
  });

  test('is explained in the error if it is not available', () => {
    const missing = (options: CredentialOptions): string => {
      try {
        authenticator(options);
      } catch (error) {
        return (error as Error).message;
      }
      throw new Error('it is there');
    };
    expect([
      missing({ username: 'me@HERE', authMechanism: 'GSSAPI' }),
      missing({ authMechanism: 'MONGODB-AWS' }),
      missing({ authMechanism: 'MONGODB-OIDC', authMechanismProperties: { OIDC_CALLBACK: () => undefined } }),
    ]).toEqual([
      "The mechanism GSSAPI is not part of this client: there is none in @tessera/auth; pass a Mechanism of your own as parts: { authenticators: { 'GSSAPI': … } }.",
      "The mechanism MONGODB-AWS is not part of this client: import { createAws } from '@tessera/auth' and pass parts: { authenticators: { 'MONGODB-AWS': createAws } }.",
      "The mechanism MONGODB-OIDC is not part of this client: import { createOidc } from '@tessera/auth' and pass parts: { authenticators: { 'MONGODB-OIDC': createOidc } }.",
    ]);
  });

  test('may be any given mechanism', async () => {
    const mine: Authenticator = { mechanism: 'GSSAPI', begin: () => ({ finish: () => Promise.resolve() }) };
    const made = createAuthenticator(
      { ...world(), mechanisms: { GSSAPI: () => mine } },
      { username: 'me', authMechanism: 'GSSAPI' },
    );
    expect(made).toBe(mine);
  });
});

test('waits with the host for the code of a mechanism, until it is loaded once for all clients', async () => {
  const waits: Promise<unknown>[] = [];
  const host = { ...world().host, loaded: <T>(module: Promise<T>): Promise<T> => (waits.push(module), module) };
  const own: Authenticator = { mechanism: 'OWN', begin: () => ({ mechanism: 'OWN' }) as unknown as Conversation };
  const mechanism = onDemand('OWN', () => Promise.resolve(() => own));
  const deps = { ...world(), host };
  const first = mechanism(deps, { username: 'ann' } as Credential);
  const starts = [first.begin(ADDRESS), await first.begin(ADDRESS), first.begin(ADDRESS)];
  expect(starts.map(start => start instanceof Promise)).toEqual([true, false, false]);
  expect([mechanism(deps, { username: 'bob' } as Credential) === own, waits.length]).toEqual([true, 2]);
});
