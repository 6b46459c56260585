/** Runs cases on benches, and says what became of each. */
import type { Known } from '../known/known.js';
import { knownOf } from '../known/known.js';
import type { Result } from '../suite.js';
import type { Case } from './cases.js';
import { askTraits } from './deployment.js';
import type { Bench, Traits } from './deployment.js';
import { featuresOf } from './features.js';
import type { Feature } from './features.js';
import { unmet } from './requirements.js';
import type { Want } from './requirements.js';
import { runTest } from './run-test.js';
import type { Seen } from './run-test.js';

/** Why a case was not run on a bench. */
type Skip =
  | { readonly is: 'own'; readonly reason: string }
  | { readonly is: 'feature'; readonly feature: Feature }
  | { readonly is: 'requirement'; readonly wants: readonly Want[] }
  /** It ran on another bench, and once is enough. */
  | { readonly is: 'done' };

/** What became of a case on one bench. */
export type Execution =
  | { readonly outcome: 'passed'; readonly bench: string }
  | { readonly outcome: 'failed'; readonly bench: string; readonly reason: string }
  | { readonly outcome: 'skipped'; readonly bench: string; readonly skip: Skip };

const skipOf = ({ unified, test }: Case, bench: Bench, traits: Traits): Skip | undefined => {
  if (test.skipReason !== undefined) return { is: 'own', reason: test.skipReason };
  const feature = featuresOf(unified, test).find(one => bench.lacks.has(one));
  if (feature !== undefined) return { is: 'feature', feature };
  const wants = [unified, test].map(({ runOnRequirements }) => unmet(runOnRequirements, traits));
  const [first] = wants.filter(all => all.length > 0);
  return first === undefined ? undefined : { is: 'requirement', wants: first };
};

const message = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A case to be found wrong passes by failing. */
const judged = (bench: string, { mustFail }: Case, reason: string | undefined): Execution => {
  if ((reason === undefined) !== mustFail) return { outcome: 'passed', bench };
  return { outcome: 'failed', bench, reason: reason ?? 'it is wrong, and was not found to be' };
};

const runCase = async (one: Case, bench: Bench, traits: Traits, seen: Seen | undefined): Promise<Execution> => {
  if (one.unreadable !== undefined) return judged(bench.name, one, one.unreadable);
  const skip = skipOf(one, bench, traits);
  if (skip !== undefined) return { outcome: 'skipped', bench: bench.name, skip };
  try {
    await bench.lend(deployment => runTest(deployment, traits, one.unified, one.test, seen));
    return judged(bench.name, one, undefined);
  } catch (error) {
    return judged(bench.name, one, message(error));
  }
};

/** Called after each case that failed, with what its clients were seen to do. */
export type Watch = (one: Case, execution: Execution) => void;

export interface RunOptions {
  readonly seen?: Seen | undefined;
  readonly watch?: Watch | undefined;
  /** Those that need not be run. */
  readonly isDone?: (one: Case) => boolean;
}

/** Each of the cases on the bench, in order. */
export const runOnBench = async (
  bench: Bench,
  cases: readonly Case[],
  { seen, watch, isDone = () => false }: RunOptions = {},
): Promise<readonly Execution[]> => {
  const traits = await bench.lend(askTraits);
  const executions: Execution[] = [];
  for (const one of cases) {
    const done: Execution = { outcome: 'skipped', bench: bench.name, skip: { is: 'done' } };
    const execution = isDone(one) ? done : await runCase(one, bench, traits, seen);
    watch?.(one, execution);
    executions.push(execution);
  }
  return executions;
};

/** What no deployment of one server is. */
const clusters: readonly string[] = ['sharded', 'load-balanced'];

/** The features that a requirement is about, if it is about any. */
const featureOf = ({ of, what }: Want): string | undefined => {
  if (of === 'encryption') return of;
  if (of === 'mechanism' && what === 'MONGODB-OIDC') return 'OIDC';
  const wanted = what.split(' or ');
  return of === 'topology' && wanted.every(one => clusters.includes(one)) ? wanted[0] : undefined;
};

const told = ({ of, what }: Want): string => `${of}: ${what}`;

const reasonOf = (skips: readonly Skip[]): { readonly reason: string; readonly isFeature: boolean } => {
  const own = skips.find(skip => skip.is === 'own');
  if (own !== undefined) return { reason: `its own skipReason: ${own.reason}`, isFeature: true };
  const feature = skips.find(skip => skip.is === 'feature');
  if (feature !== undefined) return { reason: feature.feature, isFeature: true };
  const wants = skips.flatMap(skip => (skip.is === 'requirement' ? skip.wants : []));
  const features = wants.map(featureOf);
  if (features[0] !== undefined && !features.includes(undefined)) return { reason: features[0], isFeature: true };
  return { reason: `it is for other deployments: ${[...new Set(wants.map(told))].join('; ')}`, isFeature: false };
};

/** What became of one case on all benches. */
const merged = (executions: readonly Execution[], isWhole: boolean): Pick<Result, 'outcome' | 'reason'> => {
  const failures = executions.filter(one => one.outcome === 'failed');
  if (failures.length > 0) {
    const [{ bench, reason }] = failures as [(typeof failures)[number]];
    const more = failures.length > 1 ? ` and on ${failures.length - 1} more` : '';
    return { outcome: 'failed', reason: `on ${bench}${more}: ${reason}` };
  }
  if (executions.some(({ outcome }) => outcome === 'passed')) return { outcome: 'passed' };
  const { reason, isFeature } = reasonOf(executions.flatMap(one => (one.outcome === 'skipped' ? [one.skip] : [])));
  // Then nobody would ever run it.
  if (isWhole && !isFeature) return { outcome: 'failed', reason: `no combination runs it: ${reason}` };
  return { outcome: 'skipped', reason };
};

export interface MergeOptions {
  /** All benches were used that there are: each case must have run, or lack a feature. */
  readonly isWhole: boolean;
  readonly known: readonly Known[];
}

/** The results of the cases, given what became of each on every bench. */
export const merge = (
  cases: readonly Case[],
  perBench: readonly (readonly Execution[])[],
  { isWhole, known }: MergeOptions,
): readonly (Result & { readonly suite: string })[] =>
  cases.map((one, index) => {
    const { suite, file, name } = one;
    const result = merged(
      perBench.map(executions => executions[index]!),
      isWhole,
    );
    const entry = knownOf(known, one);
    if (entry === undefined || result.outcome === 'skipped') return { suite, file, name, ...result };
    if (result.outcome === 'failed') return { suite, file, name, outcome: 'skipped', reason: `known: ${entry.reason}` };
    return { suite, file, name, outcome: 'failed', reason: `it passes: take it from the list of what is known` };
  });
