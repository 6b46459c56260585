import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { MongoError } from '@tessera/contracts';
import { optionTable, parseConnectionString, resolveSettings } from '@tessera/uri';

const refusal = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    expect(MongoError.is(error) && error.kind).toBe('usage');
    return (error as MongoError).message;
  }
  throw new Error('nothing was refused');
};

describe('Connection String', () => {
  test('"Userinfo": rejects an unescaped colon, at-sign or slash without revealing the password', () => {
    for (const uri of [
      'mongodb://a:hunter2:b@h',
      'mongodb://a:hunter2@b@h',
      'mongodb://a:hunter2/b@h/db',
      'mongodb://a:hunter2%zz@h',
      'mongodb://a:hunter2',
      'mongodb://a:hunter2/db',
      'mongodb://a:hunter2?b@h',
      'mongodb://a:hunter2?b=c@h',
      'mongodb://a:1?hunter2@h',
      'mongodb://a:1/?hunter2@h',
      'mongodb://a:b:hunter2',
      'mongodb://a:hunter2:b',
      'mongodb://[a:hunter2',
    ])
      expect(refusal(() => parseConnectionString(uri))).not.toContain('hunter2');
  });

  test('names an option without "=" only if it is known, because other text may be a secret', () => {
    expect(refusal(() => parseConnectionString('mongodb://a/?tls'))).toBe(
      "The option 'tls' must have the form name=value.",
    );
    expect(refusal(() => parseConnectionString('mongodb://a/?proxyPasswordhunter2'))).toBe(
      'An option must have the form name=value.',
    );
  });

  test('"Host Information": rejects invalid hosts with a suggestion', () => {
    expect(refusal(() => parseConnectionString('mongodb:///tmp/mongodb-27017.sock'))).toContain('percent-encoded');
    expect(refusal(() => parseConnectionString('mongodb://::1'))).toContain('[::1]:27017');
    expect(refusal(() => parseConnectionString('mongodb://db1:0'))).toContain('from 1 to 65535');
    expect(refusal(() => parseConnectionString('mongodb://db1:65536'))).toContain('from 1 to 65535');
    expect(refusal(() => parseConnectionString('mongodb://[db1]:27017'))).toContain('IPv6');
    expect(refusal(() => parseConnectionString('mongodb://db1,'))).toContain('no host');
    expect(refusal(() => parseConnectionString('mongodb+srv://db1,db2'))).toContain('exactly one host');
    expect(refusal(() => parseConnectionString('mongodb+srv://db1:27017'))).toContain('no port');
    expect(refusal(() => parseConnectionString('localhost:27017'))).toContain('mongodb://');
  });

  test('"Values": ignores an invalid value with a warning, and rejects it in strict mode', () => {
    const uri = 'mongodb://db1/?maxPoolSize=many';
    expect(parseConnectionString(uri)).toMatchObject({
      options: {},
      warnings: ["The option 'maxPoolSize' must be a whole number from 0 to 2147483647."],
    });
    expect(refusal(() => parseConnectionString(uri, { strict: true }))).toBe(
      "The option 'maxPoolSize' must be a whole number from 0 to 2147483647.",
    );
  });

  test('"Deprecated Key Value Pairs": stores a deprecated key under its new name, unless that is also given', () => {
    expect(parseConnectionString('mongodb://db1/?wtimeout=5').options).toEqual({ wtimeoutMS: 5 });
    expect(parseConnectionString('mongodb://db1/?wtimeout=5&wtimeoutMS=10').options).toEqual({ wtimeoutMS: 10 });
    expect(parseConnectionString('mongodb://db1/?ssl=true').options).toEqual({ tls: true });
  });

  test('"Repeated Keys": uses the first value, except for lists', () => {
    const { options, warnings } = parseConnectionString(
      'mongodb://db1/?replicaSet=a&replicaSet=b&readPreferenceTags=dc:ny&readPreferenceTags=',
    );
    expect(options).toEqual({ replicaSet: 'a', readPreferenceTags: [{ dc: 'ny' }, {}] });
    expect(warnings).toEqual(["The option 'replicaSet' is given 2 times; the first value counts."]);
  });

  test('"Values": accepts old words for true and false with a warning', () => {
    const { options, warnings } = parseConnectionString('mongodb://db1/?retryWrites=no&journal=1');
    expect(options).toEqual({ retryWrites: false, journal: true });
    expect(warnings).toHaveLength(2);
  });
});

