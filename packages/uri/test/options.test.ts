/** Every option: its name, whether connection strings accept it, its specification, its values and its default. */
import { describe, expect, test } from 'vitest';
import { optionTable, parseConnectionString, resolveSettings } from '@tessera/uri';

/** A deprecated option has its new name last. */
const options: readonly (readonly unknown[])[] = [
  ['appName', 'both', 'MongoDB Handshake', 'a string'],
  ['driverInfo', 'code', 'MongoDB Handshake', 'an object'],
  ['serverApi', 'code', 'Stable API', "'1', or { version: '1', strict, deprecationErrors }"],
  ['compressors', 'both', 'OP_COMPRESSED', 'a list of names, separated by commas'],
  ['zlibCompressionLevel', 'both', 'OP_COMPRESSED', 'a whole number from -1 to 9', -1],
  ['connectTimeoutMS', 'both', 'URI Options', 'a whole number from 0 to 2147483647'],
  ['socketTimeoutMS', 'both', 'URI Options', 'a whole number from 0 to 2147483647'],
  ['authMechanism', 'both', 'Authentication', 'a string'],
  ['authMechanismProperties', 'both', 'Authentication', 'pairs name:value, separated by commas'],
  ['authSource', 'both', 'Authentication', 'a string'],
  ['auth', 'code', 'Authentication', 'an object'],
  ['readConcernLevel', 'both', 'Read and Write Concern', 'a string'],
  ['readConcern', 'code', 'Read and Write Concern', 'a level or { level }'],
  ['w', 'both', 'Read and Write Concern', 'a whole number of at least 0, or a name such as majority'],
  ['wtimeoutMS', 'both', 'Read and Write Concern', 'a whole number from 0 to 2147483647'],
  ['wtimeout', 'both', 'Read and Write Concern', 'a whole number from 0 to 2147483647', undefined, 'wtimeoutMS'],
  ['journal', 'both', 'Read and Write Concern', 'true or false'],
  ['j', 'both', 'Read and Write Concern', 'true or false', undefined, 'journal'],
  ['fsync', 'both', 'Read and Write Concern', 'true or false', undefined, 'journal'],
  ['writeConcern', 'code', 'Read and Write Concern', 'a write concern'],
  ['maxPoolSize', 'both', 'Connection Monitoring and Pooling', 'a whole number from 0 to 2147483647'],
  ['minPoolSize', 'both', 'Connection Monitoring and Pooling', 'a whole number from 0 to 2147483647'],
  ['maxConnecting', 'both', 'Connection Monitoring and Pooling', 'a whole number from 1 to 2147483647'],
  ['maxIdleTimeMS', 'both', 'Connection Monitoring and Pooling', 'a whole number from 0 to 2147483647'],
  ['waitQueueTimeoutMS', 'both', 'Connection Monitoring and Pooling', 'a whole number from 0 to 2147483647'],
  ['replicaSet', 'both', 'Server Discovery and Monitoring', 'a string'],
  ['directConnection', 'both', 'Server Discovery and Monitoring', 'true or false'],
  ['loadBalanced', 'both', 'Load Balancers', 'true or false'],
  ['heartbeatFrequencyMS', 'both', 'Server Discovery and Monitoring', 'a whole number from 500 to 2147483647'],
  ['minHeartbeatFrequencyMS', 'both', 'Server Discovery and Monitoring', 'a whole number from 1 to 2147483647'],
  ['serverMonitoringMode', 'both', 'Server Monitoring', 'one of auto, poll, stream'],
  ['serverSelectionTimeoutMS', 'both', 'Server Selection', 'a whole number from 0 to 2147483647'],
  ['serverSelectionTryOnce', 'both', 'Server Selection', 'true or false'],
  ['localThresholdMS', 'both', 'Server Selection', 'a whole number from 0 to 2147483647'],
  ['serverSelector', 'code', 'Server Selection', 'a function'],
  [
    'readPreference',
    'both',
    'Server Selection',
    'one of primary, primaryPreferred, secondary, secondaryPreferred, nearest',
  ],
  ['readPreferenceTags', 'both', 'Server Selection', 'tag sets such as dc:ny,rack:1'],
  ['maxStalenessSeconds', 'both', 'Max Staleness', 'a whole number of at least 1, or -1 for no limit'],
  ['srvServiceName', 'both', 'Initial DNS Seedlist Discovery', 'a string', 'mongodb'],
  ['srvMaxHosts', 'both', 'Initial DNS Seedlist Discovery', 'a whole number from 0 to 2147483647', 0],
  ['srvAllowedHostsSuffix', 'both', 'Initial DNS Seedlist Discovery', 'a string'],
  ['srvHostValidator', 'code', 'Initial DNS Seedlist Discovery', 'a function'],
  ['retryReads', 'both', 'Retryable Reads', 'true or false'],
  ['retryWrites', 'both', 'Retryable Writes', 'true or false'],
  ['maxAdaptiveRetries', 'both', 'Client Backpressure', 'a whole number from 0 to 2147483647'],
  ['enableOverloadRetargeting', 'both', 'Client Backpressure', 'true or false'],
  ['timeoutMS', 'both', 'Client Side Operations Timeout', 'a whole number from 0 to 2147483647'],
  ['tls', 'both', 'URI Options', 'true or false'],
  ['ssl', 'both', 'URI Options', 'true or false', undefined, 'tls'],
  ['tlsCAFile', 'both', 'URI Options', 'a string'],
  ['tlsCertificateKeyFile', 'both', 'URI Options', 'a string'],
  ['tlsCertificateKeyFilePassword', 'both', 'URI Options', 'a string'],
  ['tlsAllowInvalidCertificates', 'both', 'URI Options', 'true or false'],
  ['tlsAllowInvalidHostnames', 'both', 'URI Options', 'true or false'],
  ['tlsInsecure', 'both', 'URI Options', 'true or false'],
  ['tlsDisableCertificateRevocationCheck', 'both', 'URI Options', 'true or false'],
  ['tlsDisableOCSPEndpointCheck', 'both', 'URI Options', 'true or false'],
  ['tlsCRLFile', 'both', 'driver', 'a string'],
  ['ca', 'code', 'driver', 'a value'],
  ['cert', 'code', 'driver', 'a value'],
  ['key', 'code', 'driver', 'a value'],
  ['pfx', 'code', 'driver', 'a value'],
  ['passphrase', 'code', 'driver', 'a value'],
  ['crl', 'code', 'driver', 'a value'],
  ['servername', 'code', 'driver', 'a value'],
  ['checkServerIdentity', 'code', 'driver', 'a value'],
  ['rejectUnauthorized', 'code', 'driver', 'a value'],
  ['secureContext', 'code', 'driver', 'a value'],
  ['secureProtocol', 'code', 'driver', 'a value'],
  ['minVersion', 'code', 'driver', 'a value'],
  ['maxVersion', 'code', 'driver', 'a value'],
  ['ciphers', 'code', 'driver', 'a value'],
  ['ecdhCurve', 'code', 'driver', 'a value'],
  ['minDHSize', 'code', 'driver', 'a value'],
  ['allowPartialTrustChain', 'code', 'driver', 'a value'],
  ['ALPNProtocols', 'code', 'driver', 'a value'],
  ['session', 'code', 'driver', 'a value'],
  ['proxyHost', 'both', 'SOCKS5 Support', 'a string'],
  ['proxyPort', 'both', 'SOCKS5 Support', 'a whole number from 1 to 65535'],
  ['proxyUsername', 'both', 'SOCKS5 Support', 'a string'],
  ['proxyPassword', 'both', 'SOCKS5 Support', 'a string'],
  ['noDelay', 'both', 'driver', 'true or false'],
  ['keepAliveInitialDelay', 'both', 'driver', 'a whole number from 0 to 2147483647'],
  ['family', 'both', 'driver', '4, 6, or 0 for both'],
  ['autoSelectFamily', 'both', 'driver', 'true or false'],
  ['autoSelectFamilyAttemptTimeout', 'both', 'driver', 'a whole number from 10 to 2147483647'],
  ['localAddress', 'both', 'driver', 'a string'],
  ['localPort', 'both', 'driver', 'a whole number from 1 to 65535'],
  ['hints', 'both', 'driver', 'a whole number from 0 to 2147483647'],
  ['lookup', 'code', 'driver', 'a function'],
  ['ignoreUndefined', 'both', 'driver', 'true or false'],
  ['serializeFunctions', 'both', 'driver', 'true or false'],
  ['checkKeys', 'both', 'driver', 'true or false'],
  ['promoteLongs', 'both', 'driver', 'true or false'],
  ['promoteValues', 'both', 'driver', 'true or false'],
  ['promoteBuffers', 'both', 'driver', 'true or false'],
  ['useBigInt64', 'both', 'driver', 'true or false'],
  ['bsonRegExp', 'both', 'driver', 'true or false'],
  ['raw', 'both', 'driver', 'true or false'],
  ['enableUtf8Validation', 'both', 'driver', 'true or false'],
  ['fieldsAsRaw', 'code', 'driver', 'an object'],
  ['forceServerObjectId', 'both', 'driver', 'true or false'],
  ['undefinedInFilters', 'both', 'driver', 'one of error, null, ignore'],
  ['mongodbLogPath', 'code', 'Logging', 'stdout, stderr, a path, or an object with write'],
  [
    'mongodbLogComponentSeverities',
    'code',
    'Logging',
    'severities of components, each one of off, emergency, alert, critical, error, warn, notice, info, debug, trace',
  ],
  ['mongodbLogMaxDocumentLength', 'code', 'Logging', 'a whole number from 0 to 2147483647'],
  ['dbName', 'code', 'driver', 'a string'],
  ['pkFactory', 'code', 'driver', 'an object'],
  ['detectForgottenSession', 'code', 'driver', 'one of off, warn, fail'],
  ['parallelTransactionOperations', 'code', 'driver', 'one of queue, fail'],
  ['warnOnUnknownOptions', 'code', 'driver', 'true or false'],
  ['monitorCommands', 'both', 'driver', 'true or false'],
  ['__skipPingOnConnect', 'code', 'driver', 'true or false'],
  ['runtime', 'code', 'driver', 'an object'],
  ['parts', 'code', 'driver', 'an object'],
];

