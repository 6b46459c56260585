import type { Tally } from '@tessera-tools/house';
import { line, named, nothing, sum, writeTally } from '@tessera-tools/house';
import { messageOf, runInterruptible } from '../interrupt.js';
import { runCommand } from '../outside/command.js';
import { startEngine } from '../outside/start.js';
import { Unavailable } from '../outside/unavailable.js';
import { print } from '../print.js';
import { judge } from './abilities/judge.js';
import type { Outcomes } from './abilities/judge.js';
import { abilityTable, tallyOf } from './abilities/table.js';
import { runIntegration } from './integration.js';
import { compareQuickStart } from './quick-start.js';
import { traits } from './traits.js';
import { readWish, usage } from './wish.js';
import type { Chosen, Wish } from './wish.js';

const say = (sentence: string): void => void process.stderr.write(`engines: ${sentence}\n`);

/** Does the work on a running engine, and ends the engine whatever happens. */
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

/** Counts the integration tests on one engine; an engine that cannot be had is one skipped check. */
async function testOn(chosen: Chosen, signal: AbortSignal): Promise<Tally> {
  const tally = await onEngine(chosen, signal, env => runIntegration(env, signal)).catch((error: unknown) => {
    if (signal.aborted) throw error;
    const note = { title: 'integration tests', reason: messageOf(error) };
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
async function tabulate(all: readonly Chosen[], signal: AbortSignal): Promise<Tally> {
  const judged = new Map<string, Outcomes>();
  for (const { name } of all) {
    say(`${name}: what it accepts of the driver`);
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

/** Whether the quick start finds the same on the engine as on the embedded server. */
async function compare(chosen: Chosen, signal: AbortSignal): Promise<number> {
  const { equal, different } = await onEngine(chosen, signal, env =>
    compareQuickStart(env['MONGODB_URI'] ?? '', signal),
  );
  for (const sentence of different) say(`different: ${sentence}`);
  say(`${traits(chosen).name}: ${equal} steps of the quick start found the same, ${different.length} did not`);
  return different.length > 0 ? 1 : 0;
}

/** @returns the exit code of the last engine where it is not 0 */
async function onAll(all: readonly Chosen[], work: (chosen: Chosen) => Promise<number>): Promise<number> {
  let worst = 0;
  for (const chosen of all) worst = (await work(chosen)) || worst;
  return worst;
}

async function main(wish: Wish, signal: AbortSignal): Promise<number> {
  const { kind, chosen } = wish;
  switch (kind) {
    case 'compare':
      return onAll(chosen, each => compare(each, signal));
    case 'command':
      return onAll(chosen, each => onEngine(each, signal, env => runCommand(wish.command, env, signal)));
    case 'table':
      return end([await tabulate(chosen, signal)]);
    case 'tests': {
      const tallies: Tally[] = [];
      for (const each of chosen) tallies.push(await testOn(each, signal));
      return end(wish.table ? [...tallies, await tabulate(chosen, signal)] : tallies);
    }
  }
}

await runInterruptible('engines', usage, readWish, main);
