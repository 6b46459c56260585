import { writeFileSync } from 'node:fs';
import { startEngine, Unavailable } from '@tessera-tools/engines';
import type { EngineName, RunningEngine } from '@tessera-tools/engines';
import { startServer } from 'tessera-server';
import type { Wish } from './arguments.js';
import { readArguments, usage } from './arguments.js';
import { connectEngine } from './engine.js';
import { profiles } from './profiles.js';
import { haltText, summaryOf, undecidedText } from './report.js';
import { createRun } from './run.js';
import type { Run as DifferentialRun } from './run.js';
import type { Halt, Tally } from './tally.js';

type Run = Extract<Wish, { kind: 'run' }>;

interface Check {
  readonly title: string;
  readonly reason: string;
}

const goOn = async (run: DifferentialRun, name: EngineName, uri: string): Promise<readonly string[]> => {
  await using server = await startServer();
  const ours = await connectEngine('ours', server.uri);
  const theirs = await connectEngine(name, uri);
  try {
    return (await run.go(ours, theirs)).map(({ message }) => message);
  } finally {
    await ours.close();
    await theirs.close();
  }
};

/** @returns what it said when it ended by itself, if it did */
const stop = async (engine: RunningEngine): Promise<string | undefined> => {
  try {
    await engine.stop();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

/** Starts the engine again for as long as there is something to run. */
const runOn = async (name: EngineName, wish: Run): Promise<Tally> => {
  const run = createRun(profiles[name], {
    seed: wish.seed,
    operations: wish.operations,
    firstBatch: wish.batch,
    undecidedLimit: wish.undecided,
    shrinkAttempts: 200,
    lanes: 3,
    onUndecided: found => process.stdout.write(undecidedText(found, name)),
  });
  const { tally } = run;
  for (;;) {
    const before = tally.done;
    const engine = await startEngine(name);
    let silences: readonly string[];
    let lastWords: string | undefined;
    try {
      silences = await goOn(run, name, engine.uri);
    } finally {
      lastWords = await stop(engine);
    }
    if (silences.length === 0 && lastWords === undefined) return tally;
    const halt: Halt = { silences, lastWords };
    tally.halts.push(halt);
    process.stdout.write(haltText(halt, name));
    if (silences.length === 0) return tally;
    if (tally.done === before) throw new Error(`${name} answers nothing at all: ${silences.join('; ')}`);
  }
};

const compareAll = async (wish: Run): Promise<boolean> => {
  const passed: string[] = [];
  const failed: Check[] = [];
  const skipped: Check[] = [];
  for (const name of wish.engines) {
    try {
      const tally = await runOn(name, wish);
      process.stdout.write(summaryOf(tally, name, wish.verbose));
      for (const family of tally.families.keys()) {
        const title = `differential ${name}: ${family}`;
        const found = tally.undecided.find(({ pair }) => pair.operation.family === family);
        if (found === undefined) passed.push(title);
        else failed.push({ title, reason: undecidedText(found, name) });
      }
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      process.stdout.write(`${name}: left out: ${error.message}\n`);
      skipped.push({ title: `differential ${name}`, reason: error.message });
    }
  }
  const file = process.env['TALLY'];
  if (file !== undefined) writeFileSync(file, JSON.stringify({ passed: passed.length, failed, skipped }));
  return failed.length === 0;
};

const wish = readArguments(process.argv.slice(2));
if (wish.kind === 'mistake') {
  process.stderr.write(`${wish.sentence}\n\n${usage}`);
  process.exitCode = 2;
} else if (!(await compareAll(wish))) process.exitCode = 1;
