import type { Address, Millis, Random, Resolver, SeedList, SrvRecord } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { parseConnectionString } from './connection-string.js';
import { splitConnectionString } from './grammar.js';
import { hostsSuffix } from './hosts-suffix.js';
import { checkRules } from './rules.js';
import type { Settings } from './settings.js';

/** The settings that a lookup uses. */
export type SrvSettings = Pick<Settings, 'srvHost' | 'srvServiceName' | 'srvAllowedHostsSuffix' | 'srvHostValidator'>;

/** Options that a TXT record may give. Rule: Initial DNS Seedlist Discovery, "Default Connection String Options". */
const fromTxt: ReadonlyMap<string, 'authSource' | 'replicaSet' | 'loadBalanced'> = new Map(
  (['authSource', 'replicaSet', 'loadBalanced'] as const).map(name => [name.toLowerCase(), name]),
);

const refuse = (message: string, name: string, cause?: unknown): MongoError =>
  new MongoError('usage', message, { cause, origin: { phase: 'resolve', sent: false, address: name } });

/**
 * Returns the name without its subdomain, if it has three or more parts. A trailing root dot does not count as a part.
 * Rule: "Connection String Format".
 */
const domainOf = (name: string): string => {
  const parts = name.replace(/\.$/, '').split('.');
  return (parts.length < 3 ? parts : parts.slice(1)).join('.');
};

/** Whether the host is in the domain, with at least one more label. Rule: "Querying DNS". */
const isUnder = (suffix: string, host: string): boolean => host.endsWith(suffix) && !host.startsWith('.');

type Verify = (host: string) => void;

/** Throws if the host is not allowed. */
const verifier = ({ srvHost: name = '', srvAllowedHostsSuffix, srvHostValidator }: SrvSettings): Verify => {
  const named = (host: string): string => `The SRV records of ${name} contain the host ${host}`;
  if (srvHostValidator === undefined) {
    const suffix = srvAllowedHostsSuffix === undefined ? `.${domainOf(name)}` : hostsSuffix(srvAllowedHostsSuffix);
    return host => {
      if (!isUnder(suffix, host)) throw refuse(`${named(host)}, which is not in the domain ${suffix}.`, name);
    };
  }
  return host => {
    let isAccepted;
    try {
      isAccepted = srvHostValidator(host);
    } catch (cause) {
      throw refuse(`${named(host)}, for which "srvHostValidator" threw an error.`, name, cause);
    }
    if (!isAccepted) throw refuse(`${named(host)}, which "srvHostValidator" rejected.`, name);
  };
};

/**
 * Queries the SRV records. Priority and weight are ignored. Host names are converted to lower case, without a trailing
 * dot.
 */
const querySrv = async (
  resolver: Resolver,
  { srvHost: name = '', srvServiceName }: SrvSettings,
): Promise<readonly SrvRecord[]> => {
  const recordName = `_${srvServiceName}._tcp.${name}`;
  const records = await resolver.srv(recordName);
  if (records.length === 0) {
    const origin = { phase: 'resolve', sent: false, address: name } as const;
    throw new MongoError('network', `No SRV records found for ${recordName}. Check the name.`, { origin });
  }
  return records.map(record => ({ ...record, host: record.host.toLowerCase().replace(/\.$/, '') }));
};

const addressOf = ({ host, port }: SrvRecord): Address => `${host}:${port}`;

/**
 * Returns the smallest time to live of all records. Undefined if one has none. Rule: Polling SRV Records for mongos
 * Discovery, "rescanSRVIntervalMS".
 */
const leastOf = (records: readonly SrvRecord[]): Millis | undefined => {
  const least = Math.min(...records.map(({ timeToLive }) => timeToLive ?? NaN));
  return Number.isNaN(least) ? undefined : least;
};

/** Returns all hosts in the SRV records. Throws if one is not allowed. Rule: "Querying DNS". */
const lookUpHosts = async (resolver: Resolver, settings: SrvSettings): Promise<readonly SrvRecord[]> => {
  const found = await querySrv(resolver, settings);
  const verify = verifier(settings);
  for (const { host } of found) verify(host);
  return found;
};

