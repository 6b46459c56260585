// `npm run faults`: plants one fault at a time, and checks that the test it names fails with it and passes without it.
import { join } from 'node:path';
import { createVitest } from 'vitest/node';
import { Failure } from '../failure.mjs';
import { root } from '../workspace.mjs';
import { check, readLists } from './list.mjs';

/** @typedef {import('./list.mjs').Fault} Fault */
/** @typedef {import('vitest/node').Vitest} Vitest */

/** @param {string} text */
const literally = text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Plants a fault in what is loaded from now on, or none. @param {Vitest} vitest @param {Fault} [fault] */
function plant(vitest, fault) {
  const path = fault && join(root, fault.file);
  process.env['FAULT'] = JSON.stringify(path === undefined ? null : { ...fault, path });
  for (const { moduleGraph } of Object.values(vitest.vite.environments)) moduleGraph.invalidateAll();
}

/**
 * Runs the tests that a fault names.
 * @param {Vitest} vitest @param {Fault['tests']} tests @returns {Promise<{ passed: number, failed: string[], broken: string[] }>}
 */
async function run(vitest, { project, path, title }) {
  const folder = `packages/${project}/test/${path ?? ''}`;
  const specifications = await vitest.globTestSpecifications([folder]);
  if (specifications.length === 0) throw new Failure(`There are no tests at ${folder}.`);
  if (title === undefined) vitest.resetGlobalTestNamePattern();
  else vitest.setGlobalTestNamePattern(new RegExp(literally(title)));
  const wanted = new Set(specifications.map(({ moduleId }) => moduleId));
  // The result also lists what ran for earlier faults.
  const result = await vitest.runTestSpecifications(specifications);
  const testModules = result.testModules.filter(({ moduleId }) => wanted.has(moduleId));
  const states = testModules.flatMap(({ children }) => [...children.allTests()]);
  return {
    passed: states.filter(test => test.result().state === 'passed').length,
    failed: states.filter(test => test.result().state === 'failed').map(({ fullName }) => fullName),
    broken: testModules.flatMap(module => module.errors().map(({ message }) => message)),
  };
}

/** Returns why a fault counts as not found, or undefined. @param {Vitest} vitest @param {Fault} fault */
async function judge(vitest, fault) {
  plant(vitest);
  const without = await run(vitest, fault.tests);
  if (without.failed.length + without.broken.length > 0)
    return `its tests fail without it: ${[...without.failed, ...without.broken].join('; ')}`;
  if (without.passed === 0) return `no test has the title "${fault.tests.title}"`;
  plant(vitest, fault);
  const { failed, broken } = await run(vitest, fault.tests);
  if (failed.length > 0) return undefined;
  return broken.length > 0 ? `its tests could not be loaded with it: ${broken.join('; ')}` : 'no test fails with it';
}

/** Returns how many faults were not found. @param {readonly Fault[]} faults */
async function judgeAll(faults) {
  process.env['FAULT'] = 'null';
  const vitest = await createVitest('test', {
    config: join(root, 'scripts', 'faults', 'vitest.config.mjs'),
    watch: false,
    reporters: [{}],
  });
  let missed = 0;
  try {
    for (const fault of faults) {
      const why = await judge(vitest, fault);
      if (why !== undefined) missed += 1;
      process.stdout.write(`${why === undefined ? 'found ' : 'MISSED'}  ${fault.title}${why ? `: ${why}` : ''}\n`);
    }
  } finally {
    await vitest.close();
  }
  return missed;
}

process.chdir(root);
try {
  const [part = ''] = process.argv.slice(2);
  const all = await readLists();
  check(all);
  const faults = all.filter(({ title }) => title.includes(part));
  if (faults.length === 0) throw new Failure(`No fault has "${part}" in its title.`);
  const missed = await judgeAll(faults);
  process.stdout.write(`${faults.length - missed} of ${faults.length} faults were found.\n`);
  process.exitCode = missed === 0 ? 0 : 1;
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
