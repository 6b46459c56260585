import type { Cover } from './titles.js';
import type { ProseTest, Specification } from './specification.js';

const coversOf = ({ name }: Specification, { number }: ProseTest, covers: readonly Cover[]): readonly Cover[] =>
  covers.filter(({ specification, numbers }) => specification === name && numbers.includes(number));

/**
 * What is wrong with the catalogue or with titles: a test without an entry, an entry with neither test nor reason, or with both.
 * A sentence each.
 */
export function complaints(catalogue: readonly Specification[], covers: readonly Cover[]): string[] {
  const unknown = covers.flatMap(({ specification, numbers, file, sentence }) => {
    const found = catalogue.find(({ name }) => name === specification);
    if (found === undefined) return [`${file}: there is no catalogue of "${specification}" ("${sentence}").`];
    return numbers
      .filter(number => !found.tests.some(test => test.number === number))
      .map(number => `${file}: ${specification} has no prose test ${number} ("${sentence}").`);
  });
  const entries = catalogue.flatMap(specification =>
    specification.tests.flatMap(test => {
      const isCovered = coversOf(specification, test, covers).length > 0;
      const name = `${specification.name}, prose test ${test.number}`;
      if (isCovered && test.reason !== undefined) return [`${name} has a test, and a reason why there is none.`];
      return isCovered || test.reason !== undefined
        ? []
        : [`${name} has neither a test nor a reason why there is none.`];
    }),
  );
  return [...unknown, ...entries];
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

const linkTo = ({ file, sentence }: Cover): string =>
  `\`${cell(sentence.replaceAll('`', "'"))}\` in [${file}](../${file})`;

const section = (specification: Specification, covers: readonly Cover[]): string => {
  const { name, sources, note, tests } = specification;
  const rows = tests.map(test => {
    const links = coversOf(specification, test, covers).map(linkTo).join('<br>');
    return `| ${test.number} | ${cell(test.title)} | ${links === '' ? test.reason : links} |`;
  });
  const table = ['| | prose test | test, or why there is none |', '| --- | --- | --- |', ...rows].join('\n');
  const from = `From ${sources.map(source => `\`${source}\``).join(' and ')}.${note === '' ? '' : ` ${note}`}`;
  return [`## ${name}`, from, ...(rows.length > 0 ? [table] : [])].join('\n\n');
};

/** The page of all prose tests, with the tests that cover them. */
export function prosePage(catalogue: readonly Specification[], covers: readonly Cover[]): string {
  const summary = catalogue.map(specification => {
    const { name, tests } = specification;
    const covered = tests.filter(test => coversOf(specification, test, covers).length > 0).length;
    const excused = tests.filter(({ reason }) => reason !== undefined).length;
    return `| ${name} | ${tests.length} | ${covered} | ${excused} |`;
  });
  return [
    '# Prose tests of the specifications',
    'Written by `npm run docs` from the catalogue in `tools/docs/src/prose` and the titles of the tests. Files of the specifications are named from the folder `source` of the repository mongodb/specifications.',
    ['| specification | prose tests | with a test | with a reason |', '| --- | --- | --- | --- |', ...summary].join(
      '\n',
    ),
    ...catalogue.map(specification => section(specification, covers)),
  ]
    .join('\n\n')
    .concat('\n');
}
