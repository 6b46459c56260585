/** The options of each mechanism: user names, passwords, sources, and properties with their values. */
import { credentialOf } from '@tessera/auth';
import { describe, expect, test } from 'vitest';

const problem = (options: object): string | undefined => {
  try {
    credentialOf(options);
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ kind: 'usage' });
    return (error as Error).message;
  }
};
const callback = (): undefined => undefined;
const user = { username: 'u', password: 'p' };

describe('Authentication "MongoCredential Properties"', () => {
  test.each<
    readonly [mechanism: string, source: string, takes: readonly [nobody: boolean, nameOnly: boolean, both: boolean]]
  >([
    ['SCRAM-SHA-1', 'admin', [false, false, true]],
    ['SCRAM-SHA-256', 'admin', [false, false, true]],
    ['MONGODB-X509', '$external', [true, true, false]],
    ['PLAIN', '$external', [false, false, true]],
    ['GSSAPI', '$external', [false, true, true]],
    ['MONGODB-AWS', '$external', [true, false, true]],
  ])('%s: source %s, and its optional user name', (authMechanism, source, takes) => {
    const given = [{}, { username: 'u' }, user];
    expect(given.map(who => problem({ authMechanism, ...who }) === undefined)).toEqual(takes);
    const fits = given.find(who => problem({ authMechanism, ...who }) === undefined);
    expect(credentialOf({ authMechanism, ...fits })).toMatchObject({ mechanism: authMechanism, source });
  });

  test('GSSAPI: the default service name is mongodb', () => {
    const of = (authMechanismProperties: object): unknown =>
      credentialOf({ username: 'u', authMechanism: 'GSSAPI', authMechanismProperties: { ...authMechanismProperties } })!
        .properties;
    expect(of({})).toEqual({ SERVICE_NAME: 'mongodb' });
    expect(of({ SERVICE_NAME: 'other' })).toEqual({ SERVICE_NAME: 'other' });
  });

  const gssapi = { username: 'u', authMechanism: 'GSSAPI' };
  const aws = { ...user, authMechanism: 'MONGODB-AWS' };
  const oidc = { authMechanism: 'MONGODB-OIDC' };
  test.each<
    readonly [property: string, base: object, right: readonly unknown[], wrong: readonly unknown[], expects: string]
  >([
    ...['SERVICE_NAME', 'SERVICE_REALM', 'SERVICE_HOST'].map(
      name => [name, gssapi, ['x'], ['', 5, true], 'a string'] as const,
    ),
    [
      ...(['CANONICALIZE_HOST_NAME', gssapi] as const),
      ['none', 'forward', 'forwardAndReverse', 'true', 'false', true, false],
      ['', 'backward', 1],
      'one of none, forward, forwardAndReverse, true, false, true, false',
    ],
    ['AWS_SESSION_TOKEN', aws, ['x'], ['', 5], 'a string'],
    ['AWS_CREDENTIAL_PROVIDER', aws, [callback], ['x', {}], 'a function, given in code'],
    ['OIDC_CALLBACK', oidc, [callback], ['x', {}], 'a function, given in code'],
    ['OIDC_HUMAN_CALLBACK', oidc, [callback], ['x', {}], 'a function, given in code'],
    ['ENVIRONMENT', oidc, ['test', 'k8s'], ['aws', ''], 'one of test, azure, gcp, k8s'],
    [...(['TOKEN_RESOURCE', { ...oidc, with: { ENVIRONMENT: 'azure' } }] as const), ['x'], ['', 5], 'a string'],
    [
      ...(['ALLOWED_HOSTS', { ...oidc, with: { OIDC_HUMAN_CALLBACK: callback } }] as const),
      [[], ['a', 'b']],
      ['a', [1], ['a', 1]],
      'a list of host names, given in code',
    ],
  ])('%s', (property, base, right, wrong, expects) => {
    const { with: more = {}, ...options } = base as { readonly with?: object; readonly authMechanism: string };
    const told = (value: unknown): string | undefined =>
      problem({ ...options, authMechanismProperties: { ...more, [property]: value } });
    expect(right.map(told)).toEqual(right.map(() => undefined));
    const sentence = `The property ${property} of ${options.authMechanism} must be ${expects}.`;
    expect(wrong.map(told)).toEqual(wrong.map(() => sentence));
  });
});

