// `npm test`: runs every check, in parallel where possible, and prints a summary in the last line.
import { availableParallelism } from 'node:os';
import { changedSince } from './changed.mjs';
import { Failure } from './failure.mjs';
import { runInLanes } from './lanes.mjs';
import { build, ensureInstalled } from './setup.mjs';
import { longSteps, steps, stepsFor, testEnvironment } from './steps.mjs';
import { failures, line, nothing, one, skips, sum } from './tally.mjs';

/**
 * @typedef {import('./tally.mjs').Tally} Tally
 * @typedef {import('./steps.mjs').Steps} Steps
 * @typedef {{ name: string, tally: Tally, began: number, seconds: number }} Ran
 */

const start = Date.now();

/** Returns the seconds since the start of the program. */
const elapsed = () => (Date.now() - start) / 1000;

/** @param {string} text */
const print = text => process.stdout.write(text);

/** @param {Steps} all @param {readonly string[]} names */
function chosen(all, names) {
  const unknown = names.filter(name => !(name in all));
  if (unknown.length > 0)
    throw new Failure(`There is no step "${unknown.join('", "')}": ${Object.keys(all).join(', ')}.`);
  return Object.entries(all).filter(([name]) => names.length === 0 || names.includes(name));
}

/** @param {readonly string[]} args @param {boolean} full */
async function stepsOf([first, ...others], full) {
  if (first !== '--changed')
    return chosen(full ? { ...steps, ...longSteps } : steps, first === undefined ? [] : [first, ...others]);
  const changed = await changedSince(others[0] ?? 'HEAD');
  const { files, packages, importers } = changed;
  print(
    `${files.length} files changed; packages: ${packages.join(', ') || 'none'}; imported by: ${importers.join(', ') || 'none'}\n`,
  );
  return Object.entries(stepsFor(changed));
}

/** Prints the log of a failed step, and returns its tally. @param {unknown} error @param {string} step */
function failedBy(error, step) {
  if (!(error instanceof Failure)) throw error;
  if (error.log !== '') print(`${error.log.trimEnd()}\n\n`);
  return one(step, error.message);
}

/**
 * Builds all packages. A build error is one failed check, and the other steps still run.
 * @param {import('./steps.mjs').Ready} ready
 */
async function buildAll({ pnpm, env }) {
  try {
    await build(pnpm, env);
    return nothing();
  } catch (error) {
    return failedBy(error, 'build');
  }
}

/** The interval at which running steps are printed, in milliseconds. */
const pulse = 30_000;

/** @param {readonly (readonly [string, import('./steps.mjs').Step])[]} wanted @returns {Promise<Ran[]>} */
async function runSteps(wanted) {
  const ready = await ensureInstalled();
  const building = elapsed();
  const built = { name: 'build', tally: await buildAll(ready), began: building, seconds: elapsed() - building };
  const env = { ...ready.env, ...testEnvironment(built.tally.failed.length === 0) };
  /** @type {Map<string, number>} */
  const underWay = new Map();
  const heart = setInterval(() => {
    const parts = [...underWay].map(([name, since]) => `${name} for ${Math.round(elapsed() - since)} s`);
    print(`… ${parts.join(', ')}\n`);
  }, pulse);
  const tasks = wanted.map(([name, step]) => ({ name, ...step }));
  const ran = await runInLanes(tasks, availableParallelism(), async ({ name, check }) => {
    const began = elapsed();
    underWay.set(name, began);
    let log = '';
    // A single step uses the terminal directly.
    const output = wanted.length === 1 ? {} : { say: (/** @type {string} */ text) => void (log += text) };
    const tally = await check({ ...ready, env, ...output }, name).catch(error => failedBy(error, name));
    underWay.delete(name);
    const seconds = elapsed() - began;
    print(`\n── ${name}\n${log}${line(tally)} (${name}, ${seconds.toFixed(1)} s)\n`);
    return { name, tally, began, seconds };
  });
  clearInterval(heart);
  return [built, ...ran];
}

/** Formats the duration of each step, and when it began. @param {readonly Ran[]} ran */
function timeTable(ran) {
  const rows = [...ran].sort((a, b) => b.seconds - a.seconds);
  return [...rows, { name: 'total', began: 0, seconds: elapsed() }].map(
    ({ name, began, seconds }) =>
      `${name.padEnd(18)}${seconds.toFixed(1).padStart(7)} s  from ${began.toFixed(1).padStart(6)} s`,
  );
}

/**
 * Runs all steps, or the named ones. The last line states how many checks passed and failed.
 * @param {readonly string[]} args the names of steps, or `--changed` and a revision (default: `HEAD`)
 * @param {{ full?: boolean }} [options] `full`: whether to include the long steps
 * @returns {Promise<number>} the exit code, which is 1 if a check failed
 */
export async function runChecks(args, { full = false } = {}) {
  /** @type {readonly Ran[]} */
  let ran;
  try {
    ran = await runSteps(await stepsOf(args, full));
  } catch (error) {
    ran = [{ name: 'setup', tally: failedBy(error, 'setup'), began: 0, seconds: elapsed() }];
  }
  const total = sum(ran.map(({ tally }) => tally));
  const table = timeTable(ran);
  print(['', ...table, '', ...skips(total), ...failures(total), line(total), ''].join('\n'));
  return total.failed.length > 0 ? 1 : 0;
}
