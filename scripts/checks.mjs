// `npm test`: every check, one heavy step at a time, and at the end one plain line.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runAloud, runQuietly } from './child.mjs';
import { Failure } from './failure.mjs';
import { build, ensureInstalled } from './setup.mjs';
import { failures, line, nothing, one, skips, sum } from './tally.mjs';
import { mainOf } from './tools.mjs';
import { root } from './workspace.mjs';

/**
 * @typedef {import('./tally.mjs').Tally} Tally
 * @typedef {{ pnpm: string, env: NodeJS.ProcessEnv }} Ready
 * @typedef {(ready: Ready, step: string) => Promise<Tally>} Step
 */

/** One check by its exit code; its log is shown only when it fails. @param {string[]} command @returns {Step} */
const byExitCode =
  command =>
  async ({ pnpm, env }, step) => {
    const { code, log } = await runQuietly(pnpm, ['exec', ...command], { cwd: root, env });
    if (code === 0) return one(step, undefined);
    process.stdout.write(`${log.trimEnd()}\n`);
    return one(step, `exit code ${String(code)}; \`npm run ${step}\` shows it alone`);
  };

/**
 * Many checks, which the program counts into a file.
 * @param {(ready: Ready, file: string) => [string, ...string[]]} command @param {(json: any) => Tally} [read] @returns {Step}
 */
const byFile =
  (command, read = tally => tally) =>
  async (ready, step) => {
    const file = join(root, '.cache', 'tally', `${step}.json`);
    mkdirSync(join(root, '.cache', 'tally'), { recursive: true });
    rmSync(file, { force: true });
    const [program, ...args] = command(ready, file);
    const code = await runAloud(program, args, { cwd: root, env: { ...ready.env, TALLY: file } });
    if (!existsSync(file)) return one(step, `ended with exit code ${String(code)} before it had counted anything`);
    const tally = read(JSON.parse(readFileSync(file, 'utf8')));
    const silent = code !== 0 && tally.failed.length === 0;
    return silent ? sum([tally, one(step, `exit code ${String(code)}, though no check failed`)]) : tally;
  };

/** @typedef {{ suite: string, file: string, name: string, outcome: 'passed' | 'failed' | 'skipped', reason?: string }} Case */

/** The cases of the specifications' fixtures. @param {{ cases: readonly Case[] }} report @returns {Tally} */
function readCases({ cases }) {
  /** @param {Case['outcome']} wanted */
  const of = wanted =>
    cases
      .filter(({ outcome }) => outcome === wanted)
      .map(({ suite, file, name, reason = '' }) => ({ title: `${suite}/${file} > ${name}`, reason }));
  return { passed: of('passed').length, failed: of('failed'), skipped: of('skipped') };
}

const reporters = ['--silent=passed-only', '--reporter=dot', '--reporter=./scripts/tally-reporter.mjs'];

/** In order of how soon they tell something. @type {Readonly<Record<string, Step>>} */
const steps = {
  format: byExitCode(['prettier', '--check', '--log-level=warn', '--cache', '--cache-location=.cache/prettier', '.']),
  types: byExitCode(['tsc', '-b', 'tsconfig.tests.json']),
  // Without the cache: what is said of a file may depend on the types of others.
  lint: byExitCode(['eslint', '--max-warnings=0', '.']),
  vitest: byFile(({ pnpm }) => [pnpm, 'exec', 'vitest', 'run', ...reporters]),
  conformance: byFile((_, file) => [process.execPath, mainOf('conformance'), '--short', '--json', file], readCases),
  'load-check': byFile(() => [process.execPath, mainOf('load-check')]),
  simulate: byFile(() => [process.execPath, mainOf('simulate'), '--short']),
  resilience: byFile(() => [process.execPath, mainOf('resilience'), '--short']),
  overload: byFile(() => [process.execPath, mainOf('overload'), '--short']),
  fuzz: byFile(() => [process.execPath, mainOf('fuzz'), 'server', '--short']),
  rough: byFile(() => [process.execPath, mainOf('rough'), '--short']),
  // Judges that nobody here wrote, each in its short form.
  bench: byFile(() => [process.execPath, mainOf('bench'), '--short']),
  engines: byFile(() => [process.execPath, mainOf('engines'), '--short']),
  peers: byFile(() => [process.execPath, mainOf('peers'), '--short']),
  differential: byFile(() => [process.execPath, mainOf('differential'), '--short']),
};

/** What `npm run test:full` runs after the steps of `npm test`. Each takes hours. @type {Readonly<Record<string, Step>>} */
const longSteps = {
  mutation: byFile(() => [process.execPath, join('scripts', 'mutation', 'main.mjs')]),
};

/** @param {readonly string[]} names @param {boolean} full */
function chosen(names, full) {
  const all = full ? { ...steps, ...longSteps } : steps;
  const unknown = names.filter(name => !(name in all));
  if (unknown.length > 0)
    throw new Failure(`There is no step "${unknown.join('", "')}": ${Object.keys(all).join(', ')}.`);
  return Object.entries(all).filter(([name]) => names.length === 0 || names.includes(name));
}

/** @param {unknown} error the log is shown, the sentence is the check's failure @param {string} step */
function failedBy(error, step) {
  if (!(error instanceof Failure)) throw error;
  if (error.log !== '') process.stdout.write(`${error.log.trimEnd()}\n\n`);
  return one(step, error.message);
}

/** Builds what can be built; what cannot is one failed check, and the others still tell what they can. @type {Step} */
async function buildAll({ pnpm, env }) {
  try {
    await build(pnpm, env);
    return nothing();
  } catch (error) {
    return failedBy(error, 'build');
  }
}

/** @param {readonly string[]} names @param {boolean} full @returns {Promise<Tally[]>} */
async function runSteps(names, full) {
  const wanted = chosen(names, full);
  const ready = await ensureInstalled();
  const tallies = [await buildAll(ready, 'build')];
  for (const [name, step] of wanted) {
    const start = Date.now();
    process.stdout.write(`\n── ${name}\n`);
    const tally = await step(ready, name);
    tallies.push(tally);
    process.stdout.write(`${line(tally)} (${name}, ${((Date.now() - start) / 1000).toFixed(1)} s)\n`);
  }
  return tallies;
}

/**
 * Runs all steps, or those named; the last line says how many checks passed and failed.
 * @param {readonly string[]} names @param {{ full?: boolean }} [options] `full`: the long steps too
 * @returns {Promise<number>} the exit code: 1 if any failed
 */
export async function runChecks(names, { full = false } = {}) {
  const total = sum(await runSteps(names, full).catch(error => [failedBy(error, 'setup')]));
  process.stdout.write(['', ...skips(total), ...failures(total), line(total), ''].join('\n'));
  return total.failed.length > 0 ? 1 : 0;
}
