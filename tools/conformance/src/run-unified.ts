import { createNode } from '@tessera/node';
import { embedded } from './known/embedded.js';
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

/** What one bench did, for the summary. */
export interface BenchReport {
  readonly name: string;
  readonly executions: readonly Execution[];
  readonly milliseconds: number;
}

export interface UnifiedReport {
  readonly results: readonly (Result & { readonly suite: string })[];
  readonly benches: readonly BenchReport[];
}

/** @param tell told of each bench when it is done, and of what was seen in a case that failed */
export const runUnified = async (
  wish: Wish,
  cases: readonly Case[],
  tell: (line: string) => void,
): Promise<UnifiedReport> => {
  const reports: BenchReport[] = [];
  let told: readonly string[] = [];
  const seen: Seen = ({ entities }) => {
    told = entities.clients.flatMap(client => client.trace);
  };
  const done = new Set<Case>();
  for (const open of benches(wish)) {
    const start = Date.now();
    await using bench = await open();
    const watch = (one: Case, execution: Execution): void => {
      if (wish.short && execution.outcome !== 'skipped') done.add(one);
      if (wish.verbose && execution.outcome === 'failed')
        tell([`${bench.name}: ${one.file}: ${one.name}: ${execution.reason}`, ...told].join('\n  '));
      told = [];
    };
    const executions = await runOnBench(bench, cases, {
      seen: wish.verbose ? seen : undefined,
      watch,
      isDone: one => done.has(one),
    });
    reports.push({ name: bench.name, executions, milliseconds: Date.now() - start });
    const ran = executions.filter(({ outcome }) => outcome !== 'skipped');
    const failed = ran.filter(({ outcome }) => outcome === 'failed').length;
    for (const one of executions)
      if (one.outcome === 'passed' && one.first !== undefined)
        tell(`${bench.name}: passed when run again: ${one.first}`);
    tell(`${bench.name}: ${ran.length - failed} passed, ${failed} failed, in ${Date.now() - start} ms`);
  }
  const isWhole = wish.engine === 'embedded' && Object.keys(wish.chosen).length === 0;
  const known = wish.engine === 'embedded' ? embedded : secantusdb;
  return {
    results: merge(
      cases,
      reports.map(({ executions }) => executions),
      { isWhole, known },
    ),
    benches: reports,
  };
};
