// `npm test`: every check, one heavy step at a time, and at the end one plain line.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runAloud, runQuietly } from './child.mjs';
import { Failure } from './failure.mjs';
import { line, nothing, one, sum } from './tally.mjs';
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

/** Many checks, which the program counts into the file that the variable TALLY names. @param {(ready: Ready) => [string, ...string[]]} command @returns {Step} */
const byTally = command => async (ready, step) => {
  const file = join(root, '.cache', 'tally', `${step}.json`);
  mkdirSync(join(root, '.cache', 'tally'), { recursive: true });
  rmSync(file, { force: true });
  const [program, ...args] = command(ready);
  const code = await runAloud(program, args, { cwd: root, env: { ...ready.env, TALLY: file } });
  if (!existsSync(file)) return one(step, `ended with exit code ${String(code)} before it had counted anything`);
  /** @type {Tally} */
  const tally = JSON.parse(readFileSync(file, 'utf8'));
  const silent = code !== 0 && tally.failed.length === 0;
  return silent ? sum([tally, one(step, `exit code ${String(code)}, though no check failed`)]) : tally;
};

/** @param {string} name @returns {Step} */
const tool = name => byTally(() => [process.execPath, join('tools', name, 'dist', 'main.js'), '--all']);

const reporters = ['--reporter=dot', '--reporter=./scripts/tally-reporter.mjs'];

/** In order of how soon they tell something. @type {Readonly<Record<string, Step>>} */
const steps = {
  format: byExitCode(['prettier', '--check', '--log-level=warn', '--cache', '--cache-location=.cache/prettier', '.']),
  types: byExitCode(['tsc', '-b', 'tsconfig.tests.json']),
  lint: byExitCode([
    'eslint',
    '--cache',
    '--cache-location',
    '.cache/eslint/',
    '--cache-strategy',
    'content',
    '--max-warnings=0',
    '.',
  ]),
  vitest: byTally(({ pnpm }) => [pnpm, 'exec', 'vitest', 'run', ...reporters]),
  conformance: tool('conformance'),
  'load-check': tool('load-check'),
};

/** @param {readonly string[]} names */
function chosen(names) {
  const unknown = names.filter(name => !(name in steps));
  if (unknown.length > 0)
    throw new Failure(`There is no step "${unknown.join('", "')}": ${Object.keys(steps).join(', ')}.`);
  return Object.entries(steps).filter(([name]) => names.length === 0 || names.includes(name));
}

/**
 * All steps, or those named. The exit code is 1 if any check failed.
 * @param {() => Promise<Ready>} setup @param {readonly string[]} names @returns {Promise<number>}
 */
export async function runChecks(setup, names) {
  /** @type {Tally[]} */
  const tallies = [];
  const wanted = chosen(names);
  try {
    const ready = await setup();
    for (const [name, step] of wanted) {
      const start = Date.now();
      process.stdout.write(`\n── ${name}\n`);
      const tally = await step(ready, name);
      tallies.push(tally);
      process.stdout.write(`${line(tally)} (${name}, ${((Date.now() - start) / 1000).toFixed(1)} s)\n`);
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.log !== '') process.stdout.write(`${error.log.trimEnd()}\n\n`);
    tallies.push(one('setup', error.message));
  }
  const total = sum([nothing(), ...tallies]);
  for (const { title, reason } of total.skipped) process.stdout.write(`skipped: ${title}: ${reason}\n`);
  for (const { title, reason } of total.failed) process.stdout.write(`failed: ${title}: ${reason}\n`);
  process.stdout.write(`${line(total)}\n`);
  return total.failed.length > 0 ? 1 : 0;
}