test('URI Options: every option has its specification, values and default', () => {
  const told = optionTable.map(({ name, code, rule, type, default: value, renamed }) => {
    const row = [name, code === true ? 'code' : 'both', rule, type.expects, value, renamed];
    return row.slice(0, row.findLastIndex(part => part !== undefined) + 1);
  });
  expect(told).toEqual(options);
});

/** Returns the value of an option in a connection string. Undefined if it is ignored with a warning. */
const read = (option: string, text: string): unknown =>
  Object.values(parseConnectionString(`mongodb://a/?${option}=${text}`).options)[0];

/** Whether code may give this value. */
const accepts = (option: string, value: unknown): boolean => {
  try {
    resolveSettings('mongodb+srv://a.b.c/?tls=true&proxyHost=p', { [option]: value });
    return true;
  } catch {
    return false;
  }
};

describe('URI Options: values in a connection string', () => {
  test.each<readonly [option: string, values: Readonly<Record<string, unknown>>]>([
    [
      'retryReads',
      {
        ...{ true: true, 1: true, yes: true, y: true, t: true },
        ...{ false: false, 0: false, '-1': false, no: false, n: false, f: false },
        ...{ TRUE: undefined, on: undefined, 2: undefined, '': undefined, '%zz': undefined },
      },
    ],
    [
      'maxPoolSize',
      {
        ...{ 0: 0, 12: 12, '+5': 5, 2147483647: 2_147_483_647 },
        ...{ '-1': undefined, 2147483648: undefined, 1.5: undefined, '5x': undefined, x5: undefined, '': undefined },
      },
    ],
    ['zlibCompressionLevel', { '-1': -1, 9: 9, '-2': undefined, 10: undefined }],
    ['heartbeatFrequencyMS', { 500: 500, 499: undefined }],
    ['maxConnecting', { 1: 1, 0: undefined }],
    ['proxyPort', { 0: undefined, 65536: undefined }],
    ['localPort', { 1: 1, 65535: 65_535, 0: undefined, 65536: undefined }],
    ['autoSelectFamilyAttemptTimeout', { 10: 10, 9: undefined }],
    ['maxStalenessSeconds', { '-1': -1, 0: 0, 90: 90, '-2': undefined, 1.5: undefined }],
    ['family', { 0: 0, 4: 4, 6: 6, 5: undefined, '': undefined }],
    ['appName', { 'a%20b': 'a b', '': undefined, '%zz': undefined }],
    ['serverMonitoringMode', { poll: 'poll', stream: 'stream', auto: 'auto', Poll: undefined }],
    ['w', { 0: 0, '+2': 2, majority: 'majority', '1a': '1a', a1: 'a1', '-1': undefined, '': undefined }],
    [
      'compressors',
      { zlib: ['zlib'], 'zlib,,snappy': ['zlib', 'snappy'], 'a%62': ['ab'], ',': undefined, '%zz': undefined },
    ],
    [
      'authMechanismProperties',
      {
        'A:b,C:d%20e': { A: 'b', C: 'd e' },
        'A:': { A: '' },
        ...{ '': undefined, ':b': undefined, A: undefined, 'A:b%2cC:d': undefined, 'A:b%2CC:d': undefined },
        ...{ 'A:%zz': undefined, '%zz:a': undefined },
      },
    ],
    ['readPreferenceTags', { 'dc:ny,rack:1': [{ dc: 'ny', rack: '1' }], '': [{}], dc: undefined }],
  ])('%s', (option, values) => {
    expect(Object.fromEntries(Object.keys(values).map(text => [text, read(option, text)]))).toEqual(values);
  });

  test('deprecated words for true and false produce a warning with the replacement', () => {
    expect(parseConnectionString('mongodb://a/?retryReads=yes&retryWrites=0').warnings).toEqual([
      "The value of 'retryReads' is deprecated: write true instead of yes.",
      "The value of 'retryWrites' is deprecated: write false instead of 0.",
    ]);
  });

  test.each(optionTable.filter(({ code }) => code === true).map(({ name }) => name))(
    '%s is valid only in code, not in a connection string',
    name => {
      const { options: given, warnings } = parseConnectionString(`mongodb://a/?${name}=1`);
      expect(given).toEqual({});
      expect(warnings).toEqual([expect.stringMatching(`^There is no option '${name}'`)]);
    },
  );
});

