import { readFileSync, writeFileSync } from 'node:fs';

type Cells = readonly (string | number)[];

/** Formats a Markdown table. */
export const markdownTable = (head: Cells, rows: readonly Cells[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map(cells => `| ${cells.map(cell => String(cell).replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');

/**
 * Replaces the content between the markers `<!-- name -->` and `<!-- /name -->` of a page.
 * @throws Error if the markers are missing
 */
export const withContent = (page: string, name: string, content: string): string => {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`The page lacks the markers ${begin} and ${end}.`);
  return `${page.slice(0, from)}${begin}\n\n${content}\n\n${page.slice(to)}`;
};

/** Replaces the content between the markers of a file. */
export const putContent = (file: string, name: string, content: string): void => {
  writeFileSync(file, withContent(readFileSync(file, 'utf8'), name, content));
};
