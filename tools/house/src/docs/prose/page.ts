import { markdownTable } from '../../page.js';
import { faultsOf } from './faults.js';
import type { ProseFault } from './faults.js';
import type { Catalogue, HeadingList, ProseTest, Specification } from './specification.js';
import { coversOf } from './titles.js';
import type { Cover } from './titles.js';

/** The content of the page of prose tests. */
export interface Prose extends Catalogue {
  readonly covers: readonly Cover[];
  readonly faults: readonly ProseFault[];
}

/**
 * Checks the catalogue and the titles of tests. Returns a sentence for each test without a row, and for each row with
 * neither a test
 * nor a reason, or with both.
 */
export function complaints(catalogue: readonly Specification[], covers: readonly Cover[]): string[] {
  const unknown = covers.flatMap(({ specification, numbers, file, sentence }) => {
    const found = catalogue.find(({ name }) => name === specification);
    if (found === undefined) return [`${file}: the catalogue has no specification "${specification}" ("${sentence}").`];
    return numbers
      .filter(number => !found.tests.some(test => test.number === number))
      .map(number => `${file}: ${specification} has no prose test ${number} ("${sentence}").`);
  });
  const entries = catalogue.flatMap(specification =>
    specification.tests.flatMap(test => {
      const isCovered = coversOf(specification.name, test.number, covers).length > 0;
      const name = `${specification.name}, prose test ${test.number}`;
      if (isCovered && test.reason !== undefined) return [`${name} has a test, and a reason why there is none.`];
      return isCovered || test.reason !== undefined
        ? []
        : [`${name} has neither a test nor a reason why there is none.`];
    }),
  );
  return [...unknown, ...entries];
}

const code = (text: string): string => `\`${text.replaceAll('`', "'")}\``;

const linkTo = ({ file, sentence }: Cover): string => `${code(sentence)} in [${file}](../${file})`;

const repository = 'https://github.com/mongodb/specifications';

const addressOf = ({ path, revision }: HeadingList): string =>
  'commit' in revision
    ? `${repository}/blob/${revision.commit}/source/${path}`
    : `${repository}/pull/${revision.pullRequest}`;

const revisionOf = ({ revision }: HeadingList): string =>
  'commit' in revision ? `commit ${revision.commit.slice(0, 7)}` : `pull request ${revision.pullRequest}`;

/** Returns the sources of a specification, each with a letter. */
const lettered = (
  { name }: Specification,
  headings: readonly HeadingList[],
): readonly (readonly [string, HeadingList])[] =>
  headings
    .filter(({ specification }) => specification === name)
    .map((list, index) => [String.fromCharCode(97 + index), list] as const);

const source = ([letter, list]: readonly [string, HeadingList]): string =>
  `- ${letter}: [${list.path}](${addressOf(list)}), ${revisionOf(list)}${list.remark === '' ? '' : `; ${list.remark}`}`;

const row = (
  name: string,
  test: ProseTest,
  sources: ReturnType<typeof lettered>,
  { covers, faults }: Prose,
): readonly string[] => {
  const { number, title, reason, note } = test;
  const heading = sources.flatMap(([letter, list]) =>
    list.headings.filter(([its]) => its === number).map(([, text]) => `${letter}: ${text}`),
  );
  const links = coversOf(name, number, covers).map(linkTo);
  const state = [...(links.length > 0 ? links : [reason ?? '']), ...(note === undefined ? [] : [note])];
  const seen = faultsOf(name, number, faults).map(code);
  return [number, title, heading.join('<br>'), state.join('<br>'), seen.join('<br>')];
};

const section = (specification: Specification, prose: Prose): string => {
  const { name, note, tests } = specification;
  const sources = lettered(specification, prose.headings);
  const table = markdownTable(
    ['', 'prose test', 'source and heading', 'test, or reason for no test', 'detects'],
    tests.map(test => row(name, test, sources, prose)),
  );
  return [
    `## ${name}`,
    sources.map(source).join('\n'),
    ...(note === '' ? [] : [note]),
    ...(tests.length > 0 ? [table] : []),
  ].join('\n\n');
};

const introduction = [
  '`npm run docs` writes this page from the catalogue and the headings in `tools/house/prose`, the titles of the tests, and the faults in `scripts/faults/lists`.',
  'The catalogue was audited against commit 92b3c0b of mongodb/specifications (2026-08-13). The sources of a specification have letters; each row names the letter and the heading. A heading in parentheses describes an item that has no heading. "Detects" lists the faults that `npm run faults` plants and that the tests of the row must detect.',
  'The page omits the prose tests of client-side encryption, which the driver does not implement. It also omits prose tests that need a MongoDB service: Atlas Data Lake, Atlas SFP and functions as a service.',
];

/** Returns the page of all prose tests, with the tests that cover them. */
export function prosePage(prose: Prose): string {
  const { catalogue, covers, faults } = prose;
  const summary = catalogue.map(({ name, tests }) => {
    const covered = tests.filter(({ number }) => coversOf(name, number, covers).length > 0);
    const seen = covered.filter(({ number }) => faultsOf(name, number, faults).length > 0);
    const excused = tests.filter(({ reason }) => reason !== undefined);
    return [name, tests.length, covered.length, seen.length, excused.length];
  });
  return [
    '# Prose tests of the specifications',
    ...introduction,
    markdownTable(['specification', 'prose tests', 'with a test', 'with a fault', 'with a reason'], summary),
    ...catalogue.map(specification => section(specification, prose)),
  ]
    .join('\n\n')
    .concat('\n');
}
