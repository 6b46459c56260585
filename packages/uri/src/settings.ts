import type {
  Address,
  BsonOptions,
  DriverInfo,
  LogOptions,
  Millis,
  ReadPreferenceMode,
  Selection,
  ServerSelector,
  TagSet,
} from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { parseConnectionString, unknownOption } from './connection-string.js';
import { toAddress } from './grammar.js';
import { optionTable } from './option-table.js';
import type { OptionRow } from './option-table.js';
import { checkRules, checkTlsIsAsked } from './rules.js';

/**
 * Every option resolved: what code says goes before the connection string, and that before the default. Secrets
 * are not enumerable: settings that are printed, serialised or spread do not hold them.
 */
export interface Settings extends BsonOptions, LogOptions {
  readonly srv: boolean;
  /** At least one. For `srv`, first the name whose records are to be asked for; `resolveSrv` puts the hosts in its place. */
  readonly hosts: readonly Address[];
  /** For `srv`, the name whose records are to be asked for. */
  readonly srvHost: string | undefined;
  /** How long the SRV records that named the hosts hold good, if that was told. */
  readonly seedsTimeToLive?: Millis | undefined;
  /** Names of the options that were given; the others have their defaults. */
  readonly given: readonly string[];
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** The option of that name, else the database of the connection string, else `test`. */
  readonly dbName: string;
  /** The same, if one is named: there the user is looked for, unless authSource says else. */
  readonly defaultauthdb: string | undefined;
  readonly appName?: string;
  /** Libraries built on the driver, innermost first. New connections also send entries that are appended later. */
  readonly driverInfo: DriverInfo[];
  readonly serverApi?: '1' | { readonly version: '1'; readonly strict?: boolean; readonly deprecationErrors?: boolean };
  readonly compressors?: readonly string[];
  readonly zlibCompressionLevel: number;
  readonly connectTimeoutMS?: Millis;
  readonly socketTimeoutMS?: Millis;
  readonly authMechanism?: string;
  readonly authMechanismProperties?: Readonly<Record<string, unknown>>;
  readonly authSource?: string;
  readonly readConcernLevel?: string;
  readonly readConcern?: string | { readonly level?: string };
  readonly w?: number | string;
  readonly wtimeoutMS?: Millis;
  readonly journal?: boolean;
  readonly writeConcern?: unknown;
  readonly maxPoolSize?: number;
  readonly minPoolSize?: number;
  readonly maxConnecting?: number;
  readonly maxIdleTimeMS?: Millis;
  readonly waitQueueTimeoutMS?: Millis;
  readonly replicaSet?: string;
  readonly directConnection?: boolean;
  readonly loadBalanced?: boolean;
  readonly heartbeatFrequencyMS?: Millis;
  readonly minHeartbeatFrequencyMS?: Millis;
  readonly serverMonitoringMode?: 'auto' | 'poll' | 'stream';
  readonly serverSelectionTimeoutMS?: Millis;
  readonly localThresholdMS?: Millis;
  readonly serverSelector?: ServerSelector;
  readonly readPreference?: ReadPreferenceMode | Selection;
  readonly readPreferenceTags?: readonly TagSet[];
  readonly maxStalenessSeconds?: number;
  readonly srvServiceName: string;
  readonly srvMaxHosts: number;
  /** What each host of an SRV record must end with, in place of the rule that it must be under the same domain. */
  readonly srvAllowedHostsSuffix?: string;
  /** Judges each host of an SRV record, in lower case, in place of the rule that it must be under the same domain. */
  readonly srvHostValidator?: (host: string) => boolean;
  readonly retryReads?: boolean;
  readonly retryWrites?: boolean;
  readonly maxAdaptiveRetries?: number;
  readonly enableOverloadRetargeting?: boolean;
  readonly timeoutMS?: Millis;
  /** True for `srv` unless it is said otherwise. */
  readonly tls?: boolean;
  readonly tlsCAFile?: string;
  readonly tlsCertificateKeyFile?: string;
  readonly tlsCertificateKeyFilePassword?: string;
  readonly tlsCRLFile?: string;
  readonly tlsAllowInvalidCertificates?: boolean;
  readonly tlsAllowInvalidHostnames?: boolean;
  readonly tlsInsecure?: boolean;
  readonly proxyHost?: string;
  readonly proxyPort?: number;
  readonly proxyUsername?: string;
  readonly proxyPassword?: string;
  readonly noDelay?: boolean;
  readonly keepAliveInitialDelay?: Millis;
  readonly family?: 0 | 4 | 6;
  readonly autoSelectFamily?: boolean;
  readonly autoSelectFamilyAttemptTimeout?: Millis;
  readonly localAddress?: string;
  readonly localPort?: number;
  readonly hints?: number;
  /** In the shape of `dns.lookup`. */
  readonly lookup?: unknown;
  readonly forceServerObjectId?: boolean;
  readonly pkFactory?: { createPk(): unknown };
  readonly monitorCommands?: boolean;
  /** What the connection string says that could not be used. */
  readonly warnings: readonly string[];
}

