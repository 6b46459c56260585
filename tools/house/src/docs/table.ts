import { markdownTable } from '../page.js';
import type { Package } from './repository.js';

/** One line a package: its name, and its description in package.json. */
export const packageTable = (packages: readonly Package[]): string =>
  markdownTable(
    ['package', 'description'],
    packages.map(({ folder, name, description }) => [`[\`${name}\`](packages/${folder})`, description]),
  );