describe('URI Options: values in code', () => {
  const write = { write: () => undefined };
  test.each<readonly [option: string, right: readonly unknown[], wrong: readonly unknown[]]>([
    ['retryReads', [true, false], [1, 'yes']],
    ['maxPoolSize', [0, 5, '5'], [-1, 1.5, NaN, 2 ** 31, true, {}]],
    ['appName', ['a'], [1, {}]],
    ['w', [0, 2, 'majority'], [-1, 1.5, true, {}, '']],
    ['compressors', [[], ['zlib'], 'zlib,snappy'], [[1], ['zlib', 1], 5, {}]],
    ['authMechanismProperties', [{}, { A: 1 }], [1, 'A']],
    ['readPreferenceTags', [[], [{ dc: 'ny' }]], [{}, 1]],
    ['readPreference', ['primary', 'nearest', { mode: 'primary' }], ['first', 1]],
    ['serverMonitoringMode', ['poll'], ['fast', 1]],
    ['maxStalenessSeconds', [-1, 0, 90], [-2, 1.5, 'x']],
    ['family', [0, 4, 6], [5, '5', true]],
    ['serverSelector', [() => []], [{}, 'f']],
    ['pkFactory', [{}], [1, 'x', () => 1]],
    ['readConcern', ['local', {}], [1, true]],
    ['writeConcern', [{ w: 1 }, 'majority', 1], []],
    [
      'serverApi',
      [
        '1',
        { version: '1' },
        { version: '1', strict: true, deprecationErrors: false },
        { version: '1', strict: undefined },
      ],
      ['2', 1, {}, { version: '2' }, { version: '1', strict: 1 }, { version: '1', deprecationErrors: 'no' }],
    ],
    ['mongodbLogPath', ['stdout', '/var/log/x', write], [1, {}, { write: 1 }]],
    [
      'mongodbLogComponentSeverities',
      [{}, { default: 'off' }, { command: 'debug', topology: undefined }],
      [{ default: 'loud' }, { command: 'debug', topology: 1 }, 'debug', 1],
    ],
    ['detectForgottenSession', ['off', 'warn', 'fail'], ['maybe']],
    ['parallelTransactionOperations', ['queue', 'fail'], ['both']],
    ['checkServerIdentity', [() => undefined, 1], []],
  ])('%s', (option, right, wrong) => {
    expect(right.filter(value => !accepts(option, value))).toEqual([]);
    expect(wrong.filter(value => accepts(option, value))).toEqual([]);
  });

  test('null is not an object', () => {
    const objects = optionTable.filter(({ type }) => type.expects === 'an object');
    expect(objects.filter(({ type }) => type.accepts(null))).toEqual([]);
  });

  test('the error names the option and its valid values', () => {
    expect(() => resolveSettings('mongodb://a', { serverApi: { version: '1', strict: 1 } })).toThrow(
      "The option 'serverApi' must be '1', or { version: '1', strict, deprecationErrors }.",
    );
    expect(() => resolveSettings('mongodb://a', { compressors: [1] })).toThrow(
      "The option 'compressors' must be a list of names, separated by commas.",
    );
  });
});
