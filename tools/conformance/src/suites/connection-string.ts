import { deepStrictEqual, ok, throws } from 'node:assert';
import { inspect } from 'node:util';
import { parseConnectionString, resolveSettings } from '@tessera/uri';
import { judge } from '../suite.js';
import type { Suite } from '../suite.js';

/** One case of the folders connection-string and uri-options. */
interface StringCase {
  readonly description: string;
  readonly uri: string;
  readonly valid: boolean;
  /** Whether a warning is expected; null: not checked. */
  readonly warning: boolean | null;
  readonly hosts?: readonly unknown[] | null;
  readonly auth?: unknown;
  readonly options?: Readonly<Record<string, unknown>> | null;
}

/** One case of the file credential-disclosure. */
interface DisclosureCase {
  readonly description: string;
  readonly uri: string;
}

/** The password in these cases, plain and percent-encoded. */
const secret = 'sentinelpassword1234';
const secrets = [secret, Buffer.from(secret).toString('hex').replace(/../g, '%$&')];

/** Rule: Connection String, "Credential disclosure": errors and warnings must not contain a secret. */
const checkDisclosure = ({ uri }: DisclosureCase): void => {
  let texts: readonly string[];
  try {
    texts = resolveSettings(uri).warnings;
  } catch (error) {
    texts = [inspect(error, { depth: Infinity, showHidden: true })];
  }
  for (const text of texts)
    for (const one of secrets) ok(!text.toLowerCase().includes(one), 'An error or a warning discloses the credential.');
};

const lowerCased = (options: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(options).map(([name, value]) => [name.toLowerCase(), value]));

const check = ({ uri, valid, warning, hosts, auth, options }: StringCase): void => {
  if (!valid) {
    throws(() => parseConnectionString(uri), 'An invalid connection string was accepted.');
    return;
  }
  const parsed = parseConnectionString(uri);
  if (warning !== null) deepStrictEqual(parsed.warnings.length > 0, warning, `warnings: ${parsed.warnings.join(' ')}`);
  if (hosts)
    deepStrictEqual(
      parsed.hosts.map(({ type, host, port }) => ({ type, host, port: port ?? null })),
      hosts,
    );
  if (auth) {
    const { username = null, password = null, database: db = null } = parsed;
    deepStrictEqual({ username, password, db }, auth);
  }
  const read = lowerCased(parsed.options);
  for (const [name, value] of Object.entries(lowerCased(options ?? {})))
    deepStrictEqual(read[name], value, `option ${name}`);
};

export const run: Suite = files =>
  files.flatMap(({ name, json }) =>
    (json as { readonly tests: readonly (StringCase | DisclosureCase)[] }).tests.map(test =>
      judge(name, test.description, () => {
        if ('valid' in test) check(test);
        else checkDisclosure(test);
      }),
    ),
  );
