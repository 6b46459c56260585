import { line, sum, writeTally } from '@tessera-tools/tally';
import type { Note, Tally } from '@tessera-tools/tally';
import { readArguments, usage } from './arguments.js';
import type { Wish } from './arguments.js';
import { drawPlan } from './draw-plan.js';
import { invariants, judge } from './invariants/all.js';
import { mutants } from './mutants/all.js';
import { runHistory } from './run-history.js';
import { shrink, tryPlan } from './shrink.js';
import type { Failure } from './shrink.js';
import { planText, timeLine } from './time-line.js';

const say = (text: string): void => void process.stdout.write(text);

/** Nobody reads the stacks of the errors in a history, and each costs. */
Error.stackTraceLimit = 0;

const seconds = (since: number): string => ((performance.now() - since) / 1000).toFixed(1);

const failureText = ({ history, breach }: Failure): string =>
  `${planText(history.plan)}${timeLine(history, false)}broken: ${breach.invariant}: ${breach.seen}\n`;

/** Each as one check; of the first few that fail, the shortest history. */
const runHistories = async (from: number, count: number): Promise<Tally> => {
  const began = performance.now();
  const failed: Note[] = [];
  for (let seed = from; seed < from + count; seed += 1) {
    const failure = await tryPlan(drawPlan(seed), {});
    if (failure === undefined) continue;
    const { invariant, seen } = failure.breach;
    failed.push({ title: `simulate: seed ${seed}: ${invariant}`, reason: seen });
    if (failed.length <= 3)
      say(`${failureText(await shrink(failure, {}, 300))}again: npm run simulate -- --seed ${seed}\n\n`);
    else say(`seed ${seed}: ${invariant}: ${seen}\n`);
  }
  const rate = count / ((performance.now() - began) / 1000);
  say(
    `${count} histories from seed ${from}, ${invariants.length} invariants: ${failed.length} failed (${seconds(began)} s, ${rate.toFixed(0)} histories/s)\n`,
  );
  return { passed: count - failed.length, failed, skipped: [] };
};

const showOne = async (seed: number, packets: boolean): Promise<Tally> => {
  const history = await runHistory(drawPlan(seed));
  say(`${planText(history.plan)}${timeLine(history, packets)}`);
  const breach = judge(history);
  if (breach === undefined) say(`All ${invariants.length} invariants hold.\n`);
  else say(`broken: ${breach.invariant}: ${breach.seen}\n`);
  const failed =
    breach === undefined ? [] : [{ title: `simulate: seed ${seed}: ${breach.invariant}`, reason: breach.seen }];
  return { passed: 1 - failed.length, failed, skipped: [] };
};

/** Every mutant must be found by some history, by the invariant that it breaks; says how soon. */
const findMutants = async (from: number, limit: number): Promise<Tally> => {
  const began = performance.now();
  const failed: Note[] = [];
  for (const { name, sentence, breaks, parts } of mutants) {
    let found: string | undefined;
    let seed = from;
    for (; found === undefined && seed < from + limit; seed += 1)
      found = breaks.broken(await runHistory(drawPlan(seed), parts()));
    if (found === undefined) {
      failed.push({ title: `simulate: mutant ${name}`, reason: `${sentence}: not found by ${limit} histories` });
      say(`${name}: NOT FOUND by ${limit} histories: ${sentence}\n`);
    } else say(`${name.padEnd(32)} found after ${String(seed - from).padStart(3)}: ${breaks.name}\n`);
  }
  say(`${mutants.length} mutants, ${failed.length} not found (${seconds(began)} s)\n`);
  return { passed: mutants.length - failed.length, failed, skipped: [] };
};

const perform = async (wish: Wish): Promise<Tally> => {
  switch (wish.kind) {
    case 'seed':
      return showOne(wish.from, wish.packets);
    case 'mutants':
      return findMutants(wish.from, Math.max(wish.histories, 1));
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
