import { constants } from 'node:os';
import { Unavailable } from '@tessera-tools/engines';
import type { Tally } from '@tessera-tools/tally';
import { nothing, sum, writeTally } from '@tessera-tools/tally';
import { startServer } from 'tessera-server';
import { acceptedOf } from './accepted.js';
import type { Chosen } from './arguments.js';
import { readArguments, usage } from './arguments.js';
import type { Errand } from './peer.js';
import { peers } from './peers.js';
import { header, notesOf, rowOf, totalOf } from './table.js';
import { tallyOf } from './tally-of.js';
import type { TestResult } from './test-result.js';
import type { Verdict } from './verdict.js';
import { judge } from './verdict.js';

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupted.abort(signal));
const { signal } = interrupted;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const secondsSince = (start: number): number => (performance.now() - start) / 1000;

type Run = (errand: Errand) => Promise<readonly TestResult[]>;

/** One file, on a server of its own, which knows the commands for tests and says so. */
async function runFile(run: Run, { peer, more }: Chosen, file: string): Promise<Verdict> {
  await using server = await startServer({ testCommands: true });
  const [host, port] = server.address.split(':') as [string, string];
  try {
    const results = await run({ file, at: { host, port: Number(port) }, more, signal });
    return judge(file, results, acceptedOf(peer.name), more.length === 0);
  } catch (error) {
    if (signal.aborted || !(error instanceof Error)) throw error;
    return { file, passed: 0, failed: [{ title: file, reason: error.message }], accepted: [], skipped: [] };
  }
}

async function runPeer(chosen: Chosen): Promise<Tally> {
  const { peer, files } = chosen;
  const run = await peer.prepare(signal);
  say(`${peer.description}, against the embedded server as a standalone with test commands\n\n${header}`);
  const start = performance.now();
  const verdicts: Verdict[] = [];
  for (const file of files) {
    const begin = performance.now();
    const verdict = await runFile(run, chosen, file);
    verdicts.push(verdict);
    say(rowOf(verdict, secondsSince(begin)));
  }
  say(`${totalOf(verdicts, secondsSince(start))}\n`);
  for (const line of notesOf(verdicts)) say(line);
  return tallyOf(peer.name, verdicts);
}

/** A client that cannot be had here is one skipped check. */
async function tallyPeer(chosen: Chosen): Promise<Tally> {
  try {
    return await runPeer(chosen);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    say(`skipped: ${chosen.peer.name}: ${error.message}`);
    return { ...nothing, skipped: [{ title: `${chosen.peer.name}: its tests`, reason: error.message }] };
  }
}

async function main(): Promise<number> {
  const wish = readArguments(process.argv.slice(2), peers);
  if (wish.kind === 'mistake') {
    process.stderr.write(`${wish.sentence}\n\n${usage}`);
    return 2;
  }
  const tallies: Tally[] = [];
  for (const chosen of wish.chosen) tallies.push(await tallyPeer(chosen));
  const total = sum(tallies);
  writeTally(total);
  return total.failed.length > 0 ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!signal.aborted) process.stderr.write(`peers: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = signal.aborted ? 128 + constants.signals[signal.reason as NodeJS.Signals] : 1;
}
