import type { Resolver } from '@tessera/contracts';
import { lookUpSeeds, resolveSettings, resolveSrv } from '@tessera/uri';
import { describe, expect, test } from 'vitest';

/** A resolver whose SRV records contain these hosts for every name. */
const naming = (...hosts: readonly string[]): Resolver => ({
  srv: () => Promise.resolve(hosts.map(host => ({ host, port: 27017 }))),
  txt: () => Promise.resolve([]),
});
const random = { unit: () => 0, bytes: (length: number) => new Uint8Array(length) };

const seeds = async (uri: string, ...hosts: readonly string[]): Promise<readonly string[]> =>
  (await resolveSrv({ resolver: naming(...hosts), random }, resolveSettings(uri))).hosts;

const blogs = 'mongodb+srv://blogs.mongodb.com/?srvAllowedHostsSuffix=';

describe('srvAllowedHostsSuffix', () => {
  test('replaces the domain of the SRV name, with or without dots and in any case', async () => {
    for (const suffix of ['evil.com', '.evil.com', 'EVIL.com.'])
      expect(await seeds(blogs + suffix, 'db1.evil.com')).toEqual(['db1.evil.com:27017']);
    for (const host of ['db1.mongodb.com', 'db1.devil.com', 'evil.com'])
      await expect(seeds(`${blogs}evil.com`, host)).rejects.toThrow(
        `The SRV records of blogs.mongodb.com contain the host ${host}, which is not in the domain .evil.com.`,
      );
  });

  test('applies to later lookups, which leave out other hosts', async () => {
    const resolver = naming('db1.evil.com', 'db2.mongodb.com');
    expect((await lookUpSeeds(resolver, resolveSettings(`${blogs}.evil.com`))).hosts).toEqual(['db1.evil.com:27017']);
  });

  test('Initial DNS Seedlist Discovery, prose test 9: cannot be combined with srvHostValidator', () => {
    expect(() => resolveSettings(`${blogs}.mongodb.com`, { srvHostValidator: () => true })).toThrow(
      "The options 'srvAllowedHostsSuffix' and 'srvHostValidator' contradict each other. Give only one of them.",
    );
  });

  test('Initial DNS Seedlist Discovery, prose test 10: compares hosts in lower case and without the trailing dot', async () => {
    expect(await seeds(`${blogs}.mongodb.com`, 'CLUSTER.MONGODB.COM.')).toEqual(['cluster.mongodb.com:27017']);
  });

  test('Initial DNS Seedlist Discovery, prose test 12: accepts a reserved single label', async () => {
    const uri = 'mongodb+srv://cluster.localhost/?srvAllowedHostsSuffix=localhost';
    expect(await seeds(uri, 'db.cluster.localhost')).toEqual(['db.cluster.localhost:27017']);
  });

  test('other single labels and invalid domains are rejected before DNS is queried', () => {
    const of = (suffix: string) => () => resolveSettings('mongodb+srv://a.b.c', { srvAllowedHostsSuffix: suffix });
    expect(of('com')).toThrow("must have at least two labels, not only 'com', unless it is one of test, localhost,");
    for (const suffix of ['.', 'a..b', 'a b.c', '-a.b', 'a-.b', 'a.b-', 'a.-', 'a!b.c', 'bücher.example'])
      expect(of(suffix)).toThrow(
        `The option 'srvAllowedHostsSuffix' must be a domain such as .example.com, not '${suffix}'. Write non-ASCII letters in the form xn--.`,
      );
  });

  test.each(['test', 'localhost', 'invalid', 'example', 'local', 'internal', 'corp', 'home', 'mail'])(
    'accepts the reserved name %s as a single label',
    async name => {
      const uri = `mongodb+srv://a.${name}/?srvAllowedHostsSuffix=${name}`;
      expect(await seeds(uri, `db.${name}`)).toEqual([`db.${name}:27017`]);
    },
  );

  test('accepts digits, underscores and inner hyphens in labels', async () => {
    for (const suffix of ['a-b.c_d', '_a.b1', 'a.b', '..a.b..'])
      expect(await seeds(blogs + suffix, `db.${suffix.replace(/^\.+|\.+$/g, '')}`)).toHaveLength(1);
  });

  test('is valid only with mongodb+srv', () => {
    expect(() => resolveSettings('mongodb://a/?srvAllowedHostsSuffix=.b.c')).toThrow(
      "The option 'srvAllowedHostsSuffix' is valid only in connection strings that begin with mongodb+srv://.",
    );
  });
});
