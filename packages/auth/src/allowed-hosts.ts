import { MongoError } from '@tessera/contracts';
import type { Address } from '@tessera/contracts';

/** The hosts that tokens may be sent to by default. Rule: Authentication, "MONGODB-OIDC", "ALLOWED_HOSTS". */
export const defaultAllowedHosts: readonly string[] = [
  ...['*.mongodb.net', '*.mongodb-qa.net', '*.mongodb-dev.net', '*.mongodbgov.net'],
  ...['localhost', '127.0.0.1', '::1'],
];

const hostOf = (address: Address): string =>
  address
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();

const matches = (host: string, pattern: string): boolean => {
  const allowed = pattern.toLowerCase();
  return allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === allowed;
};

/** Checks that a token of a human user may be sent to this host. @throws MongoError `usage` */
export const checkAllowedHost = (address: Address, allowed: readonly string[]): void => {
  const host = hostOf(address);
  if (!allowed.some(pattern => matches(host, pattern)))
    throw new MongoError(
      'usage',
      `Tokens must not be sent to the host ${host} (ALLOWED_HOSTS: ${allowed.join(', ') || 'none'}). To allow it, add it to ALLOWED_HOSTS in authMechanismProperties.`,
    );
};
