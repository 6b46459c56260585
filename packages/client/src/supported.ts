import { MongoError } from '@tessera/contracts';
import type { Settings } from '@tessera/uri';

/** What connection strings may ask for and this version does not do: refused at once rather than passed over. */
const unsupported: readonly (readonly [what: string, asked: (settings: Settings) => boolean])[] = [
  // Whoever names a certificate expects it to be used.
  [
    'TLS',
    settings => settings.tls !== false && Object.getOwnPropertyNames(settings).some(name => name.startsWith('tls')),
  ],
  ['mongodb+srv', settings => settings.srv],
  ['A SOCKS5 proxy', settings => settings.proxyHost !== undefined],
];

/** @throws MongoError `usage`. */
export const checkSupported = (settings: Settings): void => {
  for (const [what, asked] of unsupported)
    if (asked(settings))
      throw new MongoError('usage', `${what} is not supported by this version; leave its options out.`);
};
