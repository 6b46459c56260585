/** What became of each case on all benches together. */
import type { Known } from '../known/known.js';
import { knownOf } from '../known/known.js';
import type { Result } from '../suite.js';
import type { Case } from './cases.js';
import type { Want } from './requirements.js';
import type { Execution, Skip } from './run.js';

/** What no deployment of one server is. */
const clusters: readonly string[] = ['sharded', 'load-balanced'];

/** The features that a requirement is about, if it is about any. */
const featureOf = ({ of, what }: Want): string | undefined => {
  if (of === 'encryption') return of;
  if (of === 'mechanism' && what === 'MONGODB-OIDC') return 'OIDC';
  // No server has a second version of the API unless it is told so for tests.
  if (of === 'parameters' && what === 'acceptApiVersion2: true') return 'API version 2';
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
  // On those of the right version.
  const features = wants.filter(({ of }) => of !== 'version').map(featureOf);
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
