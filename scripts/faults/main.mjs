// `npm run faults`: plants one fault at a time, and checks that its tests fail with it and pass without it.
import { join, relative } from 'node:path';
import { createVitest } from 'vitest/node';
import { Failure } from '../failure.mjs';
import { root } from '../workspace.mjs';
import { check, editsOf, readLists, select } from './list.mjs';
import { covers, findersOf, placeOf, whyMissed } from './verdict.mjs';

/** @typedef {import('./list.mjs').Fault} Fault */
/** @typedef {import('./list.mjs').Finders} Finders */
/** @typedef {import('./verdict.mjs').Run} Run */
/** @typedef {import('vitest/node').Vitest} Vitest */

/** @param {string} text */
const literally = text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Plants a fault in all modules that are loaded from now on. Without a fault, removes the last one.
 * @param {Vitest} vitest @param {Fault} [fault]
 */
function plant(vitest, fault) {
  const edits = fault === undefined ? [] : editsOf(fault);
  process.env['EDITS'] = JSON.stringify(edits.map(edit => ({ ...edit, path: join(root, edit.file) })));
  for (const { moduleGraph } of Object.values(vitest.vite.environments)) moduleGraph.invalidateAll();
}

/** Runs only tests with one of these titles, or all if an entry has no title. @param {Vitest} vitest @param {readonly Finders[]} finders */
function selectTitles(vitest, finders) {
  const titles = finders.flatMap(({ title }) => title ?? []);
  if (titles.length < finders.length) vitest.resetGlobalTestNamePattern();
  else vitest.setGlobalTestNamePattern(new RegExp(titles.map(literally).join('|')));
}

/** Runs the tests of these entries. @param {Vitest} vitest @param {readonly Finders[]} finders @returns {Promise<Run>} */
async function run(vitest, finders) {
  selectTitles(vitest, finders);
  const places = [...new Set(finders.map(placeOf))];
  const found = await vitest.globTestSpecifications(places);
  const fileOf = (/** @type {string} */ moduleId) => relative(root, moduleId);
  const specifications = found.filter(({ moduleId }) => finders.some(each => covers(each, fileOf(moduleId))));
  for (const place of places)
    if (!specifications.some(({ moduleId }) => fileOf(moduleId).startsWith(place)))
      throw new Failure(`No tests exist at ${place}.`);
  const wanted = new Set(specifications.map(({ moduleId }) => moduleId));
  // The result also contains the tests of earlier faults.
  const result = await vitest.runTestSpecifications(specifications);
  const modules = result.testModules.filter(({ moduleId }) => wanted.has(moduleId));
  return {
    tests: modules.flatMap(({ moduleId, children }) =>
      [...children.allTests()].map(test => {
        const file = fileOf(moduleId);
        return { file, name: test.fullName, state: test.result().state };
      }),
    ),
    broken: modules.flatMap(module =>
      module.errors().map(({ message }) => ({ file: fileOf(module.moduleId), message })),
    ),
  };
}

/** Plants the faults, and returns how many were not found. @param {readonly Fault[]} faults */
async function judgeAll(faults) {
  process.env['EDITS'] = '[]';
  const vitest = await createVitest('test', {
    config: join(root, 'scripts', 'faults', 'vitest.config.mjs'),
    watch: false,
    reporters: [{}],
  });
  let missed = 0;
  try {
    const without = await run(vitest, faults.flatMap(findersOf));
    for (const fault of faults) {
      plant(vitest, fault);
      const why = whyMissed(fault, without, await run(vitest, findersOf(fault)));
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
  const parts = process.argv.slice(2);
  const all = await readLists();
  check(all);
  const faults = select(all, parts);
  if (faults.length === 0) throw new Failure(`No fault has "${parts.join('" or "')}" in its title.`);
  const missed = await judgeAll(faults);
  process.stdout.write(`${faults.length - missed} of ${faults.length} faults were found.\n`);
  process.exitCode = missed === 0 ? 0 : 1;
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
