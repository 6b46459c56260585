import { createNode } from '@tessera/node';
import { knownOf } from './known/known.js';
import type { Known } from './known/known.js';
import { secantusdb } from './known/secantusdb.js';
import type { Wish } from './arguments.js';
import type { Result } from './suite.js';
import type { Case } from './unified/cases.js';
import type { Bench } from './unified/deployment.js';
import { combinations, createEmbedded } from './unified/embedded.js';
import { merge } from './unified/merge.js';
import { runOnBench } from './unified/run.js';
import type { Execution } from './unified/run.js';
import type { Seen } from './unified/run-test.js';
import { createSecantusdb } from './unified/secantusdb.js';

type Open = () => Bench | Promise<Bench>;

/** Each is opened when it is its turn. */
const benches = ({ engine, chosen }: Wish): readonly Open[] => {
  if (engine === 'secantusdb')
    return [false, true].filter(auth => (chosen.auth ?? auth) === auth).map(auth => () => createSecantusdb(auth));
  const host = createNode();
  return combinations(chosen).map(combination => () => createEmbedded(combination, host));
};

/** The embedded server has none. */
const knownFaults = ({ engine }: Wish): readonly Known[] => (engine === 'embedded' ? [] : secantusdb);

const countOf = (cases: readonly Case[], executions: readonly Execution[], known: readonly Known[]): string => {
  const failed = cases.filter((_, index) => executions[index]!.outcome === 'failed');
  const expected = failed.filter(one => knownOf(known, one) !== undefined).length;
  const passed = executions.filter(({ outcome }) => outcome === 'passed').length;
  return `${passed} passed, ${failed.length - expected} failed${expected === 0 ? '' : `, ${expected} as is known`}`;
};

/** The cases that failed at first, as they may where time passes. */
const lateOf = (cases: readonly Case[], executions: readonly Execution[]): readonly string[] =>
  cases.flatMap(({ file, name }, index) => {
    const execution = executions[index]!;
    const first = execution.outcome === 'passed' ? execution.first : undefined;
    return first === undefined ? [] : [`passed when it was run again: ${file}: ${name}: ${first}`];
  });

/**
 * Runs the cases on one bench after another.
 * @param tell told of each bench when it is done, and of what was seen in a case that failed
 */
export const runOnBenches = async (
  all: readonly Open[],
  cases: readonly Case[],
  { short, verbose }: Pick<Wish, 'short' | 'verbose'>,
  known: readonly Known[],
  tell: (line: string) => void,
): Promise<readonly (Result & { readonly suite: string })[]> => {
  const perBench: (readonly Execution[])[] = [];
  let told: readonly string[] = [];
  const seen: Seen = ({ entities }) => {
    told = entities.clients.flatMap(client => client.trace);
  };
  const done = new Set<Case>();
  for (const open of all) {
    const start = Date.now();
    await using bench = await open();
    const watch = (one: Case, execution: Execution): void => {
      if (short && execution.outcome !== 'skipped') done.add(one);
      if (verbose && execution.outcome === 'failed')
        tell([`${bench.name}: ${one.file}: ${one.name}: ${execution.reason}`, ...told].join('\n  '));
      told = [];
    };
    const executions = await runOnBench(bench, cases, {
      seen: verbose ? seen : undefined,
      watch,
      isDone: one => done.has(one),
    });
    perBench.push(executions);
    for (const line of lateOf(cases, executions)) tell(`${bench.name}: ${line}`);
    tell(`${bench.name}: ${countOf(cases, executions, known)}, in ${Date.now() - start} ms`);
  }
  return merge(cases, perBench, known);
};

/** Runs the cases on the benches that are wanted. */
export const runUnified = (
  wish: Wish,
  cases: readonly Case[],
  tell: (line: string) => void,
): ReturnType<typeof runOnBenches> => runOnBenches(benches(wish), cases, wish, knownFaults(wish), tell);
