import { markdownTable } from '../page.js';
import type { Package } from './repository.js';

/** Returns a table with the name and the description of each package. */
export const packageTable = (packages: readonly Package[]): string =>
  markdownTable(
    ['package', 'description'],
    packages.map(({ folder, name, description }) => [`[\`${name}\`](packages/${folder})`, description]),
  );
