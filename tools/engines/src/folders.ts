import { join } from 'node:path';

/** The repository; this file lies in `tools/engines/src`, compiled in `tools/engines/dist`. */
export const root: string = join(import.meta.dirname, '..', '..', '..');

/** What is installed once and kept. */
export const kept: string = join(root, '.cache', 'engines');

/** Files of ours from which an engine is installed. */
export const recipes: string = join(import.meta.dirname, '..', 'recipes');
