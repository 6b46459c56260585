// `npm run mutation`: changes the sources in one place at a time, and checks that a test fails.
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Failure } from '../failure.mjs';
import { one, sum } from '../tally.mjs';
import { root } from '../workspace.mjs';
import { readArguments } from './arguments.mjs';
import { equality, readEqual, staleIn } from './equal.mjs';
import { judge } from './judge.mjs';
import { changedLines, changedOf, mutantsOf, sampleOf } from './mutants.mjs';
import { write } from './page.mjs';
import { countOf, scoreOf, table, target } from './score.mjs';
import { tiles, wantedBy } from './tiles.mjs';

/**
 * @typedef {import('./arguments.mjs').CommandLine} CommandLine
 * @typedef {import('./score.mjs').Count} Count
 * @typedef {import('./mutants.mjs').Mutant} Mutant
 */

/** @param {string} line */
const say = line => process.stdout.write(`${line}\n`);

/**
 * Sets SPECIFICATIONS_DIR to an absolute path, because the tests run in a copy of the repository. Returns whether the
 * fixtures exist.
 */
function findSpecifications() {
  const named = resolve(root, process.env['SPECIFICATIONS_DIR'] ?? join('..', 'shared', 'specifications'));
  const folder = existsSync(named) ? named : join(root, '.cache', 'specifications');
  process.env['SPECIFICATIONS_DIR'] = folder;
  if (existsSync(folder)) return true;
  say(
    `The specification fixtures are not used, because the folder ${folder} does not exist. Run \`npm run fixtures\`, or set SPECIFICATIONS_DIR.`,
  );
  return false;
}

/** @param {string} revision */
function diffSince(revision) {
  try {
    return execFileSync('git', ['diff', '--unified=0', '--no-color', '--no-ext-diff', revision, '--', 'packages'], {
      encoding: 'utf8',
    });
  } catch {
    throw new Failure(`git cannot compare the packages with "${revision}".`);
  }
}

/**
 * Returns a function that chooses the mutants to judge.
 * @param {CommandLine} commandLine @returns {(mutants: readonly Mutant[]) => readonly Mutant[]}
 */
function choice({ sample, seed, changed }) {
  if (sample !== undefined) return mutants => sampleOf(mutants, sample, seed);
  if (changed === undefined) return mutants => mutants;
  const lines = changedLines(diffSince(changed));
  return mutants => changedOf(mutants, lines);
}

/** Formats a mutant as an entry of the lists of equal mutants. @param {Mutant} mutant */
const textOf = ({ file, first, place, replacement }) =>
  `  ${file}:${first}\n    [${JSON.stringify(place)}, ${JSON.stringify(replacement)}],`;

/**
 * Judges the chosen mutants of one tile. Returns undefined if no mutant is chosen.
 * @param {import('./tiles.mjs').Wanted} wanted @param {CommandLine} commandLine
 * @param {{ choose: ReturnType<typeof choice>, specifications: boolean }} context
 */
async function judgeTile({ tile, files }, commandLine, { choose, specifications }) {
  const lists = await readEqual([tile.name]);
  const mutants = await mutantsOf(files);
  const chosen = choose(mutants);
  if (chosen.length === 0) return undefined;
  say(`\n── ${tile.name}: ${chosen.length} of ${mutants.length} mutants`);
  const isWhole = chosen.length === mutants.length && commandLine.names.every(name => !name.includes('/'));
  const verdicts = await judge(tile, chosen, { isWhole, specifications });
  const { judged, killed, survivors, equal, wronglyEqual } = countOf(verdicts, equality(lists));
  const wrong = [
    ...staleIn(lists, mutants).map(line => `The list of equal mutants is out of date: ${line}.`),
    ...wronglyEqual.map(mutant => `A test killed a mutant that is listed as equal:\n${textOf(mutant)}`),
  ];
  for (const line of wrong) say(line);
  for (const mutant of survivors) say(`survived\n${textOf(mutant)}`);
  /** @type {Count} */
  const count = {
    ...{ mutants: mutants.length, judged, killed, survived: survivors.length, equal },
    ...(chosen.length < mutants.length ? { seed: commandLine.seed } : {}),
  };
  return { name: tile.name, count, wrong };
}

/** @param {{ name: string, count: Count, wrong: readonly string[] }} result @returns {string | undefined} */
function failureOf({ count, wrong }) {
  if (scoreOf(count) < target) return `${scoreOf(count).toFixed(1)} % is below ${target} %`;
  return wrong[0];
}

/** @param {CommandLine} commandLine @returns {Promise<boolean>} whether every tile reaches the target */
async function run(commandLine) {
  const context = { choose: choice(commandLine), specifications: findSpecifications() };
  const results = [];
  for (const wanted of wantedBy(commandLine.names)) {
    const result = await judgeTile(wanted, commandLine, context);
    if (result === undefined) continue;
    results.push(result);
    if (commandLine.write) {
      const date = new Date().toISOString().slice(0, 10);
      const measured = { [result.name]: { ...result.count, date } };
      write(
        tiles.map(({ name }) => name),
        measured,
        await readEqual(),
      );
    }
  }
  if (results.length === 0) say('No mutants are chosen.');
  else say(`\n${table(results.map(({ name, count }) => [name, count]))}`);
  const checks = results.map(result => one(`mutation: ${result.name}`, failureOf(result)));
  const { failed, ...rest } = sum(checks);
  for (const { title, reason } of failed) say(`failed: ${title}: ${reason}`);
  if (process.env['TALLY'] !== undefined) writeFileSync(process.env['TALLY'], JSON.stringify({ ...rest, failed }));
  return failed.length === 0;
}

process.chdir(root);
try {
  process.exitCode = (await run(readArguments(process.argv.slice(2)))) ? 0 : 1;
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
