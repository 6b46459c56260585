import { constants } from 'node:os';
import type { Tally } from '@tessera-tools/house';
import { line, named, nothing, sum, writeTally } from '@tessera-tools/house';
import { judge } from './abilities/judge.js';
import type { Outcomes } from './abilities/judge.js';
import { abilityTable, tallyOf } from './abilities/table.js';
import { readArguments, usage } from './arguments.js';
import type { Chosen } from './arguments.js';
import { runCommand } from './command.js';
import { engineNames, engines } from './engines.js';
import { runIntegration } from './integration.js';
import { compareQuickStart } from './quick-start.js';
import { startEngine } from './start.js';
import { traits } from './traits.js';
import { Unavailable } from './unavailable.js';

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupted.abort(signal));

/** What sysexits.h calls it: nothing was run, so nothing can have succeeded. */
const unavailable = 69;

const say = (sentence: string): void => void process.stderr.write(`engines: ${sentence}\n`);

const message = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Does the work on a running engine, and ends the engine whatever happens. */
async function onEngine<T>(chosen: Chosen, work: (env: Readonly<Record<string, string>>) => Promise<T>): Promise<T> {
  const { name, standalone } = chosen;
  const start = Date.now();
  await using engine = await startEngine(name, { standalone, signal: interrupted.signal });
  say(`${name} at ${engine.uri} after ${((Date.now() - start) / 1000).toFixed(1)} s`);
  return await work({ MONGODB_URI: engine.uri, ENGINE: JSON.stringify(traits(chosen)) });
}

const runOne = (chosen: Chosen, command: readonly string[]): Promise<number> =>
  onEngine(chosen, env => runCommand(command, env, interrupted.signal));

/** Counts the integration tests on one engine; an engine that cannot be had is one skipped check. */
async function testOn(chosen: Chosen): Promise<Tally> {
  const tally = await onEngine(chosen, env => runIntegration(env, interrupted.signal)).catch((error: unknown) => {
    if (interrupted.signal.aborted) throw error;
    const note = { title: 'integration tests', reason: message(error) };
    return error instanceof Unavailable ? { ...nothing, skipped: [note] } : { ...nothing, failed: [note] };
  });
  const reasons = new Map<string, number>();
  for (const { reason } of tally.skipped) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  for (const [reason, count] of reasons) say(`skipped: ${reason} (${count})`);
  for (const { title, reason } of tally.failed) say(`failed: ${title}: ${reason}`);
  say(`${traits(chosen).name}: ${line(tally)}`);
  return named(chosen.name, tally);
}

/** What the engines accept of the driver: prints the table and counts it. */
async function tabulate(all: readonly Chosen[]): Promise<Tally> {
  const judged = new Map<string, Outcomes>();
  for (const { name } of all) {
    say(`${name}: what it accepts of the driver`);
    judged.set(name, await judge(name, interrupted.signal));
  }
  process.stdout.write(`${abilityTable(judged)}\n`);
  return sum([...judged].map(([name, outcomes]) => named(name, tallyOf(outcomes))));
}

function conclude(tallies: readonly Tally[]): number {
  const total = sum(tallies);
  writeTally(total);
  return total.failed.length > 0 ? 1 : 0;
}

async function testAll(all: readonly Chosen[], table: boolean): Promise<number> {
  const tallies: Tally[] = [];
  for (const chosen of all) tallies.push(await testOn(chosen));
  if (table) tallies.push(await tabulate(all));
  return conclude(tallies);
}

async function commandOnAll(all: readonly Chosen[], command: readonly string[]): Promise<number> {
  let worst = 0;
  for (const chosen of all) worst = (await runOne(chosen, command)) || worst;
  return worst;
}

async function compareAll(all: readonly Chosen[]): Promise<number> {
  let worst = 0;
  for (const chosen of all) {
    const { equal, different } = await onEngine(chosen, env =>
      compareQuickStart(env['MONGODB_URI'] ?? '', interrupted.signal),
    );
    for (const sentence of different) say(`different: ${sentence}`);
    say(`${traits(chosen).name}: ${equal} steps of the quick start found the same, ${different.length} did not`);
    if (different.length > 0) worst = 1;
  }
  return worst;
}

function help(): number {
  for (const name of engineNames) process.stdout.write(`${name.padEnd(20)}${engines[name].description}\n`);
  process.stdout.write(`\n${usage}`);
  return 0;
}

async function main(): Promise<number> {
  const wish = readArguments(process.argv.slice(2));
  switch (wish.kind) {
    case 'help':
      return help();
    case 'mistake':
      process.stderr.write(`${wish.sentence}\n\n${usage}`);
      return 2;
    case 'compare':
      return compareAll(wish.chosen);
    case 'table':
      return conclude([await tabulate(wish.chosen)]);
    case 'tests':
      return testAll(wish.chosen, wish.table);
    case 'command':
      return commandOnAll(wish.chosen, wish.command);
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  if (error instanceof Unavailable) say(`skipped: ${error.message}`);
  else if (!interrupted.signal.aborted) say(message(error));
  process.exitCode = error instanceof Unavailable ? unavailable : 1;
}
if (interrupted.signal.aborted) process.exitCode = 128 + constants.signals[interrupted.signal.reason as NodeJS.Signals];
