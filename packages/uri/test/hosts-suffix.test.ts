import type { Resolver } from '@tessera/contracts';
import { lookUpSeeds, resolveSettings, resolveSrv } from '@tessera/uri';
import { describe, expect, test } from 'vitest';

/** Hosts that the SRV records of every name give. */
const naming = (...hosts: readonly string[]): Resolver => ({
  srv: () => Promise.resolve(hosts.map(host => ({ host, port: 27017 }))),
  txt: () => Promise.resolve([]),
});
const random = { unit: () => 0, bytes: (length: number) => new Uint8Array(length) };

const seeds = async (uri: string, ...hosts: readonly string[]): Promise<readonly string[]> =>
  (await resolveSrv({ resolver: naming(...hosts), random }, resolveSettings(uri))).hosts;

const blogs = 'mongodb+srv://blogs.mongodb.com/?srvAllowedHostsSuffix=';

describe('srvAllowedHostsSuffix', () => {
  test('takes the place of the domain of the name that is asked for, with or without dots, in any case', async () => {
    for (const suffix of ['evil.com', '.evil.com', 'EVIL.com.'])
      expect(await seeds(blogs + suffix, 'db1.evil.com')).toEqual(['db1.evil.com:27017']);
    for (const host of ['db1.mongodb.com', 'db1.devil.com', 'evil.com'])
      await expect(seeds(`${blogs}evil.com`, host)).rejects.toThrow(
        `The SRV records of blogs.mongodb.com name the host ${host}, which is not under .evil.com.`,
      );
  });

  test('holds for later look-ups too: hosts outside of it are left out', async () => {
    const resolver = naming('db1.evil.com', 'db2.mongodb.com');
    expect((await lookUpSeeds(resolver, resolveSettings(`${blogs}.evil.com`))).hosts).toEqual(['db1.evil.com:27017']);
  });

  test('Initial DNS Seedlist Discovery, prose test 9: it cannot stand with srvHostValidator', () => {
    expect(() => resolveSettings(`${blogs}.mongodb.com`, { srvHostValidator: () => true })).toThrow(
      "The options 'srvAllowedHostsSuffix' and 'srvHostValidator' contradict each other; give only one of them.",
    );
  });

  test('Initial DNS Seedlist Discovery, prose test 10: hosts are compared in lower case, without the dot at their end', async () => {
    expect(await seeds(`${blogs}.mongodb.com`, 'CLUSTER.MONGODB.COM.')).toEqual(['cluster.mongodb.com:27017']);
  });

  test('Initial DNS Seedlist Discovery, prose test 12: a single name that is reserved is accepted', async () => {
    const uri = 'mongodb+srv://cluster.localhost/?srvAllowedHostsSuffix=localhost';
    expect(await seeds(uri, 'db.cluster.localhost')).toEqual(['db.cluster.localhost:27017']);
  });

  test('other single names, and what is no domain, are refused before DNS is asked', () => {
    const of = (suffix: string) => () => resolveSettings('mongodb+srv://a.b.c', { srvAllowedHostsSuffix: suffix });
    expect(of('com')).toThrow("must have two names or more, not only 'com', unless it is one of test, localhost,");
    for (const suffix of ['.', 'a..b', 'a b.c', '-a.b', 'a-.b', 'a.b-', 'a.-', 'a!b.c', 'bücher.example'])
      expect(of(suffix)).toThrow(
        `The option 'srvAllowedHostsSuffix' must be a domain such as .example.com, not '${suffix}'; write other letters as xn--.`,
      );
  });

  test.each(['test', 'localhost', 'invalid', 'example', 'local', 'internal', 'corp', 'home', 'mail'])(
    'the reserved name %s may stand alone',
    async name => {
      const uri = `mongodb+srv://a.${name}/?srvAllowedHostsSuffix=${name}`;
      expect(await seeds(uri, `db.${name}`)).toEqual([`db.${name}:27017`]);
    },
  );

  test('names may hold digits, underscores and inner hyphens', async () => {
    for (const suffix of ['a-b.c_d', '_a.b1', 'a.b', '..a.b..'])
      expect(await seeds(blogs + suffix, `db.${suffix.replace(/^\.+|\.+$/g, '')}`)).toHaveLength(1);
  });

  test('it is only for mongodb+srv', () => {
    expect(() => resolveSettings('mongodb://a/?srvAllowedHostsSuffix=.b.c')).toThrow(
      "The option 'srvAllowedHostsSuffix' is only for connection strings that begin with mongodb+srv://.",
    );
  });
});
