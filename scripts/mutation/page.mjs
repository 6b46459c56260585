// Writes docs/mutation.md from the last results of each tile.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../workspace.mjs';
import { intervalText, scoreOf, target } from './score.mjs';

/** @typedef {import('./score.mjs').Count & { date: string }} Measured */

const kept = join(root, 'scripts', 'mutation', 'measured.json');
const page = join(root, 'docs', 'mutation.md');

/** @returns {Readonly<Record<string, Measured>>} by tile */
export const readMeasured = () => JSON.parse(readFileSync(kept, 'utf8'));

/** @param {readonly string[]} tiles @param {Readonly<Record<string, Measured>>} measured @param {readonly import('./equal.mjs').Equal[]} equal */
export function pageOf(tiles, measured, equal) {
  const rows = tiles.map(tile => {
    const count = measured[tile];
    if (count === undefined) return `| ${tile} | | | | | | not measured | |`;
    const { mutants, judged, killed, survived, equal: same, seed, date } = count;
    const when = seed === undefined ? date : `${date}, seed ${seed}`;
    return `| ${tile} | ${mutants} | ${judged} | ${killed} | ${survived} | ${same} | **${scoreOf(count).toFixed(1)} %** | ${intervalText(count)} | ${when} |`;
  });
  const reasons = equal.map(({ file, reason, mutants }) => `| \`${file}\` | ${mutants.length} | ${reason} |`);
  return [
    '# Mutation testing',
    '',
    '`npm run mutation -- --write` writes this page after it has judged mutants. `npm run docs` writes it when only the lists have changed.',
    '',
    'Mutation testing checks the tests. The tool changes the source code in one place, runs the tests that reach the place, and',
    'checks that one of them fails. If no test fails, the mutant survives: no test checks the behavior that it changes.',
    '',
    `For each package in the table, at least ${target} % of the mutants that change behavior must be killed. A mutant is judged by the`,
    "tests of its own package. The official fixtures for the package's subject judge the survivors, including fixtures that run on",
    'an embedded replica set. Tests of other packages and random histories do not count.',
    '',
    '| command | does |',
    '| --- | --- |',
    '| `npm run mutation` | judges every mutant; several hours |',
    '| `npm run mutation -- uri packages/pool/src/pool.ts` | judges the mutants of packages or files |',
    '| `npm run mutation -- --sample 60 --seed 7` | judges 60 mutants of each package; the seed decides which |',
    '| `npm run mutation -- --changed main` | judges the mutants in lines that changed since a revision; `HEAD` by default |',
    '| `npm run mutation -- --write` | also updates this page |',
    '',
    '## Scores',
    '',
    'The score is the share of killed mutants among the judged mutants that are not equal. For a sample, the column "all mutants"',
    'shows the 95 % confidence interval of the score.',
    '',
    '| package | mutants | judged | killed | survived | equal | score | all mutants | measured |',
    '| --- | --: | --: | --: | --: | --: | --: | --- | --- |',
    ...rows,
    '',
    '## Equal mutants',
    '',
    'Some mutants change no behavior, so no test can kill them. They do not count. `scripts/mutation/equal` lists them:',
    '',
    '| file | mutants | why nothing changes |',
    '| --- | --: | --- |',
    ...reasons,
    '',
  ].join('\n');
}

/**
 * Adds the results of some tiles, and writes the page.
 * @param {readonly string[]} tiles all tiles @param {Readonly<Record<string, Measured>>} more @param {readonly
 * import('./equal.mjs').Equal[]} equal
 */
export function write(tiles, more, equal) {
  const all = { ...readMeasured(), ...more };
  const measured = Object.fromEntries(Object.entries(all).sort(([a], [b]) => tiles.indexOf(a) - tiles.indexOf(b)));
  writeFileSync(kept, `${JSON.stringify(measured, null, 2)}\n`);
  writeFileSync(page, pageOf(tiles, measured, equal));
}