/**
 * Returns the current hosts in the SRV records, without forbidden hosts, and how long they are valid, if known. Rule: Polling SRV Records for mongos Discovery, "Implementation".
 * @throws MongoError `network` with `origin.phase` `resolve` if there is no response or no record.
 */
export const lookUpSeeds = async (resolver: Resolver, settings: SrvSettings): Promise<SeedList> => {
  const verify = verifier(settings);
  const isUsable = ({ host }: { readonly host: string }): boolean => {
    try {
      verify(host);
      return true;
    } catch {
      return false;
    }
  };
  const found = await querySrv(resolver, settings);
  return { hosts: found.filter(isUsable).map(addressOf), timeToLive: leastOf(found) };
};

type TxtOptions = Partial<Pick<Settings, 'authSource' | 'replicaSet' | 'loadBalanced'>>;

/** Reads the options in TXT records. Rule: Initial DNS Seedlist Discovery, "Default Connection String Options". */
const lookUpTxt = async (resolver: Resolver, name: string): Promise<TxtOptions> => {
  const records = await resolver.txt(name);
  if (records.length > 1) throw refuse(`${name} has ${records.length} TXT records; only one is allowed.`, name);
  const uri = `mongodb://host/?${records[0]?.join('') ?? ''}`;
  try {
    for (const [key] of splitConnectionString(uri).pairs)
      if (!fromTxt.has(key.toLowerCase()))
        throw new MongoError('usage', `TXT records may set ${[...fromTxt.values()].join(', ')}, not "${key}".`);
    return parseConnectionString(uri, { strict: true }).options;
  } catch (cause) {
    throw refuse(`The TXT record of ${name} is invalid: ${(cause as Error).message}`, name, cause);
  }
};

/** Draws random items, all combinations equally likely: the first steps of a Fisher–Yates shuffle. */
const draw = <T>(all: readonly T[], count: number, random: Random): readonly T[] => {
  const items = [...all];
  for (let i = 0; i < count; i++) {
    const j = i + Math.floor(random.unit() * (items.length - i));
    [items[i], items[j]] = [items[j]!, items[i]!];
  }
  return items.slice(0, count);
};

/** Copies the settings with changes, including the secrets, which are not enumerable. */
const withChanges = (settings: Settings, changes: Partial<Settings>): Settings => {
  const all = Object.defineProperties({}, Object.getOwnPropertyDescriptors(settings)) as Settings;
  return Object.assign(all, changes);
};

/**
 * Returns the settings of a `mongodb+srv` connection string with the hosts and options from DNS. The connection string
 * and options in code take precedence over TXT records. Rule: Initial DNS Seedlist Discovery.
 * @throws MongoError with `origin.phase` `resolve`: `network` if there is no response, `usage` for invalid records and
 * for options that contradict each other
 */
export const resolveSrv = async (
  { resolver, random }: { readonly resolver: Resolver; readonly random: Random },
  settings: Settings,
): Promise<Settings> => {
  const { srvHost: name = '', srvMaxHosts, given } = settings;
  const txt = lookUpTxt(resolver, name);
  // Both queries run in parallel. If both fail, the error is always that of the hosts.
  txt.catch(() => undefined);
  const records = await lookUpHosts(resolver, settings);
  const found = records.map(addressOf);
  const defaults = await txt;
  const hosts = srvMaxHosts === 0 || srvMaxHosts >= found.length ? found : draw(found, srvMaxHosts, random);
  const unstated = Object.entries(defaults).filter(([option]) => !given.includes(option));
  const resolved = withChanges(settings, {
    hosts,
    seedsTimeToLive: leastOf(records),
    ...Object.fromEntries(unstated),
  });
  checkRules({
    srv: true,
    hostCount: hosts.length,
    pairs: [],
    options: resolved as unknown as Readonly<Record<string, unknown>>,
  });
  return resolved;
};