const rows = new Map(optionTable.map(row => [row.name, row]));
const byLowerCase = new Map(optionTable.map(row => [row.name.toLowerCase(), row]));
const ownDefaults: Readonly<Record<string, unknown>> = Object.fromEntries(
  optionTable.filter(row => row.default !== undefined).map(row => [row.name, row.default]),
);

const secrets = [
  ...['password', 'auth', 'authMechanismProperties'],
  ...['proxyPassword', 'tlsCertificateKeyFilePassword', 'passphrase', 'key', 'pfx'],
];

/** A text in the place of a number, as environments have them, is read as in a connection string. */
const readText = ({ name, type }: OptionRow, value: unknown): unknown => {
  const read = typeof value === 'string' ? type.read([value]) : undefined;
  if (read === undefined || 'wrong' in read || 'deprecated' in read)
    throw new MongoError('usage', `The option '${name}' must be ${type.expects}.`);
  return read.value;
};

/** Options given in code, checked and under the table's names. */
const checkOptions = (given: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const options: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue;
    const row = rows.get(name) ?? byLowerCase.get(name.toLowerCase());
    if (row === undefined) throw new MongoError('usage', unknownOption(name, [...rows.keys()]));
    if (value === '' && row.type.mayBeEmpty === true) continue;
    options[row.renamed ?? row.name] = row.type.accepts(value) ? value : readText(row, value);
  }
  return options;
};

/**
 * @param defaults the values of options that were not given. Without them such an option is absent, and the package that
 * obeys it takes its own default.
 * @throws MongoError `usage` for a malformed connection string, an unknown option (the nearest known one is suggested),
 * a value that an option cannot have, and options that contradict one another.
 */
export const resolveSettings = <Defaults extends Partial<Settings> = object>(
  uri: string,
  options: Readonly<Record<string, unknown>> = {},
  defaults?: Defaults,
): Settings & Defaults => {
  const parsed = parseConnectionString(uri, { strict: true });
  const given = checkOptions(options);
  const stated = { ...parsed.options, ...given };
  checkRules({ srv: parsed.srv, hostCount: parsed.hosts.length, pairs: [], options: stated });
  checkPoolSizes({ ...defaults, ...stated });
  if (!parsed.srv) checkTlsIsAsked(stated);
  const database = ((given['dbName'] ?? '') as string) || parsed.database;
  const auth = (given['auth'] ?? {}) as { readonly username?: string; readonly password?: string };
  const settings = {
    ...ownDefaults,
    ...defaults,
    // Rule: Initial DNS Seedlist Discovery, "Validation Before Querying DNS".
    ...(parsed.srv ? { tls: true } : {}),
    ...stated,
    srv: parsed.srv,
    srvHost: parsed.srv ? parsed.hosts[0]?.host : undefined,
    given: Object.keys(stated),
    hosts: parsed.hosts.map(toAddress),
    username: auth.username ?? parsed.username,
    password: auth.password ?? parsed.password,
    dbName: database ?? 'test',
    defaultauthdb: database,
    driverInfo: given['driverInfo'] === undefined ? [] : [given['driverInfo']],
    warnings: parsed.warnings,
  };
  for (const name of secrets)
    if (Object.hasOwn(settings, name)) Object.defineProperty(settings, name, { enumerable: false });
  return settings as unknown as Settings & Defaults;
};

/** Rule: Connection Monitoring and Pooling: minPoolSize must not be over maxPoolSize. */
const checkPoolSizes = ({ minPoolSize = 0, maxPoolSize = 0 }: Partial<Settings>): void => {
  if (maxPoolSize === 0 || minPoolSize <= maxPoolSize) return;
  const message = `The option 'minPoolSize' (${minPoolSize}) must not be over 'maxPoolSize' (${maxPoolSize}).`;
  throw new MongoError('usage', message);
};
