import { join } from 'node:path';

/** The folder of the repository. This file lies in `tools/house/src`, compiled in `tools/house/dist`. */
export const root: string = join(import.meta.dirname, '..', '..', '..');
