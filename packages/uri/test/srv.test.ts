import { inspect } from 'node:util';
import { MongoError } from '@tessera/contracts';
import type { Random, Resolver } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { lookUpSeeds, resolveSettings, resolveSrv } from '@tessera/uri';
import type { Settings } from '@tessera/uri';

interface Zone {
  /** Hosts by SRV name. The port follows a colon and defaults to 27017. */
  readonly srv?: Readonly<Record<string, readonly string[]>>;
  readonly txt?: Readonly<Record<string, readonly (readonly string[])[]>>;
}

const resolverOf = ({ srv = {}, txt = {} }: Zone, asked: string[] = []): Resolver => ({
  srv: name => {
    asked.push(`SRV ${name}`);
    const hosts = srv[name] ?? [];
    return Promise.resolve(hosts.map(one => ({ host: one.split(':')[0]!, port: Number(one.split(':')[1] ?? 27017) })));
  },
  txt: name => {
    asked.push(`TXT ${name}`);
    return Promise.resolve(txt[name] ?? []);
  },
});

const randomOf = (...units: readonly number[]): Random => {
  let drawn = 0;
  return { unit: () => units[drawn++ % units.length] ?? 0, bytes: length => new Uint8Array(length) };
};

const resolve = (uri: string, zone: Zone, options = {}, random = randomOf(0)): Promise<Settings> =>
  resolveSrv({ resolver: resolverOf(zone), random }, resolveSettings(uri, options));

/** A zone in which an SRV name resolves to these hosts. */
const to = (name: string, ...hosts: readonly string[]): Zone => ({ srv: { [`_mongodb._tcp.${name}`]: hosts } });

const refusal = async (resolving: Promise<unknown>): Promise<string> => {
  const error = await resolving.then(
    () => new Error('no refusal'),
    (reason: unknown) => reason,
  );
  if (!MongoError.is(error) || error.origin?.phase !== 'resolve') throw error as Error;
  return error.message;
};

