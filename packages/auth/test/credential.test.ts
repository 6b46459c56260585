import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { MongoError } from '@tessera/contracts';
import { credentialOf } from '@tessera/auth';
import type { CredentialOptions } from '@tessera/auth';

const refusal = (options: CredentialOptions): string => {
  try {
    credentialOf(options);
  } catch (error) {
    if (MongoError.is(error) && error.kind === 'usage') return error.message;
    throw error;
  }
  throw new Error('it was accepted');
};
const user = { username: 'user', password: 'hunter2' };
const callback = (): undefined => undefined;

describe('Authentication "MongoCredential"', () => {
  test('there is no credential without a user name and a mechanism, even if databases are named', () => {
    expect(credentialOf({ authSource: 'people', defaultauthdb: 'shop' })).toBeUndefined();
  });

  test('the source is authSource, else the database of the connection string, else admin', () => {
    const source = (options: CredentialOptions): string => credentialOf({ ...user, ...options })!.source;
    expect([
      source({ authSource: 'people', defaultauthdb: 'shop' }),
      source({ defaultauthdb: 'shop' }),
      source({}),
      source({ authMechanism: 'PLAIN', defaultauthdb: 'shop' }),
      source({ authMechanism: 'PLAIN' }),
      source({ authMechanism: 'MONGODB-AWS', defaultauthdb: 'shop' }),
    ]).toEqual(['people', 'shop', 'admin', 'shop', '$external', '$external']);
  });

  test('property names are case-insensitive', () => {
    expect(
      credentialOf({ ...user, authMechanism: 'MONGODB-AWS', authMechanismProperties: { aws_session_Token: 'abc' } })!
        .properties,
    ).toEqual({ AWS_SESSION_TOKEN: 'abc' });
  });

  test('authMechanism=DEFAULT counts as no mechanism', () => {
    expect(credentialOf({ ...user, authMechanism: 'DEFAULT' })!.mechanism).toBeUndefined();
  });

  test('printing, spreading or serializing a credential reveals no secret', () => {
    const credential = credentialOf({
      ...user,
      authMechanism: 'MONGODB-AWS',
      authMechanismProperties: { AWS_SESSION_TOKEN: 'hunter3' },
    })!;
    expect([credential.password, credential.properties['AWS_SESSION_TOKEN']]).toEqual(['hunter2', 'hunter3']);
    expect(inspect(credential, { depth: 9 }) + JSON.stringify({ ...credential })).not.toMatch(/hunter/);
  });
});

describe('Authentication "Errors": rejects missing and superfluous options at once without revealing secrets', () => {
  test.each<readonly [CredentialOptions, string]>([
    [{ username: 'user' }, 'Authentication needs a password.'],
    [{ username: '', password: 'x' }, 'Authentication needs a user name.'],
    [{ authMechanism: 'PLAIN', username: 'user' }, 'PLAIN needs a password.'],
    [
      { ...user, authMechanism: 'hunter2' },
      'Unknown authMechanism. Use one of DEFAULT, SCRAM-SHA-1, SCRAM-SHA-256, MONGODB-X509, PLAIN, GSSAPI, MONGODB-AWS, MONGODB-OIDC.',
    ],
    [
      { ...user, authMechanism: 'constructor' },
      'Unknown authMechanism. Use one of DEFAULT, SCRAM-SHA-1, SCRAM-SHA-256, MONGODB-X509, PLAIN, GSSAPI, MONGODB-AWS, MONGODB-OIDC.',
    ],
    [
      { ...user, authMechanism: 'MONGODB-CR' },
      'MONGODB-CR was removed in MongoDB 4.0. Remove authMechanism to use SCRAM.',
    ],
    [{ ...user, authMechanism: 'MONGODB-X509' }, 'MONGODB-X509 does not accept a password. Remove it.'],
    [{ ...user, authMechanismProperties: { hunter2: 'x' } }, 'SCRAM has no such authMechanismProperties. Remove them.'],
    [
      { authMechanism: 'MONGODB-X509', authSource: 'people' },
      'The users of MONGODB-X509 are not stored in MongoDB. Set authSource to $external, or remove it.',
    ],
    [{ ...user, authSource: '' }, 'The option authSource is empty. Set it to a database, or remove it.'],
    [
      { ...user, authMechanism: 'GSSAPI', authMechanismProperties: { __proto__x: 'x' } },
      'GSSAPI has no such authMechanismProperties. It has SERVICE_NAME, SERVICE_REALM, SERVICE_HOST, CANONICALIZE_HOST_NAME.',
    ],
    [
      {
        authMechanism: 'MONGODB-OIDC',
        authMechanismProperties: { OIDC_CALLBACK: callback, OIDC_HUMAN_CALLBACK: callback },
      },
      'MONGODB-OIDC needs exactly one of the properties ENVIRONMENT, OIDC_CALLBACK, OIDC_HUMAN_CALLBACK.',
    ],
    [
      { authMechanism: 'MONGODB-OIDC', authMechanismProperties: { OIDC_CALLBACK: 'x' } },
      'The property OIDC_CALLBACK of MONGODB-OIDC must be a function, given in code.',
    ],
    [
      { authMechanism: 'MONGODB-OIDC', authMechanismProperties: { ENVIRONMENT: 'test', ALLOWED_HOSTS: 'x' } },
      'The property ALLOWED_HOSTS of MONGODB-OIDC must be a list of host names, given in code.',
    ],
    [
      { authMechanism: 'MONGODB-OIDC', authMechanismProperties: { ENVIRONMENT: 'k8s', TOKEN_RESOURCE: 'x' } },
      'MONGODB-OIDC takes the property TOKEN_RESOURCE only in the environments azure and gcp.',
    ],
  ])('%j', (options, message) => {
    expect(refusal(options)).toBe(message);
    expect(message).not.toContain('hunter2');
  });
});
