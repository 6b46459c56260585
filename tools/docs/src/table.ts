import type { Package } from './repository.js';

const begin = '<!-- packages -->';
const end = '<!-- /packages -->';

/** One line a package: its name, and its description in package.json. */
export function packageTable(packages: readonly Package[]): string {
  const rows = packages.map(
    ({ folder, name, description }) => `| [\`${name}\`](packages/${folder}) | ${description} |`,
  );
  return ['| package | what it is |', '| --- | --- |', ...rows].join('\n');
}

/**
 * The page with that table between its two marks.
 * @throws Error if the page lacks the marks
 */
export function withTable(page: string, table: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from)
    throw new Error(`The page has no place for the table: it goes between ${begin} and ${end}.`);
  return `${page.slice(0, from)}${begin}\n\n${table}\n\n${page.slice(to)}`;
}
