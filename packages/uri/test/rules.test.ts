/** Rules between options, and the messages of their errors. */
import { describe, expect, test } from 'vitest';
import { parseConnectionString, resolveSettings } from '@tessera/uri';

const problem = (run: () => unknown): string | undefined => {
  try {
    run();
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ kind: 'usage' });
    return (error as Error).message;
  }
};
const ofUri = (uri: string): string | undefined => problem(() => parseConnectionString(uri));
const ofCode = (uri: string, options: object, defaults = {}): string | undefined =>
  problem(() => resolveSettings(uri, { ...options }, defaults));

describe('URI Options: options that contradict each other', () => {
  test.each([
    ['tlsInsecure', 'tlsAllowInvalidCertificates'],
    ['tlsInsecure', 'tlsAllowInvalidHostnames'],
    ['tlsInsecure', 'tlsDisableOCSPEndpointCheck'],
    ['tlsInsecure', 'tlsDisableCertificateRevocationCheck'],
    ['tlsAllowInvalidCertificates', 'tlsDisableOCSPEndpointCheck'],
    ['tlsAllowInvalidCertificates', 'tlsDisableCertificateRevocationCheck'],
    ['tlsDisableOCSPEndpointCheck', 'tlsDisableCertificateRevocationCheck'],
  ])('%s and %s, with any values', (one, other) => {
    const sentence = `The options '${one}' and '${other}' contradict each other. Give only one of them.`;
    expect(ofUri(`mongodb://a/?tls=true&${one}=true&${other}=false`)).toBe(sentence);
    expect(ofCode('mongodb://a/?tls=true', { [one]: false, [other]: true })).toBe(sentence);
    expect(ofUri(`mongodb://a/?tls=true&${one}=true`)).toBeUndefined();
  });

  test('tls and ssl with different values, in any case of the keys', () => {
    const sentence = "The options 'tls' and 'ssl' mean the same, but their values differ. Give only 'tls'.";
    expect(ofUri('mongodb://a/?TLS=true&ssl=false')).toBe(sentence);
    expect(ofUri('mongodb://a/?tls=true&tls=false')).toBe(sentence);
    for (const name of ['tls', 'ssl'])
      expect(parseConnectionString(`mongodb://a/?${name}=true&${name}=true`).warnings).toEqual([]);
    expect(parseConnectionString('mongodb://a/?ssl=true&tls=true')).toMatchObject({
      ...{ options: { tls: true }, warnings: [] },
    });
  });

  test('SOCKS5 Support: an option without proxyHost, a repeated option, a user name without a password', () => {
    for (const name of ['proxyPort', 'proxyUsername', 'proxyPassword'])
      expect(ofUri(`mongodb://a/?${name}=1`)).toBe(`The option '${name}' requires the option 'proxyHost'.`);
    for (const name of ['proxyHost', 'proxyPort', 'proxyUsername', 'proxyPassword'])
      expect(ofUri(`mongodb://a/?proxyHost=p&${name}=1&${name}=2`)).toBe(
        `The option '${name}' may be given only once.`,
      );
    const sentence = "The options 'proxyUsername' and 'proxyPassword' require each other. Give both or neither.";
    expect(ofUri('mongodb://a/?proxyHost=p&proxyUsername=u')).toBe(sentence);
    expect(ofUri('mongodb://a/?proxyHost=p&proxyPassword=u')).toBe(sentence);
    expect(ofUri('mongodb://a/?proxyHost=p&proxyPort=1080&proxyUsername=u&proxyPassword=p')).toBeUndefined();
  });

  test('directConnection=true with several servers', () => {
    const sentence =
      "The option 'directConnection=true' requires a single server, but the connection string may name several.";
    expect(ofUri('mongodb://a,b/?directConnection=true')).toBe(sentence);
    expect(ofUri('mongodb+srv://a.b.c/?directConnection=true')).toBe(sentence);
    expect(ofUri('mongodb://a/?directConnection=true')).toBeUndefined();
    expect(ofUri('mongodb://a,b/?directConnection=false')).toBeUndefined();
  });

  test('loadBalanced=true with several hosts, a replica set or a direct connection', () => {
    expect(ofUri('mongodb://a,b/?loadBalanced=true')).toBe(
      "The option 'loadBalanced=true' requires a single load balancer, but the connection string has several hosts.",
    );
    expect(ofUri('mongodb://a/?loadBalanced=true&replicaSet=rs')).toBe(
      "The option 'loadBalanced=true' cannot be combined with 'replicaSet'.",
    );
    expect(ofUri('mongodb://a/?loadBalanced=true&directConnection=true')).toBe(
      "The option 'loadBalanced=true' cannot be combined with 'directConnection'.",
    );
    expect(ofUri('mongodb://a/?loadBalanced=true&directConnection=false')).toBeUndefined();
    expect(ofUri('mongodb://a,b/?loadBalanced=false&replicaSet=rs')).toBeUndefined();
  });

  test('Initial DNS Seedlist Discovery: options of mongodb+srv in a mongodb connection string', () => {
    for (const [name, value] of [
      ['srvServiceName', 'x'],
      ['srvMaxHosts', 1],
      ['srvAllowedHostsSuffix', '.b.c'],
      ['srvHostValidator', () => true],
    ] as const)
      expect(ofCode('mongodb://a', { [name]: value })).toBe(
        `The option '${name}' is valid only in connection strings that begin with mongodb+srv://.`,
      );
  });

  test('Initial DNS Seedlist Discovery: srvMaxHosts greater than 0 with a replica set or a load balancer', () => {
    expect(ofUri('mongodb+srv://a.b.c/?srvMaxHosts=1&replicaSet=rs')).toBe(
      "The option 'srvMaxHosts' cannot be combined with 'replicaSet'.",
    );
    expect(ofUri('mongodb+srv://a.b.c/?srvMaxHosts=1&loadBalanced=true')).toBe(
      "The option 'srvMaxHosts' cannot be combined with 'loadBalanced=true'.",
    );
    expect(ofUri('mongodb+srv://a.b.c/?srvMaxHosts=0&replicaSet=rs')).toBeUndefined();
    expect(ofUri('mongodb+srv://a.b.c/?srvMaxHosts=0&loadBalanced=true')).toBeUndefined();
    expect(ofUri('mongodb+srv://a.b.c/?srvMaxHosts=1&loadBalanced=false')).toBeUndefined();
  });

  test('minPoolSize greater than maxPoolSize, also if one of them is the default, but not if there is no limit', () => {
    const defaults = { maxPoolSize: 100 };
    expect(ofCode('mongodb://a', { minPoolSize: 101 }, defaults)).toBe(
      "The option 'minPoolSize' (101) must not be greater than 'maxPoolSize' (100).",
    );
    expect(ofCode('mongodb://a', { minPoolSize: 100 }, defaults)).toBeUndefined();
    expect(ofCode('mongodb://a', { minPoolSize: 5, maxPoolSize: 4 }, defaults)).toContain("'minPoolSize' (5)");
    expect(ofCode('mongodb://a', { minPoolSize: 200, maxPoolSize: 0 }, defaults)).toBeUndefined();
  });
});

