/** Why cases may be skipped. */
import type { Result } from './suite.js';
import { lacks } from './unified/embedded.js';

/** So begins the reason of a case that says itself that it is not to be run. */
export const ownReason = 'its own skipReason: ';

/** So begins the reason of a case that fails through a fault of the engine which it runs on. */
export const knownReason = 'known: ';

/** The reason of the cases that need the JSON schemas of the unified test format, which no package of a driver holds. */
export const noSchemas = 'the JSON schemas of the unified test format are in no package; set SPECIFICATIONS_DIR';

const isAllowed = (reason: string): boolean =>
  (lacks as ReadonlySet<string>).has(reason) || reason.startsWith(ownReason) || reason === noSchemas;

/** Where every deployment was used that there is, nobody would ever run what is skipped for anything but a feature: it fails. */
export const judgeSkips = <R extends Result>(results: readonly R[]): readonly R[] =>
  results.map(result => {
    const { outcome, reason = 'nobody says why' } = result;
    if (outcome !== 'skipped' || isAllowed(reason)) return result;
    return { ...result, outcome: 'failed', reason: `it is skipped, and not for a feature: ${reason}` };
  });
