// Reads the lists of equal mutants, which change no behavior. They do not count in the score. Each has a reason.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Mutants of one file that are equal for one reason. They have the format that the tool prints: the source text with
 * the changed part in ⟦ ⟧, and the text that replaces it.
 * @typedef {{ file: string, reason: string, mutants: readonly (readonly [place: string, replacement: string])[] }}
 * Equal
 * @typedef {Pick<import('./mutants.mjs').Mutant, 'file' | 'place' | 'replacement'>} Known
 */

const folder = join(import.meta.dirname, 'equal');

/** Reads the lists of all tiles, or of some. @param {readonly string[]} [tiles] @returns {Promise<readonly Equal[]>} */
export async function readEqual(tiles) {
  const files = readdirSync(folder).filter(file => tiles?.includes(file.replace('.mjs', '')) ?? true);
  const modules = await Promise.all(files.sort().map(file => import(pathToFileURL(join(folder, file)).href)));
  return modules.flatMap(({ default: list }) => /** @type {Equal[]} */ (list));
}

/** @param {string} file @param {string} place @param {string} replacement */
const nameOf = (file, place, replacement) => JSON.stringify([file, place, replacement]);

/** Returns whether a mutant is in the lists. @param {readonly Equal[]} lists @returns {(mutant: Known) => boolean} */
export function equality(lists) {
  const known = new Set(
    lists.flatMap(({ file, mutants }) => mutants.map(([place, replacement]) => nameOf(file, place, replacement))),
  );
  return ({ file, place, replacement }) => known.has(nameOf(file, place, replacement));
}

/**
 * Returns a line for each entry that is not a mutant of its file, because the source has changed.
 * @param {readonly Equal[]} lists @param {readonly Known[]} mutants all mutants of some files
 */
export function staleIn(lists, mutants) {
  const files = new Set(mutants.map(({ file }) => file));
  const there = new Set(mutants.map(({ file, place, replacement }) => nameOf(file, place, replacement)));
  return lists
    .filter(({ file }) => files.has(file))
    .flatMap(({ file, mutants: entries }) =>
      entries
        .filter(([place, replacement]) => !there.has(nameOf(file, place, replacement)))
        .map(([place, replacement]) => `${file}: no mutant matches ${place} → ${replacement}`),
    );
}
