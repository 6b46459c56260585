import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root, specificationFolders } from '@tessera-tools/house';

const home = join(root, 'tools', 'judges');

/** Programs that are installed once and kept. */
export const kept: string = join(root, '.cache', 'engines');

/** Reports and logs of the last run of the peers. */
export const reports: string = join(root, '.cache', 'peers');

/** The files that describe how engines and peers are installed. */
export const recipes: string = join(home, 'recipes');

/** The programs that run with peers. */
export const programs: string = join(home, 'programs');

/** The accepted failures of peers. */
export const accepted: string = join(home, 'accepted');

/** Returns the compiled version of a file, because child processes cannot load TypeScript. Tests use it too. */
export const compiled = (file: string): string => join(home, 'dist', file);

/** Returns the folder of the specification fixtures. */
export const specifications = (): string => {
  const [named, downloaded] = specificationFolders();
  return existsSync(named) ? named : downloaded;
};
