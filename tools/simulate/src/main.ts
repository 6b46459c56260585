import { line, sum, writeTally } from '@tessera-tools/house';
import type { Note, Tally } from '@tessera-tools/house';
import { readArguments, usage } from './arguments.js';
import type { Wish } from './arguments.js';
import { judge } from './invariants/invariant.js';
import type { AnyPlan, Kind } from './kind.js';
import { allMutants, withKindOf } from './kinds.js';
import type { Mutant } from './mutants/mutant.js';
import type { Finding } from './share.js';
import { shrink, tryPlan } from './shrink.js';
import type { Failure } from './shrink.js';
import type { Swaps } from './swaps.js';
import { runInThreads } from './threads.js';
import { timeLine } from './time-line.js';

const say = (text: string): void => void process.stdout.write(text);

/** Nobody reads the stacks of the errors in a history, and each costs. */
Error.stackTraceLimit = 0;

/** So many failures are shown with the shortest history that still fails; of the others there is one line. */
const shown = 3;
const shrinkTries = 300;

/** The driver as it is. */
const ours = (): Swaps => ({});

const failureText = <P extends AnyPlan>({ planText }: Kind<P>, { history, breach }: Failure<P>): string =>
  `${planText(history.plan)}${timeLine(history, false)}broken: ${breach.invariant}: ${breach.seen}\n`;

const showShortest = async <P extends AnyPlan>(kind: Kind<P>, seed: number): Promise<void> => {
  const failure = await tryPlan(kind, kind.draw(seed), ours);
  if (failure !== undefined) say(failureText(kind, await shrink(kind, failure, ours, shrinkTries)));
};

/** Each as one check. */
const runHistories = async (from: number, histories: number): Promise<Tally> => {
  const began = performance.now();
  const found: Extract<Finding, { is: 'breach' }>[] = [];
  await runInThreads({ what: 'histories', from, histories }, finding => {
    if (finding.is === 'breach') found.push(finding);
  });
  const seconds = (performance.now() - began) / 1000;
  found.sort((a, b) => a.seed - b.seed);
  for (const [place, { seed, breach }] of found.entries()) {
    if (place < shown) await withKindOf(seed, kind => showShortest(kind, seed));
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
  return { passed: histories - failed.length, failed, skipped: [] };
};

/** Every mutant must be found by some history, by the invariant that it breaks; says how soon. */
const findMutants = async (from: number, histories: number): Promise<Tally> => {
  const began = performance.now();
  const after = new Map<number, number | undefined>();
  await runInThreads({ what: 'mutants', from, histories }, finding => {
    if (finding.is === 'mutant') after.set(finding.mutant, finding.after);
  });
  const failed: Note[] = [];
  for (const [index, { mutant }] of allMutants.entries()) {
    const { name, sentence, breaks } = mutant;
    const count = after.get(index);
    if (count === undefined) failed.push({ title: `simulate: mutant ${name}`, reason: `${sentence}: not found` });
    const how =
      count === undefined ? `NOT FOUND by ${histories} histories` : `found after ${String(count).padStart(3)}`;
    say(`${name.padEnd(34)} ${how}: ${breaks.name}\n`);
  }
  const seconds = (performance.now() - began) / 1000;
  say(`${allMutants.length} mutants, ${failed.length} not found (${seconds.toFixed(1)} s)\n`);
  return { passed: allMutants.length - failed.length, failed, skipped: [] };
};

const showOne = async <P extends AnyPlan>(
  { draw, run, invariants, planText }: Kind<P>,
  seed: number,
  packets: boolean,
): Promise<Tally> => {
  const history = await run(draw(seed), ours());
  const breach = judge(invariants, history);
  say(`${planText(history.plan)}${timeLine(history, packets)}`);
  if (breach === undefined) {
    say(`All ${invariants.length} invariants hold.\n`);
    return { passed: 1, failed: [], skipped: [] };
  }
  say(`broken: ${breach.invariant}: ${breach.seen}\n`);
  return { passed: 0, failed: [{ title: `seed ${seed}: ${breach.invariant}`, reason: breach.seen }], skipped: [] };
};

const missed = (name: string, reason: string): Tally => {
  say(`${reason}\n`);
  return { passed: 0, failed: [{ title: `simulate: mutant ${name}`, reason }], skipped: [] };
};

/** By any invariant: what is shown is how it looks when something is wrong. */
const findAndShow = async <P extends AnyPlan>(
  kind: Kind<P>,
  { name, sentence, parts }: Mutant,
  from: number,
  histories: number,
): Promise<Tally> => {
  for (let seed = from; seed < from + histories; seed += 1) {
    const failure = await tryPlan(kind, kind.draw(seed), parts);
    if (failure === undefined) continue;
    say(`${name}: ${sentence}\n${failureText(kind, await shrink(kind, failure, parts, shrinkTries))}`);
    return { passed: 1, failed: [], skipped: [] };
  }
  return missed(name, `not found by ${histories} histories`);
};

const showMutant = async (name: string, from: number, histories: number): Promise<Tally> => {
  const placed = allMutants.find(({ mutant }) => mutant.name === name);
  if (placed !== undefined) return placed.withKind(kind => findAndShow(kind, placed.mutant, from, histories));
  const names = allMutants.map(({ mutant }) => mutant.name).join(', ');
  return missed(name, `There is no mutant "${name}": ${names}.`);
};

const perform = async (wish: Wish): Promise<Tally> => {
  switch (wish.kind) {
    case 'seed':
      return withKindOf(wish.from, kind => showOne(kind, wish.from, wish.packets));
    case 'mutant':
      return showMutant(wish.name, wish.from, wish.histories);
    case 'mutants':
      return findMutants(wish.from, wish.histories);
    case 'histories':
      return runHistories(wish.from, wish.histories);
    case 'short':
      return sum([await runHistories(wish.from, wish.histories), await findMutants(wish.from, wish.histories)]);
  }
};

const wish = readArguments(process.argv.slice(2));
if (wish.kind === 'mistake') {
  process.stderr.write(`${wish.sentence}\n\n${usage}`);
  process.exitCode = 2;
} else {
  const tally = await perform(wish);
  writeTally(tally);
  say(`${line(tally)}\n`);
  if (tally.failed.length > 0) process.exitCode = 1;
}