describe('TLS options without TLS', () => {
  test('every TLS option requires TLS, unless the option is false or TLS is turned off', () => {
    for (const name of ['tlsInsecure', 'tlsAllowInvalidCertificates', 'tlsDisableOCSPEndpointCheck'])
      expect(ofCode('mongodb://a', { [name]: true })).toBe(
        `The option '${name}' requires TLS. Add tls=true, or tls=false to ignore the option.`,
      );
    for (const name of [
      ...['cert', 'key', 'pfx', 'passphrase', 'crl', 'servername', 'checkServerIdentity', 'rejectUnauthorized'],
      ...['secureContext', 'secureProtocol', 'minVersion', 'maxVersion', 'ciphers', 'ecdhCurve', 'minDHSize'],
    ]) {
      expect(ofCode('mongodb://a', { [name]: 'x' })).toContain(`The option '${name}' requires TLS`);
      expect(ofCode('mongodb://a', { [name]: 'x', tls: false })).toBeUndefined();
    }
    // MongoDB's shell sets them for every connection.
    expect(ofCode('mongodb://a', { ca: 'x', allowPartialTrustChain: true })).toBeUndefined();
    expect(ofCode('mongodb://a', { tlsInsecure: false, rejectUnauthorized: false })).toBeUndefined();
    expect(ofCode('mongodb://a', { appName: 'tls' })).toBeUndefined();
  });
});

