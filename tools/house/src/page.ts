import { readFileSync, writeFileSync } from 'node:fs';

type Cells = readonly (string | number)[];

/** A table of Markdown. */
export const markdownTable = (head: Cells, rows: readonly Cells[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map(cells => `| ${cells.map(cell => String(cell).replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');

/** The page with other content between its markers `<!-- name -->` and `<!-- /name -->`. @throws Error if it lacks them. */
export const withContent = (page: string, name: string, content: string): string => {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`The page has no place for what goes between ${begin} and ${end}.`);
  return `${page.slice(0, from)}${begin}\n\n${content}\n\n${page.slice(to)}`;
};

/** Puts what was measured into a page that explains it. */
export const putContent = (file: string, name: string, content: string): void => {
  writeFileSync(file, withContent(readFileSync(file, 'utf8'), name, content));
};
