import { MongoError } from '@tessera/contracts';

/** Reserved for private or special use: they may stand alone, where other single names are whole registries. */
const single = ['test', 'localhost', 'invalid', 'example', 'local', 'internal', 'corp', 'home', 'mail'];

const label = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/;

/**
 * What hosts must end with, in lower case, with the dot that it begins with. Rule: Initial DNS Seedlist Discovery,
 * "srvAllowedHostsSuffix". @throws MongoError `usage` for what is no domain, or is a whole registry by its looks.
 */
export const hostsSuffix = (given: string): string => {
  const domain = given.replace(/^\.+|\.+$/g, '').toLowerCase();
  const labels = domain.split('.');
  if (!labels.every(each => label.test(each)))
    throw new MongoError(
      'usage',
      `The option 'srvAllowedHostsSuffix' must be a domain such as .example.com, not '${given}'; write other letters as xn--.`,
    );
  if (labels.length < 2 && !single.includes(domain))
    throw new MongoError(
      'usage',
      `The option 'srvAllowedHostsSuffix' must have two names or more, not only '${given}', unless it is one of ${single.join(', ')}.`,
    );
  return `.${domain}`;
};
