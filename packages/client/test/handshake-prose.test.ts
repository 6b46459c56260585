import { MongoClient } from '@tessera/client';
import type { DriverInfo, MongoClientOptions } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import { expect, test } from 'vitest';
import { HELLO, isHello, scriptServer } from './scripted-server.js';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

const library: DriverInfo = { name: 'library', version: '1.2', platform: 'Library Platform' };
const framework: DriverInfo = { name: 'framework', version: '2.0', platform: 'Framework Platform' };

interface Setup {
  readonly client: MongoClient;
  /** Sends a ping after the idle connection has expired. Returns the `client` field of the new handshake. */
  ping(): Promise<Document>;
  /** Returns the `client` field of each handshake so far. */
  greetings(): readonly Document[];
  handshakes(): number;
}

const withServers = async (options: MongoClientOptions, respond: (setup: Setup) => Promise<void>): Promise<void> => {
  const world = createWorld({ turn });
  await world.run(async () => {
    const server = await scriptServer(world, 'db1:27017', command => (isHello(command) ? HELLO : {}));
    const client = new MongoClient('mongodb://db1/?directConnection=true', options, { runtime: world.runtime });
    const emitted = (): Document[] => server.received.filter(command => isHello(command) && 'client' in command);
    await respond({
      client,
      ping: async () => {
        await client.db('admin').command({ ping: 1 });
        await world.runtime.clock.sleep(5);
        return emitted().at(-1)?.['client'] as Document;
      },
      greetings: emitted,
      handshakes: () => emitted().length,
    });
    await client.close();
    await server.close();
    await world.runtime.clock.sleep(2_000);
  });
  expect(world.leftovers()).toEqual([]);
};

/** Splits the metadata into the values that libraries added, and the rest. */
const split = ({ driver, platform, ...rest }: Document): readonly [added: DriverInfo, rest: Document] => {
  const [{ name, version }, own] = [driver as { name: string; version: string }, /^[^|]*\|?/];
  const added = { name, version, platform: platform as string };
  const more = Object.entries(added).map(([part, text]) => [part, text.replace(own, '')]);
  return [Object.fromEntries(more) as DriverInfo, rest];
};

/**
 * Returns the metadata of several libraries as a hello contains it. A missing name or version leaves an empty position,
 * so that the values of a library have the same position, as prose test M10 requires. M1 and M2 are older: there a
 * missing version leaves no position.
 */
const joined = (...infos: readonly DriverInfo[]): DriverInfo => ({
  name: infos.map(({ name }) => name ?? '').join('|'),
  version: infos.map(({ version }) => version ?? '').join('|'),
  platform: infos
    .map(({ platform }) => platform)
    .filter(Boolean)
    .join('|'),
});

const nothing = null as unknown as string;
const partly: readonly DriverInfo[] = [
  framework,
  { ...framework, platform: nothing },
  { ...framework, version: nothing },
  { ...framework, version: nothing, platform: nothing },
];

/** Pairs each row with its number. */
const cases = <T>(rows: readonly T[]): (readonly [number, T])[] => rows.map((row, index) => [index + 1, row]);

test.each(cases(partly))(
  'MongoDB Handshake, prose test M1: metadata is appended to that of the options, and a missing version leaves an empty position, case %i',
  async (_, info) => {
    await withServers({ maxIdleTimeMS: 1, driverInfo: library }, async ({ client, ping }) => {
      const [initial, rest] = split(await ping());
      expect(initial).toEqual(library);
      client.appendMetadata(info);
      expect(split(await ping())).toEqual([joined(library, info), rest]);
    });
  },
);