describe('settings', () => {
  test('options in code take precedence over the connection string, which takes precedence over defaults', () => {
    const uri = 'mongodb://DB1,[::1]:5,%2Ftmp%2Fa.sock/films?maxPoolSize=7&minPoolSize=2';
    const defaults = { maxPoolSize: 100, minPoolSize: 0, maxConnecting: 2, retryWrites: true };
    const settings = resolveSettings(uri, { minPoolSize: 3 }, defaults);
    expect(settings).toMatchObject({
      hosts: ['db1:27017', '[::1]:5', '/tmp/a.sock'],
      dbName: 'films',
      maxPoolSize: 7,
      minPoolSize: 3,
      maxConnecting: 2,
      retryWrites: true,
      warnings: [],
    });
  });

  test("dbName takes precedence over the connection string's database, also as the authentication source", () => {
    const of = (uri: string, dbName?: string) => {
      const { dbName: named, defaultauthdb } = resolveSettings(uri, { dbName });
      return [named, defaultauthdb];
    };
    expect(of('mongodb://db1/films', 'shop')).toEqual(['shop', 'shop']);
    expect(of('mongodb://db1/films', '')).toEqual(['films', 'films']);
    expect(of('mongodb://db1')).toEqual(['test', undefined]);
  });

  test('an unknown option is rejected with the most similar known name', () => {
    expect(refusal(() => resolveSettings('mongodb://db1/?maxpolsize=3'))).toBe(
      "There is no option 'maxpolsize'; did you mean 'maxPoolSize'?",
    );
    expect(refusal(() => resolveSettings('mongodb://db1', { retryWirtes: true }))).toBe(
      "There is no option 'retryWirtes'; did you mean 'retryWrites'?",
    );
    expect(refusal(() => resolveSettings('mongodb://db1', { zzz: 1 }))).toBe("There is no option 'zzz'.");
  });

  test('code may give numbers and booleans as strings, and null for options that are not given', () => {
    const options = { maxPoolSize: '7', tls: 'true', minPoolSize: null, replicaSet: null, compressors: 'zlib,snappy' };
    expect(resolveSettings('mongodb://db1/?minPoolSize=2', options)).toMatchObject({
      ...{ maxPoolSize: 7, minPoolSize: 2, tls: true, compressors: ['zlib', 'snappy'] },
      given: ['minPoolSize', 'maxPoolSize', 'tls', 'compressors'],
    });
    expect(refusal(() => resolveSettings('mongodb://db1', { maxPoolSize: 'many' }))).toContain('a whole number');
  });

  test('an invalid value is rejected in code and in the connection string', () => {
    expect(refusal(() => resolveSettings('mongodb://db1', { maxConnecting: 0 }))).toContain('from 1 to');
    expect(refusal(() => resolveSettings('mongodb://db1', { retryReads: 'yes' }))).toContain('true or false');
    expect(refusal(() => resolveSettings('mongodb://db1', { serverMonitoringMode: 'fast' }))).toContain(
      'auto, poll, stream',
    );
  });

  test('options that contradict each other are rejected, also between code and connection string', () => {
    expect(
      refusal(() => resolveSettings('mongodb://db1?tlsInsecure=true', { tlsAllowInvalidHostnames: true })),
    ).toContain('tlsInsecure');
    expect(refusal(() => resolveSettings('mongodb://db1,db2', { directConnection: true }))).toContain(
      'directConnection',
    );
    expect(refusal(() => resolveSettings('mongodb://db1?maxPoolSize=2', { minPoolSize: 3 }))).toContain('minPoolSize');
  });

  test('user name and password in code replace those of the connection string', () => {
    const both = resolveSettings('mongodb://ann:old@db1/', { auth: { username: 'bob', password: 'new' } });
    expect([both.username, both.password]).toEqual(['bob', 'new']);
    const password = resolveSettings('mongodb://ann:old@db1/', { auth: { password: 'new' } });
    expect([password.username, password.password]).toEqual(['ann', 'new']);
    const neither = resolveSettings('mongodb://ann:old@db1/');
    expect([neither.username, neither.password]).toEqual(['ann', 'old']);
  });

  test('the value of a mechanism property may contain colons', () => {
    const uri = 'mongodb://db1/?authMechanismProperties=ENVIRONMENT:azure,TOKEN_RESOURCE:mongodb://cluster:27017';
    expect(resolveSettings(uri).authMechanismProperties).toEqual({
      ENVIRONMENT: 'azure',
      TOKEN_RESOURCE: 'mongodb://cluster:27017',
    });
  });

  test('secrets can be read by name, but are not printed, serialized or spread', () => {
    const uri =
      'mongodb://ann:hunter2@db1/?authMechanismProperties=AWS_SESSION_TOKEN:hunter2&proxyHost=h&proxyUsername=u' +
      '&proxyPassword=hunter2&tls=true&tlsCertificateKeyFilePassword=hunter2';
    const settings = resolveSettings(uri, { auth: { username: 'ann', password: 'hunter2' } });
    expect(settings.password).toBe('hunter2');
    for (const told of [inspect(settings), JSON.stringify(settings), inspect({ ...settings })]) {
      expect(told).not.toContain('hunter2');
      expect(told).toContain('ann');
    }
  });

  test('TLS options without TLS are rejected, because a user who passes a certificate expects it to be used', () => {
    expect(refusal(() => resolveSettings('mongodb://db1/?tlsCAFile=/ca.pem'))).toBe(
      "The option 'tlsCAFile' requires TLS. Add tls=true, or tls=false to ignore the option.",
    );
    expect(refusal(() => resolveSettings('mongodb://db1', { cert: 'PEM' }))).toContain("'cert' requires TLS");
    expect(resolveSettings('mongodb://db1/?tls=false&tlsCAFile=/ca.pem')).toMatchObject({ tls: false });
    expect(resolveSettings('mongodb+srv://db1.example.com', { ca: 'PEM' })).toMatchObject({ tls: true, ca: 'PEM' });
  });

  test('SOCKS5 Support: an empty proxyUsername or proxyPassword is ignored', () => {
    const named = resolveSettings('mongodb://db1/?proxyHost=p&proxyUsername=&proxyPassword=');
    const coded = resolveSettings('mongodb://db1', { proxyHost: 'p', proxyUsername: '', proxyPassword: '' });
    for (const { proxyHost, proxyUsername, proxyPassword } of [named, coded])
      expect([proxyHost, proxyUsername, proxyPassword]).toEqual(['p', undefined, undefined]);
    const stated = resolveSettings('mongodb://db1', { proxyHost: 'p', proxyUsername: 'u', proxyPassword: 'w' });
    expect([stated.proxyUsername, stated.proxyPassword]).toEqual(['u', 'w']);
  });

  test('family is 4, 6, or 0 for both', () => {
    expect(resolveSettings('mongodb://db1/?family=6').family).toBe(6);
    expect(refusal(() => resolveSettings('mongodb://db1', { family: 5 }))).toContain('4, 6, or 0 for both');
    expect(refusal(() => resolveSettings('mongodb://db1/?family=5'))).toContain('4, 6, or 0 for both');
  });

  test('driverInfo is a list of libraries, empty by default', () => {
    const info = { name: 'odm', version: '1' };
    expect(resolveSettings('mongodb://db1', { driverInfo: info }).driverInfo).toEqual([info]);
    expect(resolveSettings('mongodb://db1').driverInfo).toEqual([]);
  });

  test('complete settings contain the defaults, and those of a mongodb+srv connection string', () => {
    const defaults = {
      ...{ zlibCompressionLevel: -1, srvServiceName: 'mongodb', srvMaxHosts: 0 },
      ...{ username: undefined, dbName: 'test', defaultauthdb: undefined, driverInfo: [], warnings: [] },
    };
    expect({ ...resolveSettings('mongodb://db1') }).toEqual({
      ...defaults,
      ...{ srv: false, srvHost: undefined, given: [], hosts: ['db1:27017'] },
    });
    expect({ ...resolveSettings('mongodb+srv://a.b.c') }).toEqual({
      ...defaults,
      ...{ srv: true, srvHost: 'a.b.c', given: [], hosts: ['a.b.c:27017'], tls: true },
    });
  });

  test("options that are not given have the caller's defaults", () => {
    const defaults = { maxPoolSize: 7, minPoolSize: 2, retryReads: true };
    const { maxPoolSize, minPoolSize, retryReads, given } = resolveSettings(
      'mongodb://db1',
      { minPoolSize: 3 },
      defaults,
    );
    expect({ maxPoolSize, minPoolSize, retryReads, given }).toEqual({
      ...{ maxPoolSize: 7, minPoolSize: 3, retryReads: true, given: ['minPoolSize'] },
    });
  });

  test('an old word for true is rejected in code', () => {
    expect(refusal(() => resolveSettings('mongodb://db1', { retryReads: 'yes' }))).toBe(
      "The option 'retryReads' must be true or false.",
    );
  });

  test.each([
    'password',
    'auth',
    'authMechanismProperties',
    'tlsCertificateKeyFilePassword',
    'passphrase',
    'key',
    'pfx',
  ])('%s is not enumerable', name => {
    const value = name.startsWith('auth') ? { username: 'u', password: 'p' } : 'secret';
    const options = name === 'password' ? { auth: { username: 'u', password: value } } : { [name]: value };
    const settings = resolveSettings('mongodb://db1/?tls=true', options);
    expect(Object.getOwnPropertyDescriptor(settings, name)).toMatchObject({ value, enumerable: false });
  });

  test('an undefined option counts as not given', () => {
    expect(resolveSettings('mongodb://db1', { maxPoolSize: undefined }, { maxPoolSize: 100 }).maxPoolSize).toBe(100);
  });
});

test('URI Options: every option has one row, and its default is valid', () => {
  expect(new Set(optionTable.map(({ name }) => name.toLowerCase())).size).toBe(optionTable.length);
  for (const { name, type, default: value } of optionTable)
    if (value !== undefined) expect(type.accepts(value), name).toBe(true);
});
