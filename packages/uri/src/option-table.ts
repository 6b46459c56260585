import { nativeTls } from '@tessera/contracts';
import {
  anything,
  boolean,
  callback,
  given,
  integer,
  list,
  members,
  object,
  oneOf,
  properties,
  staleness,
  tagSets,
  text,
  textOrNothing,
} from './option-types.js';
import type { OptionType } from './option-types.js';

/** One option: its name, its type, and the specification that defines it. */
export interface OptionRow {
  /** The name of the option in a connection string. */
  readonly name: string;
  /** How its value is read and checked. */
  readonly type: OptionType;
  /** The default. Undefined if the setting is then absent, because the package that reads it has the default. */
  readonly default?: unknown;
  /** The specification that defines the option, or `driver` for an option of this driver. */
  readonly rule: string;
  /** For a deprecated name: the option that replaces it. */
  readonly renamed?: string;
  /** Whether the option is allowed only in code, not in connection strings. */
  readonly code?: true;
}

const row = (name: string, type: OptionType, rule: string, value?: unknown): OptionRow => ({
  name,
  type,
  rule,
  ...(value === undefined ? {} : { default: value }),
});
const code = (name: string, type: OptionType, rule: string, value?: unknown): OptionRow => ({
  ...row(name, type, rule, value),
  code: true,
});
const renamed = (name: string, to: string, type: OptionType, rule: string): OptionRow => ({
  ...row(name, type, rule),
  renamed: to,
});

const milliseconds = integer(0);
const modes = oneOf('primary', 'primaryPreferred', 'secondary', 'secondaryPreferred', 'nearest');
const readPreference: OptionType = { ...modes, accepts: value => modes.accepts(value) || object.accepts(value) };

/** 0 means both. */
const families: OptionType = {
  ...integer(0, 6),
  expects: '4, 6, or 0 for both',
  accepts: value => value === 0 || value === 4 || value === 6,
  read: ([digit]) =>
    digit === '0' || digit === '4' || digit === '6' ? { value: Number(digit) } : { wrong: '4, 6, or 0 for both' },
};

const writable = (value: unknown): boolean =>
  typeof (value as { readonly write?: unknown } | null | undefined)?.write === 'function';
const severities = oneOf('off', 'emergency', 'alert', 'critical', 'error', 'warn', 'notice', 'info', 'debug', 'trace');
const isSeverity = (value: unknown): boolean => value === undefined || severities.accepts(value);

const isFlag = (value: unknown): boolean => value === undefined || typeof value === 'boolean';

/**
 * Whether the value is a valid server API. Only version 1 exists. In a connection string, strictness cannot be set,
 * just like the version.
 */
const isServerApi = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return value === '1';
  const { version, strict, deprecationErrors } = value as Readonly<Record<string, unknown>>;
  return version === '1' && isFlag(strict) && isFlag(deprecationErrors);
};

