import { createNode } from '@tessera/node';
import { knownOf } from './known/known.js';
import type { Known } from './known/known.js';
import { secantusdb } from './known/secantusdb.js';
import type { Arguments } from './arguments.js';
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

/** Returns functions that open each bench when its turn comes. */
const benches = ({ engine, chosen }: Arguments): readonly Open[] => {
  if (engine === 'secantusdb')
    return [false, true].filter(auth => (chosen.auth ?? auth) === auth).map(auth => () => createSecantusdb(auth));
  const host = createNode();
  return combinations(chosen).map(combination => () => createEmbedded(combination, host));
};

/** Returns the known faults of the engine; none for the embedded server. */
const knownFaults = ({ engine }: Arguments): readonly Known[] => (engine === 'embedded' ? [] : secantusdb);

const countOf = (cases: readonly Case[], executions: readonly Execution[], known: readonly Known[]): string => {
  const failed = cases.filter((_, index) => executions[index]!.outcome === 'failed');
  const expected = failed.filter(one => knownOf(known, one) !== undefined).length;
  const passed = executions.filter(({ outcome }) => outcome === 'passed').length;
  return `${passed} passed, ${failed.length - expected} failed${expected === 0 ? '' : `, ${expected} failed as known`}`;
};

/** Reports the cases that failed at first and passed when run again, which can happen in real time. */
const lateOf = (cases: readonly Case[], executions: readonly Execution[]): readonly string[] =>
  cases.flatMap(({ file, name }, index) => {
    const execution = executions[index]!;
    const first = execution.outcome === 'passed' ? execution.first : undefined;
    return first === undefined ? [] : [`passed when run again: ${file}: ${name}: ${first}`];
  });

/**
 * Runs the cases on each bench in turn and merges the results.
 * @param report receives a line when a bench completes, and the commands and replies of failed cases if `verbose` is
 * set
 */
export const runOnBenches = async (
  all: readonly Open[],
  cases: readonly Case[],
  { short, verbose }: Pick<Arguments, 'short' | 'verbose'>,
  known: readonly Known[],
  report: (line: string) => void,
): Promise<readonly (Result & { readonly suite: string })[]> => {
  const perBench: (readonly Execution[])[] = [];
  let trace: readonly string[] = [];
  const seen: Seen = ({ entities }) => {
    trace = entities.clients.flatMap(client => client.trace);
  };
  const done = new Set<Case>();
  for (const open of all) {
    const start = Date.now();
    await using bench = await open();
    const watch = (one: Case, execution: Execution): void => {
      if (short && execution.outcome !== 'skipped') done.add(one);
      if (verbose && execution.outcome === 'failed')
        report([`${bench.name}: ${one.file}: ${one.name}: ${execution.reason}`, ...trace].join('\n  '));
      trace = [];
    };
    const executions = await runOnBench(bench, cases, {
      seen: verbose ? seen : undefined,
      watch,
      isDone: one => done.has(one),
    });
    perBench.push(executions);
    for (const line of lateOf(cases, executions)) report(`${bench.name}: ${line}`);
    report(`${bench.name}: ${countOf(cases, executions, known)}, in ${Date.now() - start} ms`);
  }
  return merge(cases, perBench, known);
};

/** Runs the cases on the benches selected by the arguments. */
export const runUnified = (
  args: Arguments,
  cases: readonly Case[],
  report: (line: string) => void,
): ReturnType<typeof runOnBenches> => runOnBenches(benches(args), cases, args, knownFaults(args), report);
