import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root, specificationFolders } from '@tessera-tools/house';

const home = join(root, 'tools', 'judges');

/** Programs that are installed once and kept. */
export const kept: string = join(root, '.cache', 'engines');

/** Reports and logs of the last run of the peers. */
export const reports: string = join(root, '.cache', 'peers');

/** Files from which engines and peers are installed. */
export const recipes: string = join(home, 'recipes');

/** The programs that run on peers. */
export const programs: string = join(home, 'programs');

/** The failures of peers that are accepted. */
export const accepted: string = join(home, 'accepted');

/** A compiled file, also for tests, which run the sources: another process loads it. */
export const compiled = (file: string): string => join(home, 'dist', file);

/** The fixtures of MongoDB's specifications. */
export const specifications = (): string => {
  const [named, downloaded] = specificationFolders();
  return existsSync(named) ? named : downloaded;
};