describe('allowed hosts', () => {
  test('Initial DNS Seedlist Discovery, prose test 1: accepts names of fewer than three parts', async () => {
    expect((await resolve('mongodb+srv://localhost', to('localhost', 'db1.localhost'))).hosts).toEqual([
      'db1.localhost:27017',
    ]);
    expect((await resolve('mongodb+srv://mongo.local', to('mongo.local', 'db1.mongo.local'))).hosts).toEqual([
      'db1.mongo.local:27017',
    ]);
  });

  test('ignores a trailing root dot in a name', async () => {
    const zone = to('cluster.example.com.', 'db1.example.com');
    expect((await resolve('mongodb+srv://cluster.example.com./', zone)).hosts).toEqual(['db1.example.com:27017']);
  });

  test.each([
    [
      'Initial DNS Seedlist Discovery, prose test 2: rejects a host outside of the domain',
      'localhost',
      'localhost.mongodb',
    ],
    [
      'Initial DNS Seedlist Discovery, prose test 2: rejects a host outside of the domain',
      'mongo.local',
      'test_1.evil.local',
    ],
    [
      'Initial DNS Seedlist Discovery, prose test 2: rejects a host outside of the domain',
      'blogs.mongodb.com',
      'blogs.evil.com',
    ],
    [
      'Initial DNS Seedlist Discovery, prose test 3: rejects a host that equals the short name',
      'localhost',
      'localhost',
    ],
    [
      'Initial DNS Seedlist Discovery, prose test 3: rejects a host that equals the short name',
      'mongo.local',
      'mongo.local',
    ],
    [
      'Initial DNS Seedlist Discovery, prose test 4: rejects a host that ends with the domain, but not after a dot',
      'localhost',
      'test_1.cluster_1localhost',
    ],
    [
      'Initial DNS Seedlist Discovery, prose test 4: rejects a host that ends with the domain, but not after a dot',
      'mongo.local',
      'test_1.my_hostmongo.local',
    ],
    [
      'Initial DNS Seedlist Discovery, prose test 4: rejects a host that ends with the domain, but not after a dot',
      'blogs.mongodb.com',
      'cluster.testmongodb.com',
    ],
  ])('%s: %s resolving to %s', async (_, name, host) => {
    const domain = name === 'blogs.mongodb.com' ? 'mongodb.com' : name;
    expect(await refusal(resolve(`mongodb+srv://${name}`, to(name, host)))).toBe(
      `The SRV records of ${name} contain the host ${host}, which is not in the domain .${domain}.`,
    );
  });

  test('Initial DNS Seedlist Discovery, prose test 5: the validator may accept hosts outside of the domain', async () => {
    const options = { srvHostValidator: () => true };
    const blogs = to('blogs.mongodb.com', 'blogs.evil.com');
    expect((await resolve('mongodb+srv://blogs.mongodb.com', blogs, options)).hosts).toEqual(['blogs.evil.com:27017']);
    const same = to('mongo.local', 'mongo.local');
    expect((await resolve('mongodb+srv://mongo.local', same, options)).hosts).toEqual(['mongo.local:27017']);
  });

  test('Initial DNS Seedlist Discovery, prose test 6: the validator may reject hosts in the domain', async () => {
    const zone = to('blogs.mongodb.com', 'cluster.mongodb.com');
    expect(await refusal(resolve('mongodb+srv://blogs.mongodb.com', zone, { srvHostValidator: () => false }))).toBe(
      'The SRV records of blogs.mongodb.com contain the host cluster.mongodb.com, which "srvHostValidator" rejected.',
    );
  });

  test('Initial DNS Seedlist Discovery, prose test 7: passes the normalized name to the validator', async () => {
    const seen: string[] = [];
    const srvHostValidator = (host: string): boolean => seen.push(host) > 0;
    await resolve('mongodb+srv://blogs.mongodb.com', to('blogs.mongodb.com', 'CLUSTER.MONGODB.COM.'), {
      srvHostValidator,
    });
    expect(seen).toEqual(['cluster.mongodb.com']);
  });

  test('Initial DNS Seedlist Discovery, prose test 8: wraps an error thrown by the validator', async () => {
    const thrown = new Error('mine');
    const srvHostValidator = (): boolean => {
      throw thrown;
    };
    const zone = to('blogs.mongodb.com', 'cluster.mongodb.com');
    await expect(resolve('mongodb+srv://blogs.mongodb.com', zone, { srvHostValidator })).rejects.toMatchObject({
      kind: 'usage',
      cause: thrown,
    });
  });

  test('Initial DNS Seedlist Discovery, prose test 11: the validator must be a function', () => {
    expect(() => resolveSettings('mongodb+srv://a.b.c', { srvHostValidator: 'notacallable' })).toThrow('a function');
  });

  test('Initial DNS Seedlist Discovery, prose test 13: rejects a validator without mongodb+srv', () => {
    expect(() => resolveSettings('mongodb://localhost:27017', { srvHostValidator: () => true })).toThrow(
      'mongodb+srv://',
    );
  });
});

