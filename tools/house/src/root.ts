import { join, resolve } from 'node:path';

/** The root folder of the repository. This file is in `tools/house/src`, or compiled in `tools/house/dist`. */
export const root: string = join(import.meta.dirname, '..', '..', '..');

/**
 * The folders of MongoDB's specifications: `SPECIFICATIONS_DIR` or a folder beside the repository, and the cache that
 * `npm run fixtures` fills.
 */
export const specificationFolders = (): readonly [named: string, downloaded: string] => [
  resolve(root, process.env['SPECIFICATIONS_DIR'] ?? join('..', 'shared', 'specifications')),
  join(root, '.cache', 'specifications'),
];
