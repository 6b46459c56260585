import { textOf } from '../repository.js';
import type { Catalogue, HeadingList, ProseTest, Specification } from './specification.js';

/**
 * The files of `tools/house/prose`, in the order of the page. A specification has a paragraph with its name and a note,
 * a paragraph for
 * each file of mongodb/specifications with its headings, and a paragraph that describes its prose tests. After the
 * tests follow reasons
 * for those without a test in this repository, and notes:
 *
 *     # Name
 *     note: Information about all of its prose tests.
 *
 *     source: path/of/file.md, commit 0123; not at the audited revision
 *     1 A heading
 *
 *     tests:
 *     1 The tested behavior
 *     reason 1: The reason why there is no test for it.
 *
 * The headings are those of the given revisions. The exceptions are Retryable Reads 4 and 5, Retryable Writes 6.4 and
 * 6.5, Driver Sessions 21 to 23, and the lists without headings of Logging and URI Options. They come from the index of
 * an audit.
 */
const files = [
  ...['discovery', 'connections', 'authentication', 'operations', 'timeouts', 'change-streams', 'management'],
  'documents',
];

const numbered = (line: string): readonly [number: string, text: string] => {
  const [, number, text] = /^(\S+) (.+)$/.exec(line) ?? [];
  if (text === undefined) throw new Error(`"${line}" must be a number and a text.`);
  return [number!, text];
};

const headingsOf = (specification: string, source: string, lines: readonly string[]): HeadingList => {
  const [, path, kind, id, remark = ''] = /^source: (\S+), (commit|pull request) (\w+)(?:; (.+))?$/.exec(source) ?? [];
  if (path === undefined) throw new Error(`"${source}" must name a file and a revision.`);
  const revision = kind === 'commit' ? { commit: id! } : { pullRequest: Number(id) };
  return { specification, path, revision, remark, headings: lines.map(numbered) };
};

const remarkOf = (line: string): readonly [kind: string, numbers: readonly string[], text: string] | undefined => {
  const [, kind, numbers, text] = /^(reason|note) ([^:]+): (.+)$/.exec(line) ?? [];
  return text === undefined ? undefined : [kind!, numbers!.split(', '), text];
};

const testsOf = (lines: readonly string[]): readonly ProseTest[] => {
  const remarks = lines.map(remarkOf).filter(remark => remark !== undefined);
  const remarkFor = (wanted: string, number: string): string | undefined =>
    remarks.find(([kind, numbers]) => kind === wanted && numbers.includes(number))?.[2];
  return lines
    .filter(line => remarkOf(line) === undefined)
    .map(numbered)
    .map(([number, title]) => ({
      number,
      title,
      reason: remarkFor('reason', number),
      note: remarkFor('note', number),
    }));
};

/** Parses the text of a file. @throws Error if a line is invalid */
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

/** Reads all files. */
export const readCatalogue = (): Catalogue => {
  const all = files.map(name => readProse(textOf(`tools/house/prose/${name}.txt`)));
  return {
    catalogue: all.flatMap(({ catalogue }) => catalogue),
    headings: all.flatMap(({ headings }) => headings),
  };
};
