import { fileURLToPath } from 'node:url';
import { putContent } from '@tessera-tools/house';

const file = fileURLToPath(new URL('../../../README.md', import.meta.url));

/** Puts the table into the repository's README.md. */
export const putTable = (table: string): void => putContent(file, 'bench', table);
