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
import { parseConnectionString } from './connection-string.js';
import { toAddress } from './grammar.js';
import { optionTable } from './option-table.js';
import type { OptionRow } from './option-table.js';
import { checkRules, checkTlsIsAsked } from './rules.js';
import { unknownOption } from './unknown-option.js';

/**
 * All options, resolved. Options in code take precedence over the connection string, which takes precedence over
 * defaults. Secrets are not enumerable, so printing, serializing or spreading the settings does not reveal them.
 */
export interface Settings extends BsonOptions, LogOptions {
  readonly srv: boolean;
  /** At least one address. For `srv`, first the name of the SRV records, which `resolveSrv` replaces by the hosts. */
  readonly hosts: readonly Address[];
  /** For `srv`, the name whose SRV records are queried. */
  readonly srvHost: string | undefined;
  /** How long the SRV records are valid, if the resolver reports it. */
  readonly seedsTimeToLive?: Millis | undefined;
  /** The names of the options that were given. All others have their defaults. */
  readonly given: readonly string[];
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** The database name: the option, or the database of the connection string, or `test`. */
  readonly dbName: string;
  /**
   * The database of the option or the connection string, if any. It is the authentication source unless authSource is
   * given.
   */
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
  /** The suffix that hosts in SRV records must have, instead of the domain of the SRV name. */
  readonly srvAllowedHostsSuffix?: string;
  /** Checks each host in SRV records, in lower case, instead of the rule that it must be in the same domain. */
  readonly srvHostValidator?: (host: string) => boolean;
  readonly retryReads?: boolean;
  readonly retryWrites?: boolean;
  readonly maxAdaptiveRetries?: number;
  readonly enableOverloadRetargeting?: boolean;
  readonly timeoutMS?: Millis;
  /** True for `srv` by default. */
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
  /** A function with the signature of `dns.lookup`. */
  readonly lookup?: unknown;
  readonly forceServerObjectId?: boolean;
  readonly pkFactory?: { createPk(): unknown };
  readonly monitorCommands?: boolean;
  /** Warnings about parts of the connection string that are ignored. */
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

/**
 * Reads a string as in a connection string if the option is not a string. Environment variables provide numbers as
 * strings.
 */
const readText = ({ name, type }: OptionRow, value: unknown): unknown => {
  const read = typeof value === 'string' ? type.read([value]) : undefined;
  if (read === undefined || 'wrong' in read || 'deprecated' in read)
    throw new MongoError('usage', `The option '${name}' must be ${type.expects}.`);
  return read.value;
};

/** Checks options given in code, and returns them under the names of the option table. */
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
 * Resolves the options of a connection string and of code.
 * @param defaults values for options that are not given; without them such an option is absent, and the package that
 * uses it applies its own default
 * @throws MongoError `usage` for a malformed connection string, an unknown option (with the most similar known name),
 * an invalid value, and options that contradict each other
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

/** Checks that minPoolSize is not greater than maxPoolSize. Rule: Connection Monitoring and Pooling. */
const checkPoolSizes = ({ minPoolSize = 0, maxPoolSize = 0 }: Partial<Settings>): void => {
  if (maxPoolSize === 0 || minPoolSize <= maxPoolSize) return;
  const message = `The option 'minPoolSize' (${minPoolSize}) must not be greater than 'maxPoolSize' (${maxPoolSize}).`;
  throw new MongoError('usage', message);
};