test.each(cases(partly))(
  'MongoDB Handshake, prose test M2: metadata is appended to earlier metadata, and a missing version leaves an empty position, case %i',
  async (_, info) => {
    await withServers({ maxIdleTimeMS: 1 }, async ({ client, ping }) => {
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
];

test.each(cases(similar))(
  'MongoDB Handshake, prose test M3: identical metadata is appended once, and metadata with any difference in full, case %i',
  async (number, info) => {
    await withServers({ maxIdleTimeMS: 1 }, async ({ client, ping }) => {
      client.appendMetadata(library);
      const [, rest] = split(await ping());
      client.appendMetadata(info);
      expect(split(await ping())).toEqual([number === 1 ? library : joined(library, info), rest]);
    });
  },
);

/** Appends each metadata with a handshake after it. Then checks that the last one changed nothing. */
const lastChangesNothing = async (options: MongoClientOptions, infos: readonly DriverInfo[]): Promise<void> => {
  await withServers({ maxIdleTimeMS: 1, ...options }, async ({ client, ping, handshakes }) => {
    let before = await ping();
    for (const info of infos.slice(0, -1)) {
      client.appendMetadata(info);
      const after = await ping();
      expect(after).not.toEqual(before);
      before = after;
    }
    const count = handshakes();
    client.appendMetadata(infos.at(-1)!);
    expect(await ping()).toEqual(before);
    expect(handshakes()).toBe(count + 1);
  });
};

test('MongoDB Handshake, prose test M4: metadata that was appended before is not repeated, even with other metadata between', async () => {
  await lastChangesNothing({}, [library, framework, { ...library }]);
});

test('MongoDB Handshake, prose test M5: metadata of the constructor is not repeated', async () => {
  await lastChangesNothing({ driverInfo: library }, [{ ...library }]);
});

test('MongoDB Handshake, prose test M6: metadata of the constructor is not repeated, even with other metadata between', async () => {
  await lastChangesNothing({ driverInfo: library }, [{ ...library, name: 'framework' }, { ...library }]);
});

const empty = [
  [
    { ...library, name: nothing },
    { ...library, name: '' },
  ],
  [
    { ...library, version: nothing },
    { ...library, version: '' },
  ],
  [
    { ...library, platform: nothing },
    { ...library, platform: '' },
  ],
] as const;

test.each(cases(empty))(
  'MongoDB Handshake, prose test M7: an empty string equals a missing value when metadata is appended twice, case %i',
  async (_, [unset, blank]) => {
    await lastChangesNothing({}, [unset, blank]);
  },
);

test.each(cases(empty))(
  "MongoDB Handshake, prose test M8: an empty string equals a missing value compared with the constructor's metadata, case %i",
  async (_, [unset, blank]) => {
    await lastChangesNothing({ driverInfo: unset }, [blank]);
  },
);

test('MongoDB Handshake, prose test M9: every handshake sends backpressure "2"', async () => {
  await withServers({}, async ({ client, greetings }) => {
    await Promise.all([1, 2, 3].map(() => client.db('admin').command({ ping: 1 })));
    expect(greetings().length).toBeGreaterThan(2);
    expect(new Set(greetings().map(({ backpressure }) => backpressure as unknown))).toEqual(new Set(['2']));
  });
});

/** `NAME` and `VERSION` stand for the driver's own name and version. */
const places: readonly (readonly [appended: readonly DriverInfo[], name: string, version: string])[] = [
  [[{}, { name: 'F2' }], 'NAME||F2', 'VERSION||'],
  [[{ name: 'F1' }, { name: 'F2', version: '2.0' }], 'NAME|F1|F2', 'VERSION||2.0'],
  [[{ name: 'F1' }], 'NAME|F1', 'VERSION|'],
  [[{ name: 'F1', version: 'VERSION' }], 'NAME|F1', 'VERSION|VERSION'],
  [[{ name: 'NAME', version: '1.0' }], 'NAME|NAME', 'VERSION|1.0'],
  [
    [
      { name: 'F1', version: '1.0' },
      { name: 'F1', version: '1.0' },
    ],
    'NAME|F1',
    'VERSION|1.0',
  ],
  [[{ name: 'F1' }, { name: 'F2' }], 'NAME|F1|F2', 'VERSION||'],
  [[{ version: '1.0' }, { version: '2.0' }], 'NAME||', 'VERSION|1.0|2.0'],
  [
    [
      { name: 'F1', version: '1.0' },
      { name: 'F2', version: '2.0' },
      { name: 'F1', version: '1.0' },
    ],
    'NAME|F1|F2',
    'VERSION|1.0|2.0',
  ],
  [
    [
      { name: 'F1', version: '1.0', platform: 'P1' },
      { name: 'F1', version: '1.0', platform: 'P2' },
    ],
    'NAME|F1|F1',
    'VERSION|1.0|1.0',
  ],
  [[{ name: 'NAME', version: 'VERSION' }], 'NAME|NAME', 'VERSION|VERSION'],
  [[{ name: 'F1' }, { name: 'F1' }], 'NAME|F1', 'VERSION|'],
];

test.each(cases(places))(
  'MongoDB Handshake, prose test M10: names and versions correspond by position, case %i',
  async (_, [appended, name, version]) => {
    await withServers({ maxIdleTimeMS: 1 }, async ({ client, ping }) => {
      const own = (await ping())['driver'] as { readonly name: string; readonly version: string };
      const filled = (text: string): string => text.replaceAll('NAME', own.name).replaceAll('VERSION', own.version);
      for (const info of appended)
        client.appendMetadata(Object.fromEntries(Object.entries(info).map(([part, text]) => [part, filled(text)])));
      expect((await ping())['driver']).toEqual({ name: filled(name), version: filled(version) });
    });
  },
);

test.each(cases(['name', 'version', 'platform'] as const))(
  'MongoDB Handshake, prose test M11: a value with the delimiter is rejected, and nothing is appended, case %i',
  async (_, part) => {
    await withServers({ maxIdleTimeMS: 1, driverInfo: library }, async ({ client, ping, handshakes }) => {
      const [before, count] = [await ping(), handshakes()];
      expect(() => {
        client.appendMetadata({ ...framework, [part]: 'frame|work' });
      }).toThrow(`'driverInfo.${part}' is 'frame|work', but must not contain '|', which separates names. Remove it.`);
      expect(split(before)[0]).toEqual(library);
      expect(await ping()).toEqual(before);
      expect(handshakes()).toBe(count + 1);
    });
  },
);

test('MongoClient.appendMetadata sends no hello on open connections', async () => {
  await withServers({ driverInfo: library }, async ({ client, ping, handshakes }) => {
    await ping();
    const before = handshakes();
    client.appendMetadata(framework);
    await ping();
    expect(handshakes()).toBe(before);
  });
});
