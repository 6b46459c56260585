import type { HeadingList, Specification } from './specification.js';

const namesOf = (lists: readonly HeadingList[]): readonly string[] =>
  lists.flatMap(({ specification, headings }) => headings.map(([number]) => `${specification} ${number}`));

/**
 * Returns what differs between the rows of the catalogue and the headings of the specifications, a sentence each: a heading
 * without a row, a row without a heading, a heading that stands twice, and a specification without a list of headings.
 */
export function differences(catalogue: readonly Specification[], lists: readonly HeadingList[]): string[] {
  const rows = new Set(catalogue.flatMap(({ name, tests }) => tests.map(({ number }) => `${name} ${number}`)));
  const names = namesOf(lists);
  const known = new Set(names);
  return [
    ...[...known].filter(name => !rows.has(name)).map(name => `The prose test "${name}" has no row in the catalogue.`),
    ...[...rows].filter(name => !known.has(name)).map(name => `The row "${name}" has no heading in a specification.`),
    ...names
      .filter((name, index) => names.indexOf(name) !== index)
      .map(name => `The heading "${name}" is listed twice.`),
    ...catalogue
      .filter(({ name }) => !lists.some(({ specification }) => specification === name))
      .map(({ name }) => `The specification "${name}" has no list of headings.`),
  ];
}
