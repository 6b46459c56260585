import { deepStrictEqual, rejects } from 'node:assert';
import type { Random } from '@tessera/contracts';
import { resolveSettings, resolveSrv } from '@tessera/uri';
import type { Settings } from '@tessera/uri';
import { readText } from '../fixtures.js';
import { judgeLater } from '../suite.js';
import type { Result, Suite } from '../suite.js';
import { readZone, resolverOf } from '../zone.js';
import { testZone } from '../zone-records.js';

/** One file. `hosts` and `ping` are ignored: they need the deployment of the specification. */
interface SeedlistCase {
  readonly uri: string;
  readonly error?: boolean;
  readonly seeds?: readonly string[];
  readonly numSeeds?: number;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly parsed_options?: Readonly<Record<string, unknown>>;
}

/** The page that lists the DNS records. Newer fixtures may add records there. */
const published = 'initial-dns-seedlist-discovery/tests/README.md';

const random: Random = { unit: () => 0.5, bytes: length => new Uint8Array(length) };

/** Returns the settings under the names that the fixtures use. */
const inFixtureNames = (settings: Settings): Readonly<Record<string, unknown>> => {
  const { username: user, password, defaultauthdb, tls: ssl } = settings;
  const options: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(settings)) options[name.toLowerCase()] = value;
  const database = { auth_database: defaultauthdb, db: defaultauthdb, defaultdatabase: defaultauthdb };
  return { ...options, user, password, ...database, ssl };
};

const check = async (wanted: SeedlistCase, resolve: (uri: string) => Promise<Settings>): Promise<void> => {
  if (wanted.error === true) {
    await rejects(
      () => resolve(wanted.uri),
      'An invalid connection string, or one with invalid records, was accepted.',
    );
    return;
  }
  const settings = await resolve(wanted.uri);
  const seeds = new Set(settings.hosts);
  if (wanted.seeds !== undefined) deepStrictEqual(seeds, new Set(wanted.seeds));
  if (wanted.numSeeds !== undefined) deepStrictEqual(seeds.size, wanted.numSeeds);
  const read = inFixtureNames(settings);
  for (const [name, value] of Object.entries({ ...wanted.options, ...wanted.parsed_options }))
    deepStrictEqual(read[name.toLowerCase()], value, `option ${name}`);
};

export const run: Suite = async files => {
  const resolver = resolverOf(testZone, readZone(readText(published) ?? ''));
  const resolve = async (uri: string): Promise<Settings> => resolveSrv({ resolver, random }, resolveSettings(uri));
  const results: Result[] = [];
  for (const { name, json } of files)
    results.push(await judgeLater(name, name, () => check(json as SeedlistCase, resolve)));
  return results;
};
