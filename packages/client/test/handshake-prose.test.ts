import { MongoClient } from '@tessera/client';
import type { DriverInfo, MongoClientOptions } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import { describe, expect, test } from 'vitest';
import { HELLO, isHello, scriptServer } from './scripted-server.js';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

const library: DriverInfo = { name: 'library', version: '1.2', platform: 'Library Platform' };
const framework: DriverInfo = { name: 'framework', version: '2.0', platform: 'Framework Platform' };

interface Stage {
  readonly client: MongoClient;
  /** Sends a ping, by whose end its connection is too old for another; answers the newest `client` of a hello. */
  ping(): Promise<Document>;
  /** How many handshakes there were. */
  handshakes(): number;
}

const onStage = async (options: MongoClientOptions, play: (stage: Stage) => Promise<void>): Promise<void> => {
  const world = createWorld({ turn });
  await world.run(async () => {
    const server = await scriptServer(world, 'db1:27017', command => (isHello(command) ? HELLO : {}));
    const client = new MongoClient('mongodb://db1/?directConnection=true', options, { runtime: world.runtime });
    const told = (): Document[] => server.asked.filter(command => isHello(command) && 'client' in command);
    await play({
      client,
      ping: async () => {
        await client.db('admin').command({ ping: 1 });
        await world.runtime.clock.sleep(5);
        return told().at(-1)?.['client'] as Document;
      },
      handshakes: () => told().length,
    });
    await client.close();
    await server.close();
    await world.runtime.clock.sleep(2_000);
  });
  expect(world.leftovers()).toEqual([]);
};

/** What libraries added behind the driver's own, and all the rest. */
const split = ({ driver, platform, ...rest }: Document): readonly [added: DriverInfo, rest: Document] => {
  const [{ name, version }, own] = [driver as { name: string; version: string }, /^[^|]*\|?/];
  const added = { name, version, platform: platform as string };
  const more = Object.entries(added).map(([part, text]) => [part, text.replace(own, '')]);
  return [Object.fromEntries(more) as DriverInfo, rest];
};

const joined = (first: DriverInfo, second: DriverInfo): DriverInfo => ({
  name: [first.name, second.name].filter(Boolean).join('|'),
  version: [first.version, second.version].filter(Boolean).join('|'),
  platform: [first.platform, second.platform].filter(Boolean).join('|'),
});

const nothing = null as unknown as string;
const partly: readonly DriverInfo[] = [
  framework,
  { ...framework, platform: nothing },
  { ...framework, version: nothing },
  { ...framework, version: nothing, platform: nothing },
];

test.each(partly.map((info, index) => [index + 1, info] as const))(
  'MongoDB Handshake, prose test 3.%i: what is appended to a client is told behind what it was made with',
  async (_, info) => {
    await onStage({ maxIdleTimeMS: 1, driverInfo: library }, async ({ client, ping }) => {
      const [initial, rest] = split(await ping());
      expect(initial).toEqual(library);
      client.appendMetadata(info);
      expect(split(await ping())).toEqual([joined(library, info), rest]);
    });
  },
);

test.each(partly.map((info, index) => [index + 1, info] as const))(
  'MongoDB Handshake, prose test 4.%i: what is appended later is told behind what was appended before',
  async (_, info) => {
    await onStage({ maxIdleTimeMS: 1 }, async ({ client, ping }) => {
      client.appendMetadata(library);
      const [initial, rest] = split(await ping());
      expect(initial).toEqual(library);
      client.appendMetadata(info);
      expect(split(await ping())).toEqual([joined(library, info), rest]);
    });
  },
);

const similar = [
  library,
  { ...library, name: 'framework' },
  { ...library, version: '2.0' },
  { ...library, platform: 'Framework Platform' },
  { ...framework, platform: 'Library Platform' },
  { ...framework, version: '1.2' },
  { ...framework, name: 'library' },
  framework,
];

test.each(similar.map((info, index) => [index + 1, info] as const))(
  'MongoDB Handshake, prose test 5.%i: the same again is not told twice, what differs in any part is told whole',
  async (number, info) => {
    await onStage({ maxIdleTimeMS: 1 }, async ({ client, ping }) => {
      client.appendMetadata(library);
      const [, rest] = split(await ping());
      client.appendMetadata(info);
      expect(split(await ping())).toEqual([number === 1 ? library : joined(library, info), rest]);
    });
  },
);

test('MongoDB Handshake, prose test 6: what the client was made with is not told twice', async () => {
  await onStage({ maxIdleTimeMS: 1, driverInfo: library }, async ({ client, ping, handshakes }) => {
    const [before, count] = [await ping(), handshakes()];
    client.appendMetadata({ ...library });
    expect(await ping()).toEqual(before);
    expect(handshakes()).toBe(count + 1);
  });
});

describe('MongoClient.appendMetadata', () => {
  test('open connections stay as they are: no other hello is sent', async () => {
    await onStage({ driverInfo: library }, async ({ client, ping, handshakes }) => {
      await ping();
      const before = handshakes();
      client.appendMetadata(framework);
      await ping();
      expect(handshakes()).toBe(before);
    });
  });

  test('a part with the delimiter is refused as an argument, and nothing is appended', async () => {
    await onStage({ maxIdleTimeMS: 1, driverInfo: library }, async ({ client, ping }) => {
      const before = await ping();
      expect(() => {
        client.appendMetadata({ name: 'a|b' });
      }).toThrow("driverInfo.name 'a|b' contains '|', which separates such names; leave it out");
      expect(await ping()).toEqual(before);
    });
  });
});