describe('Connection String: suggestions for unknown names', () => {
  const hint = (name: string): string | undefined => ofCode('mongodb://a', { [name]: 1 });
  test.each([
    ['retryWrite', 'retryWrites'],
    ['retrryWrites', 'retryWrites'],
    ['rteryWrites', 'retryWrites'],
    ['retryWritse', 'retryWrites'],
    ['RETRYWRITTES', 'retryWrites'],
    ['jj', 'j'],
    ['tsl', 'tls'],
    ['maxpoolsiz', 'maxPoolSize'],
    ['axPoolSzie', 'maxPoolSize'],
  ])('%s suggests %s', (name, meant) => {
    expect(hint(name)).toBe(`There is no option '${name}'; did you mean '${meant}'?`);
  });

  test('suggests nothing for a name that resembles no option', () => {
    for (const name of ['zzz', 'qqqqqq', 'maxNothingAtAll']) expect(hint(name)).toBe(`There is no option '${name}'.`);
  });

  test('an option of an older driver is rejected with what to do instead', () => {
    expect(hint('poolSize')).toBe("There is no option 'poolSize': use maxPoolSize.");
    expect(hint('useNewUrlParser')).toBe(
      "There is no option 'useNewUrlParser': it has had no effect since version 4 of npm mongodb; remove it.",
    );
    expect(hint('sslvalidate')).toBe(
      "There is no option 'sslvalidate': use tlsAllowInvalidCertificates, which has the opposite meaning.",
    );
    expect(hint('autoEncryption')).toBe(
      "There is no option 'autoEncryption': client-side encryption is not supported yet; for encrypted collections, use npm mongodb with mongodb-client-encryption.",
    );
  });

  test('a warning ends with one punctuation mark, and options valid only in code are not suggested', () => {
    expect(parseConnectionString('mongodb://a/?zzz=1&retryWrite=true&pkFactori=1').warnings).toEqual([
      "There is no option 'zzz'.",
      "There is no option 'retryWrite'; did you mean 'retryWrites'?",
      "There is no option 'pkFactori'.",
    ]);
  });
});

describe('Connection String: deprecated names', () => {
  test('are ignored with a warning if the new name is also given, also in strict mode', () => {
    const uri = 'mongodb://a/?j=false&JOURNAL=true&wtimeout=1&wtimeoutms=2';
    for (const strict of [false, true])
      expect(parseConnectionString(uri, { strict })).toMatchObject({
        options: { journal: true, wtimeoutMS: 2 },
        warnings: [
          "The deprecated option 'j' is ignored because 'journal' is also given.",
          "The deprecated option 'wtimeout' is ignored because 'wtimeoutMS' is also given.",
        ],
      });
  });

  test('repeated keys and old words for true and false are allowed in strict mode', () => {
    const { options, warnings } = parseConnectionString('mongodb://a/?appName=x&appName=y&retryReads=no', {
      strict: true,
    });
    expect(options).toEqual({ appName: 'x', retryReads: false });
    expect(warnings).toEqual([
      "The option 'appName' is given 2 times; the first value counts.",
      "The value of 'retryReads' is deprecated: write false instead of no.",
    ]);
  });

  test('are accepted in code and stored under their new names', () => {
    expect(resolveSettings('mongodb://a', { ssl: true, j: true, wtimeout: 5 })).toMatchObject({
      ...{ tls: true, journal: true, wtimeoutMS: 5, given: ['tls', 'journal', 'wtimeoutMS'] },
    });
  });
});

