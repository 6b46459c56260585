import { deepStrictEqual, throws } from 'node:assert';
import { credentialOf } from '@tessera/auth';
import type { Credential } from '@tessera/auth';
import { resolveSettings } from '@tessera/uri';
import { judge } from '../suite.js';
import type { Result, Suite } from '../suite.js';

interface CredentialCase {
  readonly description: string;
  readonly uri: string;
  readonly valid: boolean;
  readonly credential?: {
    readonly username: string | null;
    readonly password: string | null;
    readonly source: string;
    readonly mechanism: string | null;
    readonly mechanism_properties: Readonly<Record<string, unknown>> | null;
  } | null;
}

const read = (uri: string): Credential | undefined => credentialOf(resolveSettings(uri));

const check = ({ uri, valid, credential: expected }: CredentialCase): void => {
  if (!valid) {
    throws(() => read(uri), { kind: 'usage' });
    return;
  }
  const credential = read(uri);
  const properties = credential?.properties ?? {};
  deepStrictEqual(
    credential === undefined
      ? null
      : {
          username: credential.username ?? null,
          password: credential.password ?? null,
          source: credential.source,
          mechanism: credential.mechanism ?? null,
          mechanism_properties: Object.keys(properties).length === 0 ? null : properties,
        },
    expected,
  );
};

/** Returns whether another case of the file requires the same form of AWS connection string to be accepted. */
const isContradicted = (test: CredentialCase, all: readonly CredentialCase[]): boolean => {
  const form = ({ uri }: CredentialCase): string => uri.replace(/^mongodb:\/\/[^@:/]+:[^@:/]+@[^/]+/, 'user:password');
  return (
    !test.valid &&
    test.uri.includes('authMechanism=MONGODB-AWS') &&
    all.some(other => other.valid && form(other) === form(test))
  );
};

/** Expects the access key and secret in the connection string to be accepted. Rule: Authentication, "MONGODB-AWS". */
const amend = ({ uri }: CredentialCase): CredentialCase => {
  const { username, password } = new URL(uri);
  const credential = { username, password, source: '$external', mechanism: 'MONGODB-AWS', mechanism_properties: null };
  return { description: '', uri, valid: true, credential };
};

/** Rule: Authentication, "Test Plan". */
export const run: Suite = files =>
  files.flatMap(({ name, json }) => {
    const { tests } = json as { readonly tests: readonly CredentialCase[] };
    return tests.map((test): Result => {
      if (!isContradicted(test, tests)) return judge(name, test.description, () => check(test));
      const result = judge(name, test.description, () => check(amend(test)));
      return {
        ...result,
        amended:
          'expects a connection string to be accepted, as another case of the file and the specification require',
      };
    });
  });
