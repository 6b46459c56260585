import type { HeadingList, Specification } from './specification.js';

const namesOf = (lists: readonly HeadingList[]): readonly string[] =>
  lists.flatMap(({ specification, headings }) => headings.map(([number]) => `${specification} ${number}`));

/**
 * Compares the rows of the catalogue with the headings of the specifications. Returns a sentence for each heading
 * without a row, row
 * without a heading, repeated heading, and specification without a list of headings.
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