describe('Initial DNS Seedlist Discovery', () => {
  const name = 'cluster.example.com';
  const uri = `mongodb+srv://${name}/`;
  const hosts = ['a', 'b', 'c', 'd'].map(host => `${host}.example.com:27017`);
  const srv = { [`_mongodb._tcp.${name}`]: hosts };

  test('"Querying DNS": queries the SRV records of the service and the TXT records of the name once each', async () => {
    const asked: string[] = [];
    const settings = resolveSettings(`${uri}?srvServiceName=own`);
    const zone = { srv: { [`_own._tcp.${name}`]: ['a.example.com:27018'] } };
    const resolved = await resolveSrv({ resolver: resolverOf(zone, asked), random: randomOf(0) }, settings);
    expect([asked, resolved.hosts]).toEqual([[`TXT ${name}`, `SRV _own._tcp.${name}`], ['a.example.com:27018']]);
  });

  test('"Validation Before Querying DNS": TLS is on unless the connection string or code turns it off', async () => {
    expect((await resolve(uri, { srv })).tls).toBe(true);
    expect((await resolve(`${uri}?tls=false`, { srv })).tls).toBe(false);
    expect((await resolve(uri, { srv }, { ssl: false })).tls).toBe(false);
  });

  test('"srvMaxHosts": draws this many hosts, all equally likely, or all if there are no more', async () => {
    const drawn = async (most: number, ...units: readonly number[]): Promise<string> =>
      (await resolve(`${uri}?srvMaxHosts=${most}`, { srv }, {}, randomOf(...units))).hosts
        .map(host => host[0])
        .join('');
    expect([await drawn(2, 0, 0), await drawn(2, 0.99, 0.99), await drawn(2, 0.5, 0)]).toEqual(['ab', 'da', 'cb']);
    expect([await drawn(0, 0.9), await drawn(4, 0.9), await drawn(9, 0.9)]).toEqual(['abcd', 'abcd', 'abcd']);
  });

  test('"Default Connection String Options": joins the strings of one TXT record, and prefers options that are given', async () => {
    const txt = { [name]: [['authSource=th', 'isDB&replicaSet=repl0']] };
    expect(await resolve(uri, { srv, txt })).toMatchObject({ authSource: 'thisDB', replicaSet: 'repl0' });
    expect(await resolve(`${uri}?authSource=other`, { srv, txt }, { replicaSet: 'mine' })).toMatchObject({
      authSource: 'other',
      replicaSet: 'mine',
    });
    const balanced = { srv: { [`_mongodb._tcp.${name}`]: [hosts[0]!] }, txt: { [name]: [['loadBalanced=true']] } };
    expect((await resolve(uri, balanced)).loadBalanced).toBe(true);
    expect((await resolve(`${uri}?loadBalanced=false`, balanced)).loadBalanced).toBe(false);
  });

  test.each([
    ['two records', [['a'], ['b']], `${name} has 2 TXT records; only one is allowed.`],
    [
      'a forbidden option',
      [['ssl=false']],
      /is invalid: TXT records may set authSource, replicaSet, loadBalanced, not "ssl"\.$/,
    ],
    ['a forbidden option in capitals', [['SocketTimeoutMS=500']], /loadBalanced, not "SocketTimeoutMS"\.$/],
    ['an option without a value', [['authSource']], /The option 'authSource' must have the form name=value\.$/],
    ['an invalid value', [['loadBalanced=perhaps']], /The option 'loadBalanced' must be true or false\.$/],
  ])('"Default Connection String Options": rejects %s', async (_, record, message) => {
    const refused = await refusal(resolve(uri, { srv, txt: { [name]: record } }));
    if (typeof message === 'string') expect(refused).toBe(message);
    else expect(refused).toMatch(message);
  });

  test('"URI Validation": checks the rules between options with the values from TXT and SRV records', async () => {
    const txt = { [name]: [['replicaSet=repl0']] };
    await expect(resolve(`${uri}?srvMaxHosts=2`, { srv, txt })).rejects.toThrow(
      "'srvMaxHosts' cannot be combined with 'replicaSet'",
    );
    await expect(resolve(uri, { srv, txt: { [name]: [['loadBalanced=true']] } })).rejects.toThrow('several hosts');
  });

  test('"Querying DNS": names the records in the error if there are none', async () => {
    await expect(resolve(uri, {})).rejects.toMatchObject({
      kind: 'network',
      message: `No SRV records found for _mongodb._tcp.${name}. Check the name.`,
    });
  });

  test('keeps secrets readable by name and not enumerable', async () => {
    const resolved = await resolve('mongodb+srv://ann:hunter2@cluster.example.com/', { srv });
    expect(resolved.password).toBe('hunter2');
    expect(inspect(resolved)).not.toContain('hunter2');
  });
});

test('Polling SRV Records, "Implementation": leaves out hosts that are not allowed and uses the others', async () => {
  const settings = resolveSettings('mongodb+srv://cluster.example.com');
  const zone = to('cluster.example.com', 'a.example.com', 'evil.com', 'B.example.com.:27018');
  expect(await lookUpSeeds(resolverOf(zone), settings)).toEqual({
    hosts: ['a.example.com:27017', 'b.example.com:27018'],
    timeToLive: undefined,
  });
  await expect(lookUpSeeds(resolverOf({}), settings)).rejects.toMatchObject({ kind: 'network' });
});

test('Polling SRV Records, "rescanSRVIntervalMS": returns the smallest TTL of all records if the resolver reports it for each', async () => {
  const settings = resolveSettings('mongodb+srv://cluster.example.com');
  const told = async (...ttls: readonly (number | undefined)[]): Promise<readonly unknown[]> => {
    const records = ttls.map((timeToLive, n) => ({ host: `db${n}.example.com`, port: 27017, timeToLive }));
    const resolver: Resolver = { srv: () => Promise.resolve(records), txt: () => Promise.resolve([]) };
    const { timeToLive } = await lookUpSeeds(resolver, settings);
    const { seedsTimeToLive } = await resolveSrv({ resolver, random: randomOf(0) }, settings);
    return [timeToLive, seedsTimeToLive];
  };
  expect(await told(300_000, 90_000, 120_000)).toEqual([90_000, 90_000]);
  expect(await told(300_000, undefined)).toEqual([undefined, undefined]);
});
