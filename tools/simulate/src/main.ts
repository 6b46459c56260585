import { conclude, run, sum } from '@tessera-tools/house';
import type { Note, Tally } from '@tessera-tools/house';
import { readCommandLine, usage } from './arguments.js';
import type { Seeds, CommandLine } from './arguments.js';
import { judge } from './kernel/invariant.js';
import type { Kind, Mutant } from './kernel/kind.js';
import { planText } from './kernel/plan.js';
import type { Lived } from './kernel/record.js';
import { shrink, tryPlan } from './kernel/shrink.js';
import type { Failure } from './kernel/shrink.js';
import { timeLine } from './kernel/time-line.js';
import { allMutants, kindOf } from './kinds.js';
import { readKnownSeeds, writeKnownSeeds } from './known-seeds.js';
import type { KnownSeeds } from './known-seeds.js';
import type { Finding } from './share.js';
import { runInThreads } from './threads.js';

const say = (text: string): void => void process.stdout.write(text);

/** The stacks of errors in a history are never read, and each costs time. */
Error.stackTraceLimit = 0;

/** The number of failures that are shown with their shortest history. The others get one line each. */
const shown = 3;
const shrinkTries = 300;

const passed = (count: number, failed: readonly Note[] = []): Tally => ({
  passed: count,
  failed: [...failed],
  skipped: [],
});

const historyText = (kind: Kind, history: Lived, packets: boolean): string =>
  planText(history.plan, kind.deploymentText(history.plan)) + timeLine(history, packets);

/** Prints the shortest history that still fails. */
const showShortest = async (kind: Kind, failure: Failure, parts: Mutant['parts']): Promise<void> => {
  const { history, breach } = await shrink(kind, failure, parts, shrinkTries);
  say(`${historyText(kind, history, false)}broken: ${breach.invariant}: ${breach.seen}\n`);
};

/** Runs histories of the unchanged driver. Each counts as one check. */
const runHistories = async ({ from, histories }: Seeds): Promise<Tally> => {
  const began = performance.now();
  const found: Extract<Finding, { is: 'breach' }>[] = [];
  await runInThreads({ what: 'histories', from, histories, known: {} }, finding => {
    if (finding.is === 'breach') found.push(finding);
  });
  const seconds = (performance.now() - began) / 1000;
  found.sort((a, b) => a.seed - b.seed);
  for (const [place, { seed, breach }] of found.entries()) {
    const kind = kindOf(seed);
    const failure = place < shown ? await tryPlan(kind, kind.draw(seed), () => ({})) : undefined;
    if (failure !== undefined) await showShortest(kind, failure, () => ({}));
    say(`seed ${seed}: ${breach.invariant}: ${breach.seen}\nagain: npm run simulate -- --seed ${seed}\n\n`);
  }
  say(
    `${histories} histories from seed ${from}: ${found.length} failed ` +
      `(${seconds.toFixed(1)} s, ${Math.round(histories / seconds)} a second)\n`,
  );
  const failed = found.map(({ seed, breach }) => ({
    title: `simulate: seed ${seed}: ${breach.invariant}`,
    reason: breach.seen,
  }));
  return passed(histories - failed.length, failed);
};

/** Checks that some history finds each mutant, by the invariant that it breaks. Returns the seeds by the mutants' names. */
const findMutants = async (
  { from, histories }: Seeds,
  known: KnownSeeds = {},
): Promise<{ readonly tally: Tally; readonly seeds: KnownSeeds }> => {
  const began = performance.now();
  const found = new Map<number, number | undefined>();
  await runInThreads({ what: 'mutants', from, histories, known }, finding => {
    if (finding.is === 'mutant') found.set(finding.mutant, finding.seed);
  });
  const failed: Note[] = [];
  const seeds: Record<string, number> = {};
  for (const [index, { mutant }] of allMutants.entries()) {
    const { name, sentence, breaks } = mutant;
    const seed = found.get(index);
    if (seed === undefined)
      failed.push({ title: `simulate: mutant ${name}`, reason: `No history found it: ${sentence}.` });
    else seeds[name] = seed;
    const how =
      seed === undefined ? `NOT FOUND by ${histories} histories` : `found by seed ${String(seed).padStart(3)}`;
    say(`${name.padEnd(34)} ${how}: ${breaks.name}\n`);
  }
  const seconds = (performance.now() - began) / 1000;
  say(`${allMutants.length} mutants, ${failed.length} not found (${seconds.toFixed(1)} s)\n`);
  return { tally: passed(allMutants.length - failed.length, failed), seeds };
};

/** Searches for each mutant from the first seed. */
const searchMutants = async (seeds: Seeds, isWritten: boolean): Promise<Tally> => {
  const found = await findMutants(seeds);
  if (isWritten) writeKnownSeeds(found.seeds);
  return found.tally;
};

/** Runs histories, and tries the seeds by which mutants were found before. */
const runShort = async (seeds: Seeds): Promise<Tally> =>
  sum([await runHistories(seeds), (await findMutants(seeds, readKnownSeeds())).tally]);

const showOne = async (seed: number, packets: boolean): Promise<Tally> => {
  const kind = kindOf(seed);
  const history = await kind.run(kind.draw(seed), {});
  const breach = judge(kind.invariants, history);
  say(historyText(kind, history, packets));
  if (breach === undefined) {
    say(`All ${kind.invariants.length} invariants hold.\n`);
    return passed(1);
  }
  say(`broken: ${breach.invariant}: ${breach.seen}\n`);
  return passed(0, [{ title: `seed ${seed}: ${breach.invariant}`, reason: breach.seen }]);
};

const missed = (name: string, reason: string): Tally => {
  say(`${reason}\n`);
  return passed(0, [{ title: `simulate: mutant ${name}`, reason }]);
};

/** Prints the shortest history that finds a mutant, by any invariant. */
const showMutant = async (name: string, { from, histories }: Seeds): Promise<Tally> => {
  const found = allMutants.find(({ mutant }) => mutant.name === name);
  const names = allMutants.map(({ mutant }) => mutant.name).join(', ');
  if (found === undefined) return missed(name, `There is no mutant "${name}": ${names}.`);
  const { kind, mutant } = found;
  for (let seed = from; seed < from + histories; seed += 1) {
    const failure = await tryPlan(kind, kind.draw(seed), mutant.parts);
    if (failure === undefined) continue;
    say(`${name}: ${mutant.sentence}\n`);
    await showShortest(kind, failure, mutant.parts);
    return passed(1);
  }
  return missed(name, `no history of ${histories} found it`);
};

const perform = (commandLine: CommandLine): Promise<Tally> => {
  switch (commandLine.kind) {
    case 'seed':
      return showOne(commandLine.seed, commandLine.packets);
    case 'mutant':
      return showMutant(commandLine.name, commandLine);
    case 'mutants':
      return searchMutants(commandLine, commandLine.write);
    case 'histories':
      return runHistories(commandLine);
    case 'short':
      return runShort(commandLine);
  }
};

await run(usage, readCommandLine, async commandLine => conclude(await perform(commandLine)));
