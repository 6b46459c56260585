/** How a client handles servers whose hello replies contain invalid values. */
import { MongoClient } from '@tessera/client';
import type { Address } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import { Long, MinKey, ObjectId } from 'bson';
import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import { HELLO, isHello, scriptServer } from './scripted-server.js';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

interface Outcome {
  /** The error of the operation, or undefined. */
  readonly error: Error | undefined;
  /** The time in milliseconds at which the operation ended. */
  readonly after: number;
  /** The number of hellos in the following minute, and the number of known servers at its end. */
  readonly hellos: number;
  readonly known: readonly Address[];
}

const seed = 'db1:27017';

/** Runs one operation against one server with this hello, then a minute without operations. */
const outcomeOf = async (
  hello: (received: number) => Document,
  query: string,
  operate: (client: MongoClient) => Promise<unknown> = client => client.db('admin').command({ ping: 1 }),
): Promise<Outcome> => {
  const world = createWorld({ turn }, { seed: 1 });
  const { clock } = world.runtime;
  let outcome: Outcome | undefined;
  await world.run(async () => {
    let received = 0;
    const server = await scriptServer(world, seed, command => {
      if (isHello(command)) return hello(received++);
      const [name] = Object.keys(command);
      return name === 'insert' ? { n: (command['documents'] as unknown[] | undefined)?.length ?? 1 } : {};
    });
    const client = new MongoClient(`mongodb://db1/?serverMonitoringMode=poll${query}`, {}, { runtime: world.runtime });
    const error = await operate(client).then(
      () => undefined,
      (reason: unknown) => reason as Error,
    );
    const after = clock.now();
    const before = received;
    await clock.sleep(60_000);
    const known = [...client.driver.deployment.description.servers.keys()];
    outcome = { error, after, hellos: received - before, known };
    await client.close();
    await server.close();
    await clock.sleep(2000);
  });
  expect(world.leftovers()).toEqual([]);
  return outcome!;
};

/** The most hellos in a minute: one per heartbeat interval, and the checks that were already running. */
const mostHellos = 8;

describe('a server with an invalid hello causes one clear error, and is checked at the normal interval', () => {
  const ofTheSet = { setName: 'rs', hosts: [seed] };
  const failing = '&serverSelectionTimeoutMS=1000';

  test.each<readonly [title: string, hello: Document, message: RegExp]>([
    [
      'negative wire versions',
      { ...ofTheSet, minWireVersion: -9, maxWireVersion: -1 },
      /reports wire version -1, but .* at least/,
    ],
    [
      'wire versions far above the supported ones',
      { ...ofTheSet, minWireVersion: 900, maxWireVersion: 901 },
      /requires wire version 900/,
    ],
    [
      'wire versions of a wrong type',
      { ...ofTheSet, minWireVersion: '0', maxWireVersion: [25] },
      /reports wire version 0, but/,
    ],
    ['another set name', { setName: 'other', hosts: [seed] }, /1000 ms/],
    ['a set name that is not a string', { setName: 5, hosts: [seed] }, /1000 ms/],
  ])('%s', async (_, expectedText, message) => {
    const { error, after, hellos, known } = await outcomeOf(
      () => ({ ...HELLO, ...expectedText }),
      `${failing}&replicaSet=rs`,
    );
    expect([error?.name, error?.message]).toEqual(['MongoServerSelectionError', expect.stringMatching(message)]);
    expect(after).toBeLessThanOrEqual(1000);
    expect(hellos).toBeLessThanOrEqual(mostHellos);
    expect(known.length).toBeLessThanOrEqual(1);
  });

  test.each<readonly [title: string, ok: unknown]>([
    ['a word', 'yes'],
    ['zero', 0],
    ['nothing', null],
    ['a document', { ok: 1 }],
    ['a MinKey', new MinKey()],
  ])('ok is %s', async (_, ok) => {
    const { error, after, hellos } = await outcomeOf(() => ({ ...HELLO, ok }), failing);
    expect([error?.name, error?.message]).toEqual(['MongoServerSelectionError', expect.stringContaining(seed)]);
    expect(after).toBe(1000);
    expect(hellos).toBeLessThanOrEqual(mostHellos);
  });
});

