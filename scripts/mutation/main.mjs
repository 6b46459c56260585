// `npm run mutation`: changes the sources one place at a time, and asks of each change whether a test fails.
import { join } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { Failure } from '../failure.mjs';
import { root } from '../workspace.mjs';
import { groupsOf } from './groups.mjs';
import { table } from './table.mjs';

/** Of a hundred mutants of a group, so many are to be noticed. */
const target = 80;

/** @param {import('./groups.mjs').Group} group @returns {ConstructorParameters<typeof Stryker>[0]} */
const optionsFor = ({ name, mutate }) => ({
  mutate: [...mutate],
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'scripts/mutation/vitest.config.mjs', related: false },
  coverageAnalysis: 'perTest',
  // What is mutated once, when a module is loaded, would need a load of its own.
  ignoreStatic: true,
  // What neither changed itself nor has other tests than last time is not tried again; a removed file forgets it all.
  incremental: true,
  incrementalFile: join('.cache', 'mutation', `${name}.incremental.json`),
  concurrency: 1,
  timeoutMS: 8_000,
  timeoutFactor: 2,
  tempDirName: join('.cache', 'mutation', 'sandbox'),
  cleanTempDir: 'always',
  ignorePatterns: [
    ...['/*', '!/packages', '!/scripts', '!/package.json', '!/vitest.config.ts', '!/tsconfig.base.json'],
    ...['dist', '*.tsbuildinfo'],
  ],
  reporters: [process.stdout.isTTY ? 'progress' : 'progress-append-only', 'clear-text', 'html'],
  clearTextReporter: {
    allowColor: false,
    allowEmojis: false,
    logTests: false,
    reportTests: false,
    reportScoreTable: false,
  },
  htmlReporter: { fileName: join('.cache', 'mutation', `${name}.html`) },
  disableTypeChecks: false,
  allowConsoleColors: false,
  logLevel: /** @type {never} */ ('warn'),
  fileLogLevel: /** @type {never} */ ('off'),
});

/** @param {readonly string[]} args @returns {Promise<boolean>} whether each group has reached the target */
async function run(args) {
  const results = [];
  for (const group of groupsOf(args)) {
    process.env['MUTATION_TESTS'] = JSON.stringify(
      group.tests.map(test => `packages/${group.package}/test/${test}.test.ts`),
    );
    const mutants = await new Stryker(optionsFor(group)).runMutationTest();
    results.push({ name: group.name, mutants });
  }
  const { text, least } = table(results);
  process.stdout.write(`${text}\n`);
  if (least < target)
    process.stdout.write(`A group is below ${target} %: see what survived, above or in .cache/mutation.\n`);
  return least >= target;
}

process.chdir(root);
try {
  process.exitCode = (await run(process.argv.slice(2))) ? 0 : 1;
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
