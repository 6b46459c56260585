import { join } from 'node:path';
import { putContent, root } from '@tessera-tools/house';

/** Puts the table into the repository's README.md. */
export const putTable = (table: string): void => putContent(join(root, 'README.md'), 'bench', table);
