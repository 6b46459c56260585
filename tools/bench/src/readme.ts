import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const begin = '<!-- bench -->';
const end = '<!-- /bench -->';

/** The page with another table between its markers. @throws Error if it lacks them. */
export const withTable = (page: string, table: string): string => {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from)
    throw new Error(`README.md has no place for the table: it goes between ${begin} and ${end}.`);
  return `${page.slice(0, from)}${begin}\n\n${table}\n\n${page.slice(to)}`;
};

const file = fileURLToPath(new URL('../../../README.md', import.meta.url));

/** Puts the table into the repository's README.md. */
export const putTable = (table: string): void => writeFileSync(file, withTable(readFileSync(file, 'utf8'), table));