describe('the hosts that a member reports', () => {
  const garbage = ['', ' ', ':', '::::', 'no port', 'x:y', 'a:99999999', '[::1', '-1', 'db9:27017', 5, null, {}, ['a']];

  test('do not affect the valid one if they are invalid', async () => {
    const primary = { ...HELLO, setName: 'rs', setVersion: 1, hosts: [seed, ...garbage] };
    const { error, known } = await outcomeOf(() => primary, '&replicaSet=rs');
    expect([error, known[0]]).toEqual([undefined, seed]);
    expect(known.length).toBeLessThanOrEqual(garbage.length);
  });

  test('are named in the server selection error if they are invalid', async () => {
    const query = '&replicaSet=rs&serverSelectionTimeoutMS=1000';
    const secondary = { ...HELLO, isWritablePrimary: false, secondary: true, setName: 'rs', me: seed };
    const { error, after } = await outcomeOf(() => ({ ...secondary, hosts: [seed, ...garbage] }), query);
    expect(error?.message).toMatch(/^No server for ping \(primary\) within 1000 ms\./);
    expect(error?.message).toContain('db9:27017 is Unknown');
    expect(after).toBe(1000);
  });

  test.each<readonly [title: string, role: Document, most: number]>([
    ['a secondary, which removes no server', { secondary: true }, 500],
    ['a primary', { isWritablePrimary: true, setVersion: 1 }, 101],
  ])('do not accumulate if they change in every reply: %s', { timeout: 30_000 }, async (_, role, most) => {
    const others = (received: number) => Array.from({ length: 100 }, (__, index) => `h${received}-${index}:27017`);
    const emitted = (received: number): Document => ({
      ...{ ...HELLO, isWritablePrimary: false, setName: 'rs', me: seed, ...role },
      hosts: [seed, ...others(received)],
    });
    const ping = (client: MongoClient) => client.db('admin').command({ ping: 1 }, { readPreference: 'nearest' });
    const { error, known } = await outcomeOf(emitted, '&replicaSet=rs', ping);
    expect([error?.message, known.length, known[0]]).toEqual([undefined, most, seed]);
  });
});

test('a failed server selection among many servers names fifty of them', async () => {
  const hosts = [seed, ...Array.from({ length: 99 }, (_, index) => `h${index}:27017`)];
  const hello = { ...HELLO, isWritablePrimary: false, secondary: true, setName: 'rs', me: seed, hosts };
  const { error } = await outcomeOf(() => hello, '&replicaSet=rs&serverSelectionTimeoutMS=1000');
  expect(error?.message.match(/ is Unknown/g)).toHaveLength(49);
  expect(error?.message).toContain('; and 50 more. Wait for an election');
});

describe('invalid limits', () => {
  const odd = [0, -1, 0.5, NaN, Infinity, -Infinity, 'many', null, {}, Long.MIN_VALUE, new ObjectId()];
  const limits = ['maxWriteBatchSize', 'maxMessageSizeBytes', 'maxBsonObjectSize', 'logicalSessionTimeoutMinutes'];

  test.each(limits.flatMap(name => odd.map(value => [name, value] as const)))(
    '%s: %s is ignored',
    async (name, value) => {
      const insert = (client: MongoClient): Promise<unknown> =>
        client
          .db('test')
          .collection('films')
          .insertMany(Array.from({ length: 5 }, (_, _id) => ({ _id: _id as never })));
      const { error, after } = await outcomeOf(() => ({ ...HELLO, [name]: value }), '', insert);
      expect(error).toBeUndefined();
      expect(after).toBeLessThan(1000);
    },
  );
});