describe('Connection String: error messages', () => {
  const slash = 'The user name or password contains an unescaped slash. Percent-encode both with encodeURIComponent.';
  const colon =
    'The user name or password contains an unescaped ":" or "@". Percent-encode both with encodeURIComponent.';
  const port = (host: string): string =>
    `The port of '${host}' must be a number from 1 to 65535. A user name and password must precede an "@" and be percent-encoded.`;
  const literal = 'A host that begins with "[" must be an IPv6 address in brackets, as in [::1]:27017.';
  const encoded = (what: string): string =>
    `The ${what} of the connection string is not percent-encoded correctly. Encode it with encodeURIComponent.`;
  const noHost =
    'The connection string has no host, or an empty one. A unix socket path must be percent-encoded (/ becomes %2F).';
  test.each<readonly [uri: string, sentence: string | undefined]>([
    ['http://a', 'A connection string must begin with mongodb:// or mongodb+srv://.'],
    ['mongodb://u:p/w@a', slash],
    ['mongodb://u:p:w@a', colon],
    ['mongodb://u@v@a', colon],
    ['mongodb://@a', 'The user name before the "@" is empty. Remove the "@", or add a user name.'],
    ['mongodb://%zz@a', encoded('user name')],
    ['mongodb://u:%zz@a', encoded('password')],
    ['mongodb://%zz', encoded('host')],
    ['mongodb://a/%zz', encoded('database')],
    ['mongodb://a/?%zz=1', encoded('option name')],
    ['mongodb://', noHost],
    ['mongodb://?tls=true', noHost],
    ['mongodb://a,,b', noHost],
    [
      'mongodb+srv://a.b.c,d.b.c',
      'A mongodb+srv connection string must have exactly one host, whose SRV records contain the servers.',
    ],
    [
      'mongodb+srv://a.b.c:27017',
      'A mongodb+srv connection string must have no port, because its SRV records contain the ports.',
    ],
    [
      'mongodb://::1',
      'The host \'\' is followed by more than one ":". Write an IPv6 address in brackets, as in [::1]:27017.',
    ],
    ['mongodb://:27017', 'A host has a port but no name.'],
    ...['a:0', 'a:65536', 'a:', 'a:x', 'a:1x', 'a:x1', 'a:-1', 'a:000001'].map(
      host => [`mongodb://${host}`, port('a')] as const,
    ),
    ['mongodb://[::1]:0', port('::1')],
    ...['[a]', '[::1', '[::1]a', '[::1]27017', '[a::1x]', '[x::1]', '[]'].map(
      host => [`mongodb://${host}`, literal] as const,
    ),
    ['mongodb://a:1', undefined],
    ['mongodb://a:65535', undefined],
    ['mongodb://[::1]:65535', undefined],
    ['mongodb://[fe80::1%25eth0]', undefined],
    ['mongodb://a/?maxPoolSize', "The option 'maxPoolSize' must have the form name=value."],
    ['mongodb://a/?=1', 'An option must have the form name=value.'],
    ['mongodb://a/?a%20b', 'An option must have the form name=value.'],
    ['mongodb://a/?&&', undefined],
    ['mongodb://a?', undefined],
    ...['%2F', '%5C', '%20', '%22', '$', '%00'].map(
      sign =>
        [
          `mongodb://a/x${sign}y`,
          `The database name 'x${decodeURIComponent(sign)}y' contains one of the characters / \\ space " $, which are not allowed.`,
        ] as const,
    ),
  ])('%s', (uri, sentence) => {
    expect(ofUri(uri)).toBe(sentence);
  });

  test('rejects a value that is not a string', () => {
    expect(problem(() => parseConnectionString(5 as unknown as string))).toBe(
      'A connection string must be a string, but is number.',
    );
  });

  test('parses hosts of every kind, with and without a port', () => {
    const { hosts } = parseConnectionString(
      'mongodb://A.b,1.2.3.4:5,255.249.199.0,256.1.1.1,1.2.3,[FE80::1%25eth0]:6,%2Ftmp%2Fa.sock,a.sock',
    );
    expect(hosts).toEqual([
      { type: 'hostname', host: 'a.b', port: undefined },
      { type: 'ipv4', host: '1.2.3.4', port: 5 },
      { type: 'ipv4', host: '255.249.199.0', port: undefined },
      { type: 'hostname', host: '256.1.1.1', port: undefined },
      { type: 'hostname', host: '1.2.3', port: undefined },
      { type: 'ip_literal', host: 'fe80::1%eth0', port: 6 },
      { type: 'unix', host: '/tmp/a.sock', port: undefined },
      { type: 'hostname', host: 'a.sock', port: undefined },
    ]);
  });

  test('options may be separated by semicolons, follow without a slash, and contain equals signs', () => {
    expect(parseConnectionString('mongodb://u:p@a?appName=x=y;retryReads=true').options).toEqual({
      ...{ appName: 'x=y', retryReads: true },
    });
  });
});
