import { conclude, messageOf, nothing, print, run } from '@tessera-tools/house';
import type { Tally as Checks } from '@tessera-tools/house';
import { startEngine } from '../outside/start.js';
import { Unavailable } from '../outside/unavailable.js';
import type { RunningEngine } from '../outside/start.js';
import { startServer } from 'tessera-server';
import { connectEngine } from './engine.js';
import { reference } from './reference.js';
import { haltText, summaryOf, undecidedText } from './report.js';
import { createRun } from './run.js';
import type { Run as DifferentialRun } from './run.js';
import type { Halt, Tally } from './tally.js';
import type { CommandLine } from './command-line.js';
import { readCommandLine, usage } from './command-line.js';
import { readCommandLine as readDriverCommandLine, usage as driverUsage } from '../facade/command-line.js';
import { compareFacades } from '../facade/main.js';
import { compareRoles, readCommandLine as readRolesCommandLine, usage as rolesUsage } from '../roles/main.js';

const { name } = reference;

const goOn = async (run: DifferentialRun, uri: string): Promise<readonly string[]> => {
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

/**
 * Stops the engine.
 * @returns the error message if the engine had ended on its own, else undefined
 */
const stop = async (engine: RunningEngine): Promise<string | undefined> => {
  try {
    await engine.stop();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
};

/** Runs all operations, and restarts the engine when it stops replying. */
const runAll = async (commandLine: CommandLine): Promise<Tally> => {
  const batches = createRun(reference, {
    seed: commandLine.seed,
    operations: commandLine.operations,
    firstBatch: commandLine.batch,
    undecidedLimit: commandLine.undecided,
    shrinkAttempts: 200,
    lanes: 3,
    onUndecided: found => process.stdout.write(undecidedText(found, name)),
  });
  const { tally } = batches;
  for (;;) {
    const before = tally.done;
    const engine = await startEngine(name);
    let unanswered: readonly string[];
    let lastWords: string | undefined;
    try {
      unanswered = await goOn(batches, engine.uri);
    } finally {
      lastWords = await stop(engine);
    }
    if (unanswered.length === 0 && lastWords === undefined) return tally;
    const halt: Halt = { unanswered, lastWords };
    tally.halts.push(halt);
    process.stdout.write(haltText(halt, name));
    if (unanswered.length === 0) return tally;
    if (tally.done === before) throw new Error(`${name} does not reply to any operation: ${unanswered.join('; ')}.`);
  }
};

/** Runs the comparison. Each family of operations counts as one check. */
const compare = async (commandLine: CommandLine): Promise<Checks> => {
  const tally = await runAll(commandLine);
  process.stdout.write(summaryOf(tally, name, commandLine.operators));
  const families = [...tally.families.keys()].map(family => ({
    title: `differential ${name}: ${family}`,
    found: tally.undecided.find(({ pair }) => pair.operation.family === family),
  }));
  const failed = families.flatMap(({ title, found }) =>
    found === undefined ? [] : [{ title, reason: undecidedText(found, name) }],
  );
  return { passed: families.length - failed.length, failed, skipped: [] };
};

const runDriver = (): Promise<void> =>
  run(driverUsage, readDriverCommandLine, async commandLine => conclude(await compareFacades(commandLine)));

const runEngine = (): Promise<void> =>
  run(usage, readCommandLine, async commandLine => {
    const checks = await compare(commandLine).catch((error: unknown): Checks => {
      if (!(error instanceof Unavailable)) throw error;
      print(`skipped: differential ${name}: ${error.message}`);
      return { ...nothing, skipped: [{ title: `differential ${name}`, reason: error.message }] };
    });
    return conclude(checks);
  });

const runRoles = (): Promise<void> => run(rolesUsage, readRolesCommandLine, ({ short }) => compareRoles(short));

const { argv } = process;
await (argv.includes('driver') ? runDriver() : argv.includes('roles') ? runRoles() : runEngine());
