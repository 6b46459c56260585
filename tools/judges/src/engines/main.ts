import type { Tally } from '@tessera-tools/house';
import { countEach, line, messageOf, named, nothing, print, sum, writeTally } from '@tessera-tools/house';
import { runInterruptible } from '../interrupt.js';
import { runCommand } from '../outside/command.js';
import { startEngine } from '../outside/start.js';
import { Unavailable } from '../outside/unavailable.js';
import { judge } from './abilities/judge.js';
import type { Outcomes } from './abilities/judge.js';
import { abilityTable, tallyOf } from './abilities/table.js';
import { runIntegration } from './integration.js';
import { traits } from './traits.js';
import { readCommandLine, usage } from './command-line.js';
import type { Chosen, CommandLine } from './command-line.js';

const say = (sentence: string): void => void process.stderr.write(`engines: ${sentence}\n`);

/** Starts an engine, runs the work on it, and always stops the engine. */
async function onEngine<T>(
  chosen: Chosen,
  signal: AbortSignal,
  work: (env: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const { name, standalone } = chosen;
  const start = Date.now();
  await using engine = await startEngine(name, { standalone, signal });
  say(`${name} at ${engine.uri} after ${((Date.now() - start) / 1000).toFixed(1)} s`);
  return await work({ MONGODB_URI: engine.uri, ENGINE: JSON.stringify(traits(chosen)) });
}

/** Runs the integration tests on one engine. An unavailable engine counts as one skipped check. */
async function testOn(chosen: Chosen, signal: AbortSignal): Promise<Tally> {
  const tally = await onEngine(chosen, signal, env => runIntegration(env, signal)).catch((error: unknown) => {
    if (signal.aborted) throw error;
    const note = { title: 'integration tests', reason: messageOf(error) };
    return error instanceof Unavailable ? { ...nothing, skipped: [note] } : { ...nothing, failed: [note] };
  });
  for (const [reason, count] of countEach(tally.skipped.map(note => note.reason))) say(`skipped: ${reason} (${count})`);
  for (const { title, reason } of tally.failed) say(`failed: ${title}: ${reason}`);
  say(`${traits(chosen).name}: ${line(tally)}`);
  return named(chosen.name, tally);
}

/** Prints the table of abilities, and returns its tally. */
async function tabulate(all: readonly Chosen[], signal: AbortSignal): Promise<Tally> {
  const judged = new Map<string, Outcomes>();
  for (const { name } of all) {
    say(`${name}: trying the abilities of the driver`);
    judged.set(name, await judge(name, signal));
  }
  print(abilityTable(judged));
  return sum([...judged].map(([name, outcomes]) => named(name, tallyOf(outcomes))));
}

function end(tallies: readonly Tally[]): number {
  const total = sum(tallies);
  writeTally(total);
  return total.failed.length > 0 ? 1 : 0;
}

/**
 * Runs a command on each engine.
 * @returns the last exit code that is not 0, else 0
 */
async function runOnEach(all: readonly Chosen[], command: readonly string[], signal: AbortSignal): Promise<number> {
  let worst = 0;
  for (const each of all) worst = (await onEngine(each, signal, env => runCommand(command, env, signal))) || worst;
  return worst;
}

async function main(commandLine: CommandLine, signal: AbortSignal): Promise<number> {
  const { kind, chosen } = commandLine;
  switch (kind) {
    case 'command':
      return runOnEach(chosen, commandLine.command, signal);
    case 'table':
      return end([await tabulate(chosen, signal)]);
    case 'tests': {
      const tallies: Tally[] = [];
      for (const each of chosen) tallies.push(await testOn(each, signal));
      return end(commandLine.table ? [...tallies, await tabulate(chosen, signal)] : tallies);
    }
  }
}

await runInterruptible('engines', usage, readCommandLine, main);
