import { join, resolve } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');

/** What is left by a run, to be looked at: reports and logs. This file lies in `tools/peers/src`, compiled in `tools/peers/dist`. */
export const reports: string = join(root, '.cache', 'peers');

/** Files of ours by which a peer is installed. */
export const recipes: string = join(import.meta.dirname, '..', 'recipes');

/** Programs of ours that are written with peers. */
export const programs: string = join(import.meta.dirname, '..', 'programs');

/** Where the fixtures of MongoDB's specifications lie. */
export const specifications = (): string =>
  resolve(root, process.env['SPECIFICATIONS_DIR'] ?? join('..', 'shared', 'specifications'));