/** All options. */
export const optionTable: readonly OptionRow[] = [
  // Handshake
  row('appName', text, 'MongoDB Handshake'),
  code('driverInfo', object, 'MongoDB Handshake'),
  code('serverApi', given("'1', or { version: '1', strict, deprecationErrors }", isServerApi), 'Stable API'),
  row('compressors', list, 'OP_COMPRESSED'),
  row('zlibCompressionLevel', integer(-1, 9), 'OP_COMPRESSED', -1),
  row('connectTimeoutMS', milliseconds, 'URI Options'),
  row('socketTimeoutMS', milliseconds, 'URI Options'),
  // Authentication
  row('authMechanism', text, 'Authentication'),
  row('authMechanismProperties', properties, 'Authentication'),
  row('authSource', text, 'Authentication'),
  code('auth', object, 'Authentication'),
  // Concerns
  row('readConcernLevel', text, 'Read and Write Concern'),
  code(
    'readConcern',
    given('a level or { level }', value => typeof value === 'string' || typeof value === 'object'),
    'Read and Write Concern',
  ),
  row('w', members, 'Read and Write Concern'),
  row('wtimeoutMS', milliseconds, 'Read and Write Concern'),
  renamed('wtimeout', 'wtimeoutMS', milliseconds, 'Read and Write Concern'),
  row('journal', boolean, 'Read and Write Concern'),
  renamed('j', 'journal', boolean, 'Read and Write Concern'),
  renamed('fsync', 'journal', boolean, 'Read and Write Concern'),
  code(
    'writeConcern',
    given('a write concern', value => value !== null),
    'Read and Write Concern',
  ),
  // Pool
  row('maxPoolSize', integer(0), 'Connection Monitoring and Pooling'),
  row('minPoolSize', integer(0), 'Connection Monitoring and Pooling'),
  row('maxConnecting', integer(1), 'Connection Monitoring and Pooling'),
  row('maxIdleTimeMS', milliseconds, 'Connection Monitoring and Pooling'),
  row('waitQueueTimeoutMS', milliseconds, 'Connection Monitoring and Pooling'),
  // Discovery and selection
  row('replicaSet', text, 'Server Discovery and Monitoring'),
  row('directConnection', boolean, 'Server Discovery and Monitoring'),
  row('loadBalanced', boolean, 'Load Balancers'),
  row('heartbeatFrequencyMS', integer(500), 'Server Discovery and Monitoring'),
  row('minHeartbeatFrequencyMS', integer(1), 'Server Discovery and Monitoring'),
  row('serverMonitoringMode', oneOf('auto', 'poll', 'stream'), 'Server Monitoring'),
  row('serverSelectionTimeoutMS', milliseconds, 'Server Selection'),
  row('serverSelectionTryOnce', boolean, 'Server Selection'),
  row('localThresholdMS', milliseconds, 'Server Selection'),
  code('serverSelector', callback, 'Server Selection'),
  row('readPreference', readPreference, 'Server Selection'),
  row('readPreferenceTags', tagSets, 'Server Selection'),
  row('maxStalenessSeconds', staleness, 'Max Staleness'),
  // SRV
  row('srvServiceName', text, 'Initial DNS Seedlist Discovery', 'mongodb'),
  row('srvMaxHosts', integer(0), 'Initial DNS Seedlist Discovery', 0),
  row('srvAllowedHostsSuffix', text, 'Initial DNS Seedlist Discovery'),
  code('srvHostValidator', callback, 'Initial DNS Seedlist Discovery'),
  // Retrying
  row('retryReads', boolean, 'Retryable Reads'),
  row('retryWrites', boolean, 'Retryable Writes'),
  row('maxAdaptiveRetries', integer(0), 'Client Backpressure'),
  row('enableOverloadRetargeting', boolean, 'Client Backpressure'),
  row('timeoutMS', milliseconds, 'Client Side Operations Timeout'),
  // TLS
  row('tls', boolean, 'URI Options'),
  renamed('ssl', 'tls', boolean, 'URI Options'),
  row('tlsCAFile', text, 'URI Options'),
  row('tlsCertificateKeyFile', text, 'URI Options'),
  row('tlsCertificateKeyFilePassword', text, 'URI Options'),
  row('tlsAllowInvalidCertificates', boolean, 'URI Options'),
  row('tlsAllowInvalidHostnames', boolean, 'URI Options'),
  row('tlsInsecure', boolean, 'URI Options'),
  row('tlsDisableCertificateRevocationCheck', boolean, 'URI Options'),
  row('tlsDisableOCSPEndpointCheck', boolean, 'URI Options'),
  row('tlsCRLFile', text, 'driver'),
  ...nativeTls.map(name => code(name, anything, 'driver')),
  // SOCKS5
  row('proxyHost', text, 'SOCKS5 Support'),
  row('proxyPort', integer(1, 65_535), 'SOCKS5 Support'),
  row('proxyUsername', textOrNothing, 'SOCKS5 Support'),
  row('proxyPassword', textOrNothing, 'SOCKS5 Support'),
  // TCP
  row('noDelay', boolean, 'driver'),
  row('keepAliveInitialDelay', milliseconds, 'driver'),
  row('family', families, 'driver'),
  row('autoSelectFamily', boolean, 'driver'),
  row('autoSelectFamilyAttemptTimeout', integer(10), 'driver'),
  row('localAddress', text, 'driver'),
  row('localPort', integer(1, 65_535), 'driver'),
  row('hints', integer(0), 'driver'),
  code('lookup', callback, 'driver'),
  // Documents
  row('ignoreUndefined', boolean, 'driver'),
  row('serializeFunctions', boolean, 'driver'),
  row('checkKeys', boolean, 'driver'),
  row('promoteLongs', boolean, 'driver'),
  row('promoteValues', boolean, 'driver'),
  row('promoteBuffers', boolean, 'driver'),
  row('useBigInt64', boolean, 'driver'),
  row('bsonRegExp', boolean, 'driver'),
  row('raw', boolean, 'driver'),
  row('enableUtf8Validation', boolean, 'driver'),
  code('fieldsAsRaw', object, 'driver'),
  row('forceServerObjectId', boolean, 'driver'),
  row('undefinedInFilters', oneOf('error', 'null', 'ignore'), 'driver'),
  // Log
  code(
    'mongodbLogPath',
    given('stdout, stderr, a path, or an object with write', value => text.accepts(value) || writable(value)),
    'Logging',
  ),
  code(
    'mongodbLogComponentSeverities',
    given(
      `severities of components, each ${severities.expects}`,
      value => object.accepts(value) && Object.values(value as object).every(isSeverity),
    ),
    'Logging',
  ),
  code('mongodbLogMaxDocumentLength', integer(0), 'Logging'),
  // Client
  code('dbName', text, 'driver'),
  code('pkFactory', object, 'driver'),
  code('detectForgottenSession', oneOf('off', 'warn', 'fail'), 'driver'),
  code('parallelTransactionOperations', oneOf('queue', 'fail'), 'driver'),
  code('warnOnUnknownOptions', boolean, 'driver'),
  row('monitorCommands', boolean, 'driver'),
  // The shell of MongoDB sets this option. It has no effect.
  code('__skipPingOnConnect', boolean, 'driver'),
  code('runtime', object, 'driver'),
  code('parts', object, 'driver'),
];
