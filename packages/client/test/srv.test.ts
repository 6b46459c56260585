import { createServer } from '@tessera/server';
import { createWorld } from '@tessera/sim';
import type { World, WorldOptions } from '@tessera/sim';
import { MongoClient } from '@tessera/client';
import { MongoError } from '@tessera/contracts';
import type { Resolver } from '@tessera/contracts';
import { expect, test } from 'vitest';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
const name = 'cluster.example.com';
const uri = `mongodb+srv://${name}/shop?tls=false`;
const host = 'db1.example.com:27017';

/** Runs a test with a server behind SRV records in its own world. Nothing may stay open afterwards. */
const inWorld = async (
  program: (world: World, resolver: { current: Resolver }, client: (uri?: string) => MongoClient) => Promise<void>,
  options: WorldOptions = {},
): Promise<void> => {
  const world = createWorld({ turn }, options);
  await world.run(async () => {
    const server = createServer(world.at('db1.example.com'));
    const listening = await server.listen(host);
    const resolver = {
      current: {
        srv: () => Promise.resolve([{ host: 'DB1.example.com.', port: 27017 }]),
        txt: () => Promise.resolve([]),
      } as Resolver,
    };
    const asks: Resolver = {
      srv: received => resolver.current.srv(received),
      txt: received => resolver.current.txt(received),
    };
    const clients: MongoClient[] = [];
    await program(world, resolver, (given = uri) => {
      const client = new MongoClient(given, {}, { runtime: { ...world.runtime, resolver: asks } });
      clients.push(client);
      return client;
    });
    for (const client of clients) await client.close();
    await listening.close();
    await server.close();
    await world.runtime.clock.sleep(2000);
  });
  expect(world.leftovers()).toEqual([]);
};

const failureOf = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => new Error('it did not fail'),
    (error: unknown) => error as Error,
  );

test('Initial DNS Seedlist Discovery: connects to the hosts of the SRV records, and queries DNS at the first operation', () =>
  inWorld(async (_, resolver, open) => {
    const { current } = resolver;
    let received = 0;
    resolver.current = { ...current, srv: of => (received++, current.srv(of)) };
    const client = open();
    expect(received).toBe(0);
    const [films, others] = [client.db().collection('films'), client.db().collection('others')];
    await Promise.all([films.insertOne({}), others.insertOne({})]);
    expect([received, await films.countDocuments(), await others.countDocuments()]).toEqual([1, 1, 1]);
    expect([...client.driver.deployment.description.servers.keys()]).toEqual([host]);
  }));

test('Initial DNS Seedlist Discovery: applies the replica set name of a TXT record', () =>
  inWorld(async (_, resolver, open) => {
    resolver.current = { ...resolver.current, txt: () => Promise.resolve([['replicaSet=other']]) };
    const client = open(`${uri}&serverSelectionTimeoutMS=100`);
    await expect(client.db().command({ ping: 1 })).rejects.toThrow('other');
  }));

test('Initial DNS Seedlist Discovery: unusable records fail all waiting operations at once, and the next operation queries DNS again', () =>
  inWorld(async (world, resolver, open) => {
    const good = resolver.current;
    resolver.current = { ...good, srv: () => Promise.resolve([{ host: 'db1.evil.com', port: 27017 }]) };
    const client = open();
    const began = world.runtime.clock.now();
    const errors = await Promise.all([1, 2].map(() => failureOf(client.db().command({ ping: 1 }))));
    expect(errors.map(error => error.message)).toEqual(
      Array(2).fill(
        'The SRV records of cluster.example.com contain the host db1.evil.com, which is not in the domain .example.com.',
      ),
    );
    expect(errors[0]).not.toBe(errors[1]);
    expect(world.runtime.clock.now() - began).toBeLessThan(100);
    resolver.current = good;
    expect(await client.db().command({ ping: 1 })).toMatchObject({ ok: 1 });
  }));

test('Initial DNS Seedlist Discovery: connect rejects with a DNS error', () =>
  inWorld(async (_, resolver, open) => {
    const origin = { phase: 'resolve', sent: false } as const;
    const srv = (): Promise<never> => Promise.reject(new MongoError('network', 'querySrv ESERVFAIL', { origin }));
    resolver.current = { ...resolver.current, srv };
    const error = await failureOf(open().connect());
    expect([error.name, error.message]).toEqual(['MongoNetworkError', 'querySrv ESERVFAIL']);
  }));

test('DNS servers that do not reply fail the operation after serverSelectionTimeoutMS', () =>
  inWorld(async (world, resolver, open) => {
    resolver.current = { ...resolver.current, srv: () => new Promise(() => undefined) };
    const client = open(`${uri}&serverSelectionTimeoutMS=300&retryReads=false`);
    const began = world.runtime.clock.now();
    const error = await failureOf(client.db().command({ ping: 1 }));
    expect([error.name, error.message, world.runtime.clock.now() - began]).toEqual([
      'MongoServerSelectionError',
      'The DNS lookup of cluster.example.com did not complete within 300 ms. Check that the DNS servers answer.',
      300,
    ]);
  }));

/** Delays the next DNS reply until the returned function is called. */
const holdAnswer = (resolver: { current: Resolver }): (() => void) => {
  const { current } = resolver;
  let answer: () => void = () => undefined;
  resolver.current = {
    ...current,
    srv: of => new Promise(resolve => (answer = () => void resolve(current.srv(of)))),
  };
  return () => {
    answer();
  };
};

test('close during DNS resolution fails waiting operations, and ignores the resolved hosts', () =>
  inWorld(async (world, resolver, open) => {
    const answer = holdAnswer(resolver);
    const client = open();
    const waiting = failureOf(client.db().command({ ping: 1 }));
    await world.runtime.clock.sleep(10);
    await client.close();
    expect((await waiting).name).toBe('MongoClientClosedError');
    answer();
    await world.runtime.clock.sleep(10);
  }));

test('an interrupt during DNS resolution fails waiting operations, and later operations succeed', () =>
  inWorld(async (world, resolver, open) => {
    const answer = holdAnswer(resolver);
    const client = open();
    let failure: Error | undefined;
    void failureOf(client.db().command({ ping: 1 })).then(error => (failure = error));
    await world.runtime.clock.sleep(10);
    client.driver.deployment.interrupt();
    await world.runtime.clock.sleep(10);
    expect(failure?.name).toBe('MongoClientClosedError');
    answer();
    expect(await client.db().command({ ping: 1 })).toMatchObject({ ok: 1 });
  }));

test('a signal that throws fails the operation that waits for DNS, and leaves no timer', () =>
  inWorld(async (world, resolver, open) => {
    resolver.current = { ...resolver.current, srv: () => new Promise(() => undefined) };
    const before = world.leftovers();
    const thrown = new TypeError('no listeners');
    const signal = new AbortController().signal;
    signal.addEventListener = () => {
      throw thrown;
    };
    expect(await failureOf(open().db().collection('c').findOne({}, { signal }))).toBe(thrown);
    expect(world.leftovers()).toEqual(before);
  }));

test('a signal ends the wait for DNS with its reason', () =>
  inWorld(async (world, resolver, open) => {
    resolver.current = { ...resolver.current, srv: () => new Promise(() => undefined) };
    const controller = new AbortController();
    const waiting = failureOf(open().db().collection('c').find({}, { signal: controller.signal }).toArray());
    await world.runtime.clock.sleep(10);
    controller.abort(new Error('enough'));
    expect((await waiting).message).toBe('enough');
  }));
