import type { MongoClientOptions } from '@tessera/client';
import type { Runtime } from '@tessera/contracts';
import { expect, test } from 'vitest';
import { names, withServers, writing } from './with-servers.js';

const host = 'mongodb://db1';

test('Max Staleness, prose test 1.1: it is read from the connection string and from options', () =>
  withServers([], async ({ open }) => {
    const both = (uri: string, options: MongoClientOptions = {}) => open(uri, { options }).readPreference;
    const wanted = { mode: 'secondary', maxStalenessSeconds: 120 };
    expect(both(`${host}/?readPreference=secondary&maxStalenessSeconds=120`)).toMatchObject(wanted);
    expect(both(host, { readPreference: 'secondary', maxStalenessSeconds: 120 })).toMatchObject(wanted);
  }));

test('Max Staleness, prose test 1.2: mode primary rejects it, explicitly or by default', () =>
  withServers([], async ({ open }) => {
    for (const query of ['maxStalenessSeconds=120', 'readPreference=primary&maxStalenessSeconds=120'])
      expect(() => open(`${host}/?${query}`)).toThrow(/primary accepts/);
  }));

test('Max Staleness, prose test 1.3: -1 equals no value, with every mode', () =>
  withServers([], async ({ open }) => {
    const of = (query: string) => open(`${host}/?${query}`).readPreference;
    expect(of('readPreference=secondary&maxStalenessSeconds=-1')).toEqual(of('readPreference=secondary'));
    expect(of('readPreference=primary&maxStalenessSeconds=-1')).toEqual(of('readPreference=primary'));
  }));

test('Max Staleness, prose test 1.4: the constructor accepts a small value', () =>
  withServers([], async ({ open }) => {
    const { readPreference } = open(`${host}/?readPreference=secondary&maxStalenessSeconds=1`);
    expect(readPreference).toMatchObject({ mode: 'secondary', maxStalenessSeconds: 1 });
  }));

test('Max Staleness, prose test 2: heartbeatFrequencyMS=500 checks a standalone twice a second', () =>
  withServers([{}], async ({ open, events, sleep }) => {
    await open(`${host}/?heartbeatFrequencyMS=500&serverMonitoringMode=poll`).connect();
    events.length = 0;
    await sleep(10_000);
    const checks = names(events, 'serverHeartbeatSucceeded').length;
    expect(checks).toBeGreaterThanOrEqual(18);
    expect(checks).toBeLessThanOrEqual(20);
  }));

/** Returns a runtime that records the bytes written to servers. */
const recording = (runtime: Runtime, written: string[]): Runtime => ({
  ...runtime,
  transport: {
    connect: async (to, options) => {
      const socket = await runtime.transport.connect(to, options);
      return writing(socket, bytes => {
        written.push(Buffer.from(bytes).toString('latin1'));
        return socket.write(bytes);
      });
    },
  },
});

test('Max Staleness, prose test 3.2: maxStalenessSeconds is sent to mongos as an int32, or omitted', () =>
  withServers({ topology: 'sharded', mongoses: 1, members: 3 }, async ({ world, open, events }) => {
    const find = async (query: string): Promise<{ readonly emitted: unknown; readonly bytes: string }> => {
      const written: string[] = [];
      events.length = 0;
      const client = open(`${host}/?${query}`, { runtime: recording(world.runtime, written) });
      await client.db().collection('films').findOne();
      const [emitted] = events.flatMap(event =>
        event.name === 'commandStarted' ? [event.command['$readPreference']] : [],
      );
      return { emitted, bytes: written.join('') };
    };
    const limited = await find('readPreference=secondary&maxStalenessSeconds=120');
    expect(limited.emitted).toEqual({ mode: 'secondary', maxStalenessSeconds: 120 });
    expect(limited.bytes).toContain('\x10maxStalenessSeconds\0\x78\0\0\0');
    const free = await find('readPreference=secondary');
    expect(free.emitted).toEqual({ mode: 'secondary' });
    expect(free.bytes).not.toContain('maxStalenessSeconds');
  }));
