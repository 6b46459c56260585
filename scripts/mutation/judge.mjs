// Plants mutants with Stryker, and runs the tests that reach each of them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { Failure } from '../failure.mjs';
import { root } from '../workspace.mjs';
import { keyOf, pathOf } from './mutants.mjs';

/** @typedef {import('./mutants.mjs').Mutant} Mutant */

const cache = join('.cache', 'mutation');

/** @param {string} name @param {readonly string[]} files @param {boolean} isWhole @returns {ConstructorParameters<typeof Stryker>[0]} */
const optionsFor = (name, files, isWhole) => ({
  mutate: [...files],
  testRunner: 'sources',
  plugins: ['@stryker-mutator/vitest-runner', './scripts/mutation/plugins.mjs'],
  checkers: isWhole ? [] : ['only'],
  vitest: { configFile: 'scripts/mutation/vitest.config.mjs', related: false },
  coverageAnalysis: 'perTest',
  warnings: false,
  // A full run retries only mutants that changed, or whose tests changed.
  incremental: isWhole,
  incrementalFile: join(cache, `${name}.incremental.json`),
  concurrency: 1,
  // Endless loops are detected by counting, because a mutant must not be killed only by time on a busy machine.
  timeoutMS: 30_000,
  timeoutFactor: 2,
  tempDirName: join(cache, 'sandbox'),
  cleanTempDir: 'always',
  ignorePatterns: [
    ...['/*', '!/packages', '!/scripts', '!/tools', '!/package.json', '!/vitest.config.ts', '!/tsconfig.base.json'],
    ...['dist', '*.tsbuildinfo'],
  ],
  reporters: process.stdout.isTTY ? ['progress'] : [],
  disableTypeChecks: false,
  allowConsoleColors: false,
  logLevel: /** @type {never} */ ('error'),
  fileLogLevel: /** @type {never} */ ('off'),
});

/** @param {string} status @throws Failure if the mutant was not judged */
function isKilledBy(status) {
  // A RuntimeError is an error outside of tests: the tests could not be loaded, or a rejection was not handled.
  if (['Killed', 'Timeout', 'RuntimeError'].includes(status)) return true;
  if (['Survived', 'NoCoverage'].includes(status)) return false;
  throw new Failure(`Stryker returned the status "${status}" for a mutant.`);
}

/**
 * Converts the locations of results, which count from 1.
 * @param {import('./mutants.mjs').Found['location']} location
 */
const fromZero = ({ start, end }) => ({
  start: { line: start.line - 1, column: start.column - 1 },
  end: { line: end.line - 1, column: end.column - 1 },
});

/** @typedef {{ mutant: Mutant, isKilled: boolean }} Verdict */

/**
 * Runs tests on mutants.
 * @param {string} name @param {readonly Mutant[]} chosen @param {readonly string[]} tests
 * @param {boolean} isWhole whether `chosen` contains all mutants of a tile
 * @returns {Promise<Verdict[]>}
 */
async function judgeBy(name, chosen, tests, isWhole) {
  const byKey = new Map(chosen.map(mutant => [mutant.key, mutant]));
  const only = join(root, cache, `${name}.only.json`);
  mkdirSync(join(root, cache), { recursive: true });
  writeFileSync(only, JSON.stringify([...byKey.keys()]));
  process.env['MUTATION_ONLY'] = only;
  process.env['MUTATION_TESTS'] = JSON.stringify(tests);
  const files = [...new Set(chosen.map(({ file }) => file))];
  const results = await new Stryker(optionsFor(name, files, isWhole)).runMutationTest();
  const verdicts = results.flatMap(result => {
    const mutant = byKey.get(keyOf(pathOf(result.fileName), { ...result, location: fromZero(result.location) }));
    return mutant === undefined ? [] : [{ mutant, isKilled: isKilledBy(result.status) }];
  });
  if (verdicts.length < byKey.size)
    throw new Failure(`Stryker judged ${verdicts.length} of the ${byKey.size} chosen mutants of ${name}.`);
  return verdicts;
}

/**
 * Judges the chosen mutants of a tile with its own tests, and the survivors with its slow tests and fixtures.
 * @param {import('./tiles.mjs').Tile} tile @param {readonly Mutant[]} chosen
 * @param {{ isWhole: boolean, specifications: boolean }} options `isWhole`: whether `chosen` contains all mutants of
 * the tile
 * @returns {Promise<Verdict[]>}
 */
export async function judge({ name, tests, slow, suites }, chosen, { isWhole, specifications }) {
  const verdicts = await judgeBy(name, chosen, tests, isWhole);
  const survivors = verdicts.filter(({ isKilled }) => !isKilled).map(({ mutant }) => mutant);
  const hasSuites = specifications && suites.data.length + suites.unified.length > 0;
  const more = [...slow, ...(hasSuites ? ['scripts/mutation/conformance.test.mjs'] : [])];
  if (more.length === 0 || survivors.length === 0) return verdicts;
  process.env['MUTATION_SUITES'] = JSON.stringify(suites);
  const second = await judgeBy(name, survivors, more, false);
  return [...verdicts.filter(({ isKilled }) => isKilled), ...second];
}
