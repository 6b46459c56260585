import { writeFileSync } from 'node:fs';
import { startEngine, Unavailable } from '@tessera-tools/engines';
import type { EngineName } from '@tessera-tools/engines';
import { startServer } from 'tessera-server';
import type { Wish } from './arguments.js';
import { readArguments, usage } from './arguments.js';
import { connectEngine } from './engine.js';
import { profiles } from './profiles.js';
import { summaryOf, undecidedText } from './report.js';
import { runDifferential } from './run.js';
import type { Tally } from './tally.js';

type Run = Extract<Wish, { kind: 'run' }>;

interface Check {
  readonly title: string;
  readonly reason: string;
}

const runOn = async (name: EngineName, wish: Run): Promise<Tally> => {
  await using engine = await startEngine(name);
  await using server = await startServer();
  const ours = await connectEngine('ours', server.uri);
  const theirs = await connectEngine(name, engine.uri);
  try {
    return await runDifferential(ours, theirs, profiles[name], {
      seed: wish.seed,
      operations: wish.operations,
      firstBatch: wish.batch,
      undecidedLimit: wish.undecided,
      shrinkAttempts: 200,
      lanes: 3,
      onUndecided: found => process.stdout.write(undecidedText(found, name)),
    });
  } finally {
    await ours.close();
    await theirs.close();
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
