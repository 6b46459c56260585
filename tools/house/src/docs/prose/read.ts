import { textOf } from '../repository.js';
import type { Catalogue, HeadingList, ProseTest, Specification } from './specification.js';

/**
 * The files of `tools/house/prose`, in the order of the page. A specification is a paragraph with its name and a note, a paragraph
 * for each file of mongodb/specifications with its headings, and a paragraph with its prose tests in our own words. Behind the tests
 * stand reasons why some have no test here, and notes on others:
 *
 *     # Name
 *     note: What a reader must know about all of its prose tests.
 *
 *     source: path/of/file.md, commit 0123; not at the audited revision
 *     1 A heading
 *
 *     tests:
 *     1 What it tests
 *     reason 1: Why there is no test for it.
 *
 * The headings were read file by file at the revisions that stand with them. A list at the audited revision was read in a copy of the
 * text that does not name its commit. Retryable Reads 4 and 5, Retryable Writes 6.4 and 6.5, Driver Sessions 21 to 23 and the lists
 * without headings of Logging and URI Options come from the index of the audit.
 */
const files = [
  ...['discovery', 'connections', 'authentication', 'operations', 'timeouts', 'change-streams', 'management'],
  'documents',
];

const numbered = (line: string): readonly [number: string, text: string] => {
  const [, number, text] = /^(\S+) (.+)$/.exec(line) ?? [];
  if (text === undefined) throw new Error(`"${line}" is no number with a text.`);
  return [number!, text];
};

const headingsOf = (specification: string, source: string, lines: readonly string[]): HeadingList => {
  const [, path, kind, id, remark = ''] = /^source: (\S+), (commit|pull request) (\w+)(?:; (.+))?$/.exec(source) ?? [];
  if (path === undefined) throw new Error(`"${source}" names no file and revision.`);
  const revision = kind === 'commit' ? { commit: id! } : { pullRequest: Number(id) };
  return { specification, path, revision, remark, headings: lines.map(numbered) };
};

const remarkOf = (line: string): readonly [kind: string, numbers: readonly string[], text: string] | undefined => {
  const [, kind, numbers, text] = /^(reason|note) ([^:]+): (.+)$/.exec(line) ?? [];
  return text === undefined ? undefined : [kind!, numbers!.split(', '), text];
};

const testsOf = (lines: readonly string[]): readonly ProseTest[] => {
  const remarks = lines.map(remarkOf).filter(remark => remark !== undefined);
  const said = (wanted: string, number: string): string | undefined =>
    remarks.find(([kind, numbers]) => kind === wanted && numbers.includes(number))?.[2];
  return lines
    .filter(line => remarkOf(line) === undefined)
    .map(numbered)
    .map(([number, title]) => ({ number, title, reason: said('reason', number), note: said('note', number) }));
};

/** Reads the text of such a file. @throws Error for a line that it cannot read */
export function readProse(text: string): Catalogue {
  const catalogue: Specification[] = [];
  const headings: HeadingList[] = [];
  for (const section of text.split(/^# /m).slice(1)) {
    const [head = '', ...paragraphs] = section.trim().split('\n\n');
    const [name = '', note = ''] = head.split('\nnote: ');
    let tests: readonly ProseTest[] = [];
    for (const [first = '', ...lines] of paragraphs.map(paragraph => paragraph.split('\n')))
      if (first === 'tests:') tests = testsOf(lines);
      else headings.push(headingsOf(name, first, lines));
    catalogue.push({ name, note, tests });
  }
  return { catalogue, headings };
}

/** Reads all of them. */
export const readCatalogue = (): Catalogue => {
  const all = files.map(name => readProse(textOf(`tools/house/prose/${name}.txt`)));
  return {
    catalogue: all.flatMap(({ catalogue }) => catalogue),
    headings: all.flatMap(({ headings }) => headings),
  };
};
