import { describe, expect, test } from 'vitest';
import { connectionString } from '../src/unified/connection-string.js';

const changed = (uri: string, uriOptions: object, oneHost = false): string =>
  connectionString(uri, { uriOptions, oneHost });

describe("Unified Test Format, uriOptions: a client's options are added to the deployment's connection string", () => {
  test('options of the client override those of the deployment, ignoring case', () => {
    expect(changed('mongodb://a,b/?retryWrites=true&w=1', { retrywrites: false, appName: 'a b' })).toBe(
      'mongodb://a,b/?w=1&retrywrites=false&appName=a%20b',
    );
  });

  test('credentials and database are kept', () => {
    expect(changed('mongodb://user:p%40ss@a/shop', { timeoutMS: 5 })).toBe('mongodb://user:p%40ss@a/shop?timeoutMS=5');
  });

  test('a direct connection has one host and no replica set', () => {
    expect(changed('mongodb://a,b/?replicaSet=rs', { directConnection: true })).toBe(
      'mongodb://a/?directConnection=true',
    );
  });

  test('oneHost keeps only the first mongos', () => {
    expect(changed('mongodb://u:p@a,b/', {}, true)).toBe('mongodb://u:p@a/?');
  });

  test('tag sets become one option each, mechanism properties a single option', () => {
    expect(
      changed('mongodb://a', { readPreferenceTags: ['dc:ny', ''], authMechanismProperties: { A: 'b', C: 1 } }),
    ).toBe('mongodb://a/?readPreferenceTags=dc%3Any&readPreferenceTags=&authMechanismProperties=A:b,C:1');
  });
});
