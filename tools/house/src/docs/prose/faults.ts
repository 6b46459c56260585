import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../repository.js';
import { coversOf } from './titles.js';
import type { Cover } from './titles.js';
import type { Specification } from './specification.js';

/** A fault that `npm run faults` plants, with the prose tests that must find it. */
export interface ProseFault {
  readonly title: string;
  /** Each is the name of a specification, a space and the number of a prose test. */
  readonly prose: readonly string[];
}

interface Lists {
  readonly readLists: () => Promise<readonly { readonly title: string; readonly prose?: readonly string[] }[]>;
}

/** Returns the faults of `scripts/faults/lists` that name prose tests. */
export async function proseFaults(): Promise<ProseFault[]> {
  const { href } = pathToFileURL(join(root, 'scripts', 'faults', 'list.mjs'));
  const { readLists } = (await import(href)) as Lists;
  return (await readLists()).flatMap(({ title, prose }) => (prose === undefined ? [] : [{ title, prose }]));
}

/** Returns the titles of the faults that the tests of a prose test must find. */
export const faultsOf = (name: string, number: string, faults: readonly ProseFault[]): readonly string[] =>
  faults.filter(({ prose }) => prose.includes(`${name} ${number}`)).map(({ title }) => title);

/** Returns a sentence for each prose test that a fault names and that the catalogue does not have. */
export function unknownProse(catalogue: readonly Specification[], faults: readonly ProseFault[]): string[] {
  const rows = new Set(catalogue.flatMap(({ name, tests }) => tests.map(({ number }) => `${name} ${number}`)));
  return faults.flatMap(({ title, prose }) =>
    prose
      .filter(name => !rows.has(name))
      .map(name => `The fault "${title}" names "${name}", which is not in the catalogue.`),
  );
}

/** Returns the names of the covered prose tests that no fault names. */
export const withoutFault = (
  catalogue: readonly Specification[],
  covers: readonly Cover[],
  faults: readonly ProseFault[],
): string[] =>
  catalogue.flatMap(({ name, tests }) =>
    tests
      .filter(({ number }) => coversOf(name, number, covers).length > 0 && faultsOf(name, number, faults).length === 0)
      .map(({ number }) => `${name} ${number}`),
  );
