import type { Host } from '@tessera/contracts';
import { nearestName } from '@tessera/uri';
import { bucketOptions, createCollectionOptions, findOptions, indexOptions } from './operation-options.js';

/** Options of operations without a row in the tables of types, because they are checked elsewhere or have no effect. */
const others = [
  ...['sort', 'filter', 'cursor', 'timeoutMS', 'timeout', 'enableUtf8Validation', 'dbName', 'authdb', 'willRetryWrite'],
  ...[
    'resumeAfter',
    'startAfter',
    'startAtOperationTime',
    'retryWrites',
    'defaultTransactionOptions',
    'verbosity',
    'new_collection',
  ],
  ...['w', 'j', 'journal', 'fsync', 'wtimeout', 'wtimeoutMS'],
];

/** Checks the names of the options of an operation. */
export type CheckNames = (options: object) => void;

/**
 * Returns a function that emits one warning for each name that is not an option of any operation, or undefined if the option
 * `warnOnUnknownOptions` is off.
 */
export const createNameCheck = (
  host: Pick<Host, 'environment' | 'warn'>,
  isOn: boolean | undefined = host.environment('NODE_ENV') === 'development',
): CheckNames | undefined => {
  if (!isOn) return undefined;
  const known = [findOptions, createCollectionOptions, indexOptions, bucketOptions].flatMap(table => [...table.keys()]);
  const seen = new Set([...known, ...others]);
  const names = [...seen];
  return options => {
    for (const name of Object.keys(options)) {
      if (seen.has(name)) continue;
      seen.add(name);
      const nearest = nearestName(name, names);
      const advice = nearest === undefined ? 'Remove it.' : `Did you mean "${nearest}"?`;
      host.warn?.(`No operation has an option "${name}", so it has no effect. ${advice}`);
    }
  };
};