test('PLAIN: rejects a NUL character in the user name or password', () => {
  const sentence = 'The user name and the password of PLAIN must not contain a NUL character.';
  const plain = (given: object): string | undefined => problem({ authMechanism: 'PLAIN', ...user, ...given });
  expect([plain({ username: 'u\0v' }), plain({ password: 'p\0q' }), plain({})]).toEqual([
    sentence,
    sentence,
    undefined,
  ]);
});

describe('combinations of properties', () => {
  const ofOidc = (authMechanismProperties: object, more: object = {}): string | undefined =>
    problem({ authMechanism: 'MONGODB-OIDC', authMechanismProperties, ...more });
  const oneWay = 'MONGODB-OIDC needs exactly one of the properties ENVIRONMENT, OIDC_CALLBACK, OIDC_HUMAN_CALLBACK.';
  const onlyInClouds = 'MONGODB-OIDC takes the property TOKEN_RESOURCE only in the environments azure and gcp.';
  test.each<readonly [object, object, string | undefined]>([
    [{}, {}, oneWay],
    [{ ENVIRONMENT: 'test', OIDC_CALLBACK: callback }, {}, oneWay],
    [{ ENVIRONMENT: 'test' }, {}, undefined],
    [{ ENVIRONMENT: 'k8s' }, { username: 'u' }, undefined],
    [{ ENVIRONMENT: 'test' }, { username: 'u' }, 'MONGODB-OIDC takes no user name in the environment test.'],
    [{ OIDC_CALLBACK: callback }, { username: 'u' }, undefined],
    ...['azure', 'gcp'].flatMap(
      ENVIRONMENT =>
        [
          [{ ENVIRONMENT }, {}, `MONGODB-OIDC needs the property TOKEN_RESOURCE in the environment ${ENVIRONMENT}.`],
          [{ ENVIRONMENT, TOKEN_RESOURCE: 'x' }, {}, undefined],
        ] as const,
    ),
    [{ ENVIRONMENT: 'test', TOKEN_RESOURCE: 'x' }, {}, onlyInClouds],
    [{ OIDC_CALLBACK: callback, TOKEN_RESOURCE: 'x' }, {}, onlyInClouds],
    [
      { ENVIRONMENT: 'test', ALLOWED_HOSTS: [] },
      {},
      'MONGODB-OIDC takes the property ALLOWED_HOSTS only with a callback.',
    ],
    [{ OIDC_CALLBACK: callback, ALLOWED_HOSTS: [] }, {}, undefined],
    [
      { OIDC_CALLBACK: callback },
      { password: 'p', username: 'u' },
      'MONGODB-OIDC does not accept a password. Remove it.',
    ],
  ])('rejects MONGODB-OIDC with %o and %o', (properties, more, sentence) => {
    expect(ofOidc(properties, more)).toBe(sentence);
  });

  test('MONGODB-AWS: requires both an access key and its secret or neither, and a session token only with them', () => {
    const ofAws = (options: object): string | undefined => problem({ authMechanism: 'MONGODB-AWS', ...options });
    const both = 'MONGODB-AWS takes an access key and its secret as user name and password: both or neither.';
    const token = { authMechanismProperties: { AWS_SESSION_TOKEN: 't' } };
    expect([
      ofAws({ username: 'k' }),
      ofAws({ password: 's' }),
      ofAws({}),
      ofAws(user),
      ofAws({ ...user, ...token }),
    ]).toEqual([...[both, both, undefined, undefined, undefined]]);
    expect(ofAws(token)).toBe(
      'MONGODB-AWS takes the property AWS_SESSION_TOKEN only together with an access key and its secret.',
    );
  });
});
