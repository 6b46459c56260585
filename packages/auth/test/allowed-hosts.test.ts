import { describe, expect, test } from 'vitest';
import { checkAllowedHost, defaultAllowedHosts } from '../src/allowed-hosts.js';

const isAllowed = (address: string, allowed: readonly string[] = defaultAllowedHosts): boolean => {
  try {
    checkAllowedHost(address, allowed);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ kind: 'usage' });
    return false;
  }
};

describe('Authentication "MONGODB-OIDC", "ALLOWED_HOSTS"', () => {
  test.each([
    ...['a.mongodb.net', 'a.mongodb-qa.net', 'a.mongodb-dev.net', 'a.mongodbgov.net', 'A.MongoDB.Net'],
    ...['localhost', '127.0.0.1', '[::1]'],
  ])('allows %s by default, with any port', host => {
    expect([isAllowed(`${host}:27017`), isAllowed(`${host}:1`)]).toEqual([true, true]);
  });

  test.each([
    ...['mongodb.net', 'a.mongodb.com', 'xlocalhost', 'a.localhost', 'localhost.evil.com', '127.0.0.11', '1127.0.0.1'],
    ...['[::2]', '[1::1]', 'a.mongodb.net.evil.com', 'amongodb.net', 'mongodbgov.net'],
  ])('does not allow %s by default', host => {
    expect(isAllowed(`${host}:27017`)).toBe(false);
  });

  test('only a pattern that begins with *. matches several hosts', () => {
    expect(isAllowed('db.example.com:1', ['example.com'])).toBe(false);
    expect(isAllowed('xample.com:1', ['*xample.com'])).toBe(false);
    expect(isAllowed('db.example.com:1', ['a.com', '*.example.com'])).toBe(true);
  });

  test('the error contains the host and the allowed hosts', () => {
    expect(() => {
      checkAllowedHost('Evil.com:27017', ['a', '*.b']);
    }).toThrow(
      'Tokens must not be sent to the host evil.com (ALLOWED_HOSTS: a, *.b). To allow it, add it to ALLOWED_HOSTS in authMechanismProperties.',
    );
  });
});
