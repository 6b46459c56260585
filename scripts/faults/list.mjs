// Reads the faults that `npm run faults` plants, from every list of `scripts/faults/lists`, and checks them.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Failure } from '../failure.mjs';
import { root } from '../workspace.mjs';

/**
 * The tests of a package that find a fault. A `path` is relative to the package's `test` folder. Without it, all tests
 * of the package run except its host tests. A `title` is a part of a test's title.
 * @typedef {{ project: string, path?: string, title?: string }} Finders
 */

/**
 * One change of a source file.
 * @typedef {{ file: string, find: string, replace: string }} Edit
 */

/**
 * One fault: the edit that plants it, further edits if one is not enough, and the tests that must fail with it. If `tests` is an
 * array, a test of each entry must fail. `origin` links the report of the same fault in another driver. `prose` names the prose
 * tests that the tests cover, as `<specification> <number>`. `violations` are the kinds of failures by which random programs find
 * the fault (`npm run rough -- --planted`).
 * @typedef {Edit & {
 *   title: string, also?: readonly Edit[], origin?: string, prose?: readonly string[], violations?: readonly string[],
 *   tests: Finders | readonly Finders[],
 * }} Fault
 * @typedef {Fault & { list: string }} Listed
 */

const lists = join(root, 'scripts', 'faults', 'lists');

/** Returns the faults of all lists in order, each with the name of its list. @returns {Promise<readonly Listed[]>} */
export async function readLists() {
  const files = readdirSync(lists).sort();
  const modules = await Promise.all(files.map(file => import(pathToFileURL(join(lists, file)).href)));
  return modules.flatMap(({ default: faults }, i) =>
    /** @type {Fault[]} */ (faults).map(fault => ({ ...fault, list: basename(files[i] ?? '', '.mjs') })),
  );
}

/**
 * Returns the faults whose title or prose test contains one of the parts, and those of a list with that name; all without parts.
 * @param {readonly Listed[]} faults @param {readonly string[]} parts
 */
export const select = (faults, parts) =>
  parts.length === 0
    ? faults
    : faults.filter(({ title, list, prose = [] }) =>
        parts.some(part => list === part || [title, ...prose].some(text => text.includes(part))),
      );

/** Returns every edit of a fault. @param {Fault} fault @returns {readonly Edit[]} */
export const editsOf = ({ file, find, replace, also = [] }) => [{ file, find, replace }, ...also];

/** Returns the mistake in an edit, or undefined. @param {string} title @param {Edit} edit @param {string} source */
export function mistakeIn(title, { file, find, replace }, source) {
  const count = source.split(find).length - 1;
  if (count !== 1) return `"${title}": the text to replace occurs ${count} times in ${file}; it must occur once.`;
  return find === replace ? `"${title}": the replacement changes nothing in ${file}.` : undefined;
}

/** Checks every fault. @param {readonly Fault[]} faults @throws Failure with all mistakes */
export function check(faults) {
  const titles = faults.map(({ title }) => title);
  const mistakes = faults.flatMap((fault, i) => [
    ...editsOf(fault)
      .map(edit => mistakeIn(fault.title, edit, readFileSync(join(root, edit.file), 'utf8')))
      .filter(mistake => mistake !== undefined),
    ...(titles.indexOf(fault.title) === i ? [] : [`"${fault.title}": two faults have this title.`]),
  ]);
  if (mistakes.length > 0) throw new Failure(mistakes.join('\n'));
}
