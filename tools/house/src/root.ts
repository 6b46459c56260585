import { join, resolve } from 'node:path';

/** The folder of the repository. This file lies in `tools/house/src`, compiled in `tools/house/dist`. */
export const root: string = join(import.meta.dirname, '..', '..', '..');

/** Folders of MongoDB's specifications: `SPECIFICATIONS_DIR` or one beside the repository, and what `npm run fixtures` fills. */
export const specificationFolders = (): readonly [named: string, downloaded: string] => [
  resolve(root, process.env['SPECIFICATIONS_DIR'] ?? join('..', 'shared', 'specifications')),
  join(root, '.cache', 'specifications'),
];
