import { constants } from 'node:os';
import { line, sum, writeTally } from '@tessera-tools/house';
import { readArguments, usage } from './arguments.js';
import { peers } from './peers.js';
import type { Ran } from './run.js';
import { runPeer } from './run.js';
import { summaryHeader } from './table.js';

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupted.abort(signal));
const { signal } = interrupted;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function main(): Promise<number> {
  const wish = readArguments(process.argv.slice(2), peers);
  if (wish.kind === 'mistake') {
    process.stderr.write(`${wish.sentence}\n\n${usage}`);
    return 2;
  }
  const all: Ran[] = [];
  for (const chosen of wish.chosen) all.push(await runPeer(chosen, { say, signal, against: wish.against }));
  if (all.length > 1) for (const each of [summaryHeader, ...all.map(ran => ran.line), '']) say(each);
  const total = sum(all.map(({ tally }) => tally));
  writeTally(total);
  say(line(total));
  return total.failed.length > 0 ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!signal.aborted) process.stderr.write(`peers: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = signal.aborted ? 128 + constants.signals[signal.reason as NodeJS.Signals] : 1;
}
