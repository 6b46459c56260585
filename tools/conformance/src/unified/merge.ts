/** Merges the results of each case on all benches. */
import type { Known } from '../known/known.js';
import { knownOf } from '../known/known.js';
import { knownReason, ownReason } from '../skips.js';
import type { Result } from '../suite.js';
import type { Case } from './cases.js';
import type { Want } from './requirements.js';
import type { Execution, Skip } from './run.js';

/** Topologies that need several servers. */
const clusters: readonly string[] = ['sharded', 'load-balanced'];

/** Returns the feature that an unmet requirement needs, if it is a feature. */
const featureOf = ({ of, what }: Want): string | undefined => {
  if (of === 'encryption') return of;
  if (of === 'mechanism' && what === 'MONGODB-OIDC') return 'OIDC';
  const wanted = what.split(' or ');
  return of === 'topology' && wanted.every(one => clusters.includes(one)) ? wanted[0] : undefined;
};

const textOf = ({ of, what }: Want): string => `${of}: ${what}`;

const reasonOf = (skips: readonly Skip[]): string => {
  const own = skips.find(skip => skip.is === 'own');
  if (own !== undefined) return `${ownReason}${own.reason}`;
  const feature = skips.find(skip => skip.is === 'feature');
  if (feature !== undefined) return feature.feature;
  const wants = skips.flatMap(skip => (skip.is === 'requirement' ? skip.wants : []));
  // Consider only the benches whose version fits.
  const features = wants.filter(({ of }) => of !== 'version').map(featureOf);
  if (features[0] !== undefined && !features.includes(undefined)) return features[0];
  return `requires another deployment: ${[...new Set(wants.map(textOf))].join('; ')}`;
};

/** Merges the results of one case: failed if any bench failed, passed if any passed, else skipped. */
const merged = (executions: readonly Execution[]): Pick<Result, 'outcome' | 'reason'> => {
  const failures = executions.filter(one => one.outcome === 'failed');
  if (failures.length > 0) {
    const [{ bench, reason }] = failures as [(typeof failures)[number]];
    const more = failures.length > 1 ? ` and on ${failures.length - 1} more` : '';
    return { outcome: 'failed', reason: `on ${bench}${more}: ${reason}` };
  }
  if (executions.some(({ outcome }) => outcome === 'passed')) return { outcome: 'passed' };
  const reason = reasonOf(executions.flatMap(one => (one.outcome === 'skipped' ? [one.skip] : [])));
  return { outcome: 'skipped', reason };
};

/**
 * Merges the results of all cases. A failure that is known is reported as skipped, and a known failure that passes as
 * failed.
 */
export const merge = (
  cases: readonly Case[],
  perBench: readonly (readonly Execution[])[],
  known: readonly Known[] = [],
): readonly (Result & { readonly suite: string })[] =>
  cases.map((one, index) => {
    const { suite, file, name, amended } = one;
    const which = { suite, file, name, ...(amended === undefined ? {} : { amended }) };
    const result = merged(perBench.map(executions => executions[index]!));
    const entry = knownOf(known, one);
    if (entry === undefined || result.outcome === 'skipped') return { ...which, ...result };
    if (result.outcome === 'failed') return { ...which, outcome: 'skipped', reason: `${knownReason}${entry.reason}` };
    return { ...which, outcome: 'failed', reason: 'it passes: remove it from the list of known failures' };
  });
