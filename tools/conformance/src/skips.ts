/** The reasons for which a case may be skipped. */
import type { Result } from './suite.js';
import { lacks } from './unified/embedded.js';

/** Prefix of the reason when the case itself has a `skipReason`. */
export const ownReason = 'its own skipReason: ';

/** Prefix of the reason when the case fails because of a known fault of the engine. */
export const knownReason = 'known: ';

/** The reason for cases that need the JSON schemas of the unified test format, which no driver package contains. */
export const noSchemas = 'no package contains the JSON schemas of the unified test format; set SPECIFICATIONS_DIR';

const isAllowed = (reason: string): boolean =>
  (lacks as ReadonlySet<string>).has(reason) || reason.startsWith(ownReason) || reason === noSchemas;

/**
 * Fails the cases that were skipped for a reason other than a missing feature. Used when every deployment was tried.
 */
export const judgeSkips = <R extends Result>(results: readonly R[]): readonly R[] =>
  results.map(result => {
    const { outcome, reason = 'no reason given' } = result;
    if (outcome !== 'skipped' || isAllowed(reason)) return result;
    return { ...result, outcome: 'failed', reason: `skipped for a reason that is not a missing feature: ${reason}` };
  });
