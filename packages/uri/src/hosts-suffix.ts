import { MongoError } from '@tessera/contracts';

/**
 * Names reserved for private or special use. They are allowed as a single label, while other single labels are whole
 * registries.
 */
const single = ['test', 'localhost', 'invalid', 'example', 'local', 'internal', 'corp', 'home', 'mail'];

const label = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/;

/**
 * Returns the suffix that hosts must have, in lower case and with a leading dot. Rule: Initial DNS Seedlist Discovery,
 * "srvAllowedHostsSuffix". @throws MongoError `usage` if the value is not a domain, or looks like a whole registry.
 */
export const hostsSuffix = (given: string): string => {
  const domain = given.replace(/^\.+|\.+$/g, '').toLowerCase();
  const labels = domain.split('.');
  if (!labels.every(each => label.test(each)))
    throw new MongoError(
      'usage',
      `The option 'srvAllowedHostsSuffix' must be a domain such as .example.com, not '${given}'. Write non-ASCII letters in the form xn--.`,
    );
  if (labels.length < 2 && !single.includes(domain))
    throw new MongoError(
      'usage',
      `The option 'srvAllowedHostsSuffix' must have at least two labels, not only '${given}', unless it is one of ${single.join(', ')}.`,
    );
  return `.${domain}`;
};
