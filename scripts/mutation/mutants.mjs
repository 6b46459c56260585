// Finds the mutants of source files, and chooses some of them.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { root } from '../workspace.mjs';

/**
 * `place` is the source text of the changed lines, with the changed part in ⟦ ⟧. Lines count from 1.
 * @typedef {{ file: string, key: string, first: number, last: number, place: string, replacement: string }} Mutant
 * @typedef {{ line: number, column: number }} Position line and column count from 0
 * @typedef {{ fileName: string, location: { start: Position, end: Position }, replacement?: string }} Found
 */

/**
 * Returns a key that does not depend on the folder of the file.
 * @param {string} file @param {Pick<Found, 'location' | 'replacement'>} found
 */
export const keyOf = (file, { location: { start, end }, replacement = '' }) =>
  [file, start.line, start.column, end.line, end.column, replacement].join(':');

/** Returns the path in the repository of a file, or of its copy. @param {string} file */
export const pathOf = file =>
  file
    .split('\\')
    .join('/')
    .replace(/^.*?(?=packages\/[\w-]+\/src\/)/, '');

/** @param {string} text */
export const onOneLine = text => text.replace(/\s+/g, ' ').trim();

const longest = 100;

/** Leaves out the middle of a long text. @param {string} text */
const shortened = text => (text.length <= longest ? text : `${text.slice(0, longest - 20)} … ${text.slice(-15)}`);

/** @param {string} source @param {Found['location']} location */
function placeOf(source, { start, end }) {
  const lines = source.split('\n');
  const [head = '', tail = ''] = [lines[start.line], lines[end.line]];
  const changed =
    start.line === end.line
      ? head.slice(start.column, end.column)
      : [head.slice(start.column), ...lines.slice(start.line + 1, end.line), tail.slice(0, end.column)].join('\n');
  return onOneLine(`${head.slice(0, start.column)}⟦${shortened(onOneLine(changed))}⟧${tail.slice(end.column)}`);
}

const silent = /** @type {import('@stryker-mutator/api/logging').Logger} */ (
  new Proxy({}, { get: (_, name) => () => (String(name).startsWith('is') ? false : undefined) })
);

/** @param {string} file @param {string} source @returns {Promise<Mutant[]>} */
export async function mutantsIn(file, source) {
  const options = { plugins: null, excludedMutations: [], ignorers: [] };
  const instrumenter = new Instrumenter(silent);
  const { mutants } = await instrumenter.instrument([{ name: file, mutate: true, content: source }], options);
  return mutants.map(({ location, replacement }) => ({
    file,
    key: keyOf(file, { location, replacement }),
    first: location.start.line + 1,
    last: location.end.line + 1,
    place: placeOf(source, location),
    replacement,
  }));
}

/** @param {readonly string[]} files @returns {Promise<Mutant[]>} */
export async function mutantsOf(files) {
  const all = [];
  for (const file of files) all.push(...(await mutantsIn(file, readFileSync(join(root, file), 'utf8'))));
  return all;
}

/**
 * Returns `count` of the mutants. The same seed returns the same mutants.
 * @param {readonly Mutant[]} mutants @param {number} count @param {number} seed
 */
export function sampleOf(mutants, count, seed) {
  const ranked = mutants.map(mutant => ({
    mutant,
    rank: createHash('sha256').update(`${seed} ${mutant.key}`).digest('hex'),
  }));
  return ranked
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

/**
 * Returns the lines that a diff adds or changes, by file.
 * @param {string} diff the output of `git diff --unified=0` @returns {Map<string, { first: number, last: number }[]>}
 */
export function changedLines(diff) {
  /** @type {Map<string, { first: number, last: number }[]>} */
  const changed = new Map();
  let file = '';
  for (const line of diff.split('\n')) {
    if (line.startsWith('+++ b/')) file = line.slice('+++ b/'.length);
    const [, first, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (first === undefined || count === '0') continue;
    const range = { first: Number(first), last: Number(first) + Number(count) - 1 };
    changed.set(file, [...(changed.get(file) ?? []), range]);
  }
  return changed;
}

/** Returns the mutants that begin on a changed line. @param {readonly Mutant[]} mutants @param {ReturnType<typeof changedLines>} changed */
export const changedOf = (mutants, changed) =>
  mutants.filter(({ file, first: line }) =>
    (changed.get(file) ?? []).some(({ first, last }) => first <= line && line <= last),
  );
