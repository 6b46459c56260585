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
  /** Whether the connection string begins with `mongodb+srv://`. */
  readonly srv: boolean;
  /** At least one address. For `srv`, first the name of the SRV records, which `resolveSrv` replaces by the hosts. */
  readonly hosts: readonly Address[];
  /** For `srv`, the name whose SRV records are queried. */
  readonly srvHost: string | undefined;
  /** How long the SRV records are valid, if the resolver reports it. */
  readonly seedsTimeToLive?: Millis | undefined;
  /** The names of the options that were given. All others have their defaults. */
  readonly given: readonly string[];
  /** The user name. Undefined without authentication. */
  readonly username: string | undefined;
  /** The password. Not enumerable, so that printing the settings does not reveal it. */
  readonly password: string | undefined;
  /** The database name: the option, or the database of the connection string, or `test`. */
  readonly dbName: string;
  /**
   * The database of the option or the connection string, if any. It is the authentication source unless authSource is
   * given.
   */
  readonly defaultauthdb: string | undefined;
  /** The name of the application, for the server's logs. At most 128 bytes. */
  readonly appName?: string;
  /** Libraries built on the driver, innermost first. New connections also send entries that are appended later. */
  readonly driverInfo: DriverInfo[];
  /** The Stable API version that every command declares. */
  readonly serverApi?: '1' | { readonly version: '1'; readonly strict?: boolean; readonly deprecationErrors?: boolean };
  /** The compressors to offer to servers, in order of preference: `snappy`, `zlib`, `zstd`. */
  readonly compressors?: readonly string[];
  /** The compression level of zlib, from 0 to 9. */
  readonly zlibCompressionLevel: number;
  /** The time in milliseconds to establish a connection, including TLS, hello and authentication. */
  readonly connectTimeoutMS?: Millis;
  /** The time in milliseconds that an operation without `timeoutMS` waits for a reply. */
  readonly socketTimeoutMS?: Millis;
  /** The authentication mechanism. */
  readonly authMechanism?: string;
  /** Options of the authentication mechanism, such as `SERVICE_NAME`. */
  readonly authMechanismProperties?: Readonly<Record<string, unknown>>;
  /** The database in which the user is defined. */
  readonly authSource?: string;
  /** The level of the read concern, such as `majority`. */
  readonly readConcernLevel?: string;
  /** The read concern. */
  readonly readConcern?: string | { readonly level?: string };
  /** The `w` of the write concern: a number of members, or a name such as `majority`. */
  readonly w?: number | string;
  /** The time in milliseconds that the server waits until the write concern is satisfied. */
  readonly wtimeoutMS?: Millis;
  /** The `j` of the write concern: whether a write must be in the journal on disk before it is acknowledged. */
  readonly journal?: boolean;
  /** The write concern. */
  readonly writeConcern?: unknown;
  /** The maximum number of connections per server. 0 means no limit. */
  readonly maxPoolSize?: number;
  /** The minimum number of connections per server that the pool keeps open. */
  readonly minPoolSize?: number;
  /** The maximum number of connections per server that are established at the same time. */
  readonly maxConnecting?: number;
  /** The time in milliseconds after which an idle connection is closed. */
  readonly maxIdleTimeMS?: Millis;
  /** The time in milliseconds that an operation without `timeoutMS` waits for a connection of the pool. */
  readonly waitQueueTimeoutMS?: Millis;
  /** The name of the replica set. Members of another set are ignored. */
  readonly replicaSet?: string;
  /** Connects only to the given host, even if it is a replica set member. */
  readonly directConnection?: boolean;
  /** Connects to a load balancer, which is not monitored. */
  readonly loadBalanced?: boolean;
  /** The time in milliseconds between two checks of a server. */
  readonly heartbeatFrequencyMS?: Millis;
  /** The minimum time in milliseconds between two checks of a server. */
  readonly minHeartbeatFrequencyMS?: Millis;
  /**
   * The monitoring protocol. `stream`: servers send their state when it changes. `poll`: the client checks servers
   * periodically. `auto`: `poll` in a function service such as AWS Lambda, else `stream`.
   */
  readonly serverMonitoringMode?: 'auto' | 'poll' | 'stream';
  /** The time in milliseconds to wait for a suitable server. */
  readonly serverSelectionTimeoutMS?: Millis;
  /**
   * The size of the latency window in milliseconds. A server is selected only if its round-trip time exceeds that of
   * the nearest suitable server by at most this value.
   */
  readonly localThresholdMS?: Millis;
  /**
   * Returns the suitable servers that operations may use. Called for each operation before the latency window is
   * applied. Must not throw.
   */
  readonly serverSelector?: ServerSelector;
  /** The read preference: the servers that reads use. */
  readonly readPreference?: ReadPreferenceMode | Selection;
  /** Tag sets of the read preference, in order of preference. */
  readonly readPreferenceTags?: readonly TagSet[];
  /** The maximum replication lag in seconds of a secondary that serves reads. */
  readonly maxStalenessSeconds?: number;
  /** The service name in SRV records. */
  readonly srvServiceName: string;
  /** The maximum number of hosts from SRV records. */
  readonly srvMaxHosts: number;
  /** The suffix that hosts in SRV records must have, instead of the domain of the SRV name. */
  readonly srvAllowedHostsSuffix?: string;
  /** Checks each host in SRV records, in lower case, instead of the rule that it must be in the same domain. */
  readonly srvHostValidator?: (host: string) => boolean;
  /** Retries a read after a retryable error, such as a network error or an election: once, or until `timeoutMS`. */
  readonly retryReads?: boolean;
  /**
   * Retries a write after a retryable error: once, or until `timeoutMS`. Writes of several documents in one statement,
   * such as updateMany, are not retried.
   */
  readonly retryWrites?: boolean;
  /**
   * The maximum number of retries after an overload error, which has the label `SystemOverloadedError`. The backoff
   * between retries increases. 0 disables these retries.
   */
  readonly maxAdaptiveRetries?: number;
  /** Prefers another server for a retry after an overload error. Sharded clusters always do. */
  readonly enableOverloadRetargeting?: boolean;
  /**
   * The timeout in milliseconds of a whole operation: server selection, checkout, connection and all attempts. 0 means
   * no limit.
   */
  readonly timeoutMS?: Millis;
  /** True for `srv` by default. */
  readonly tls?: boolean;
  /** The path of a PEM file with certificates of trusted authorities. */
  readonly tlsCAFile?: string;
  /** The path of a PEM file with the client's certificate and key. */
  readonly tlsCertificateKeyFile?: string;
  /** The password of the key in `tlsCertificateKeyFile`. */
  readonly tlsCertificateKeyFilePassword?: string;
  /** The path of a PEM file with certificate revocation lists. */
  readonly tlsCRLFile?: string;
  /** Accepts a server certificate that fails validation, such as an expired one. */
  readonly tlsAllowInvalidCertificates?: boolean;
  /** Accepts a server certificate that was issued for another host name. */
  readonly tlsAllowInvalidHostnames?: boolean;
  /** Sets both `tlsAllowInvalidCertificates` and `tlsAllowInvalidHostnames`. */
  readonly tlsInsecure?: boolean;
  /** The host of a SOCKS5 proxy, which resolves the host names of servers. */
  readonly proxyHost?: string;
  /** The port of the proxy. */
  readonly proxyPort?: number;
  /** The user name for the proxy. Requires `proxyHost`. */
  readonly proxyUsername?: string;
  /** The password for the proxy. */
  readonly proxyPassword?: string;
  /** Disables Nagle's algorithm, so that small packets are sent at once. */
  readonly noDelay?: boolean;
  /** The time in milliseconds before the first TCP keep-alive probe. */
  readonly keepAliveInitialDelay?: Millis;
  /** The IP version: 4, 6, or 0 for both. */
  readonly family?: 0 | 4 | 6;
  /** Tries the IPv6 and IPv4 addresses of a host in turn until one connects. */
  readonly autoSelectFamily?: boolean;
  /** The time in milliseconds for each address with `autoSelectFamily`. At least 10. */
  readonly autoSelectFamilyAttemptTimeout?: Millis;
  /** The local IP address from which connections are opened. */
  readonly localAddress?: string;
  /** The local port from which connections are opened. It allows only one connection at a time. */
  readonly localPort?: number;
  /** The flags of `dns.lookup`, such as `dns.ADDRCONFIG`. */
  readonly hints?: number;
  /** A function with the signature of `dns.lookup`. */
  readonly lookup?: unknown;
  /** Lets the server generate the `_id` of inserted documents. */
  readonly forceServerObjectId?: boolean;
  /** The treatment of undefined values in filters. */
  readonly undefinedInFilters?: 'error' | 'null' | 'ignore';
  /** Generates the `_id` of inserted documents that have none. */
  readonly pkFactory?: { createPk(): unknown };
  /** Warns of unknown options of operations. Default: in a development environment. */
  readonly warnOnUnknownOptions?: boolean;
  /** Has no effect: command events are emitted whenever there are listeners. For compatibility. */
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
