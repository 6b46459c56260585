import { countEach } from '@tessera-tools/house';
import { knownReason } from './skips.js';
import type { Result } from './suite.js';
import type { SuiteResults } from './run-suites.js';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const countResults = (results: readonly Result[]): Counts => {
  const of = (outcome: Result['outcome']): number => results.filter(result => result.outcome === outcome).length;
  return { passed: of('passed'), failed: of('failed'), skipped: of('skipped') };
};

export const countLine = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`;

/** Counts equal words; ignores undefined. */
const tally = (words: readonly (string | undefined)[]): ReadonlyMap<string, number> =>
  countEach(words.filter(word => word !== undefined));

/** Formats the share of passed cases among the applicable ones; undefined if there are no known failures. */
const shareOf = (results: readonly Result[]): string | undefined => {
  const known = results.filter(({ reason = '' }) => reason.startsWith(knownReason)).length;
  if (known === 0) return undefined;
  const { passed, failed } = countResults(results);
  const allowed = passed + failed + known;
  return `${passed} of the ${allowed} applicable cases pass: ${((100 * passed) / allowed).toFixed(1)} %`;
};

/**
 * Formats the sources of fixtures: ` (151 files of SPECIFICATIONS_DIR, 12 files of PyMongo 4.20.1)`; empty without
 * fixtures.
 */
const originOf = ({ fixtures = [] }: SuiteResults): string => {
  const parts = [...tally(fixtures.map(({ from }) => from))].map(([from, count]) => `${count} files of ${from}`);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
};

/** Formats a line for each suite, the failures, the counted reasons of skips and amendments, and the total. */
export const reportText = (all: readonly SuiteResults[]): string => {
  const lines = all.map(one => `${one.suite}: ${countLine(countResults(one.results))}${originOf(one)}`);
  const everything = all.flatMap(({ results }) => results);
  for (const { file, name, outcome, reason } of everything)
    if (outcome === 'failed') lines.push(`failed: ${file}: ${name}: ${reason ?? ''}`);
  const skips = everything.filter(({ outcome }) => outcome === 'skipped');
  for (const [reason, count] of tally(skips.map(({ reason = '' }) => reason)))
    lines.push(`skipped ${count}: ${reason}`);
  for (const [what, count] of tally(everything.map(({ amended }) => amended))) lines.push(`amended ${count}: ${what}`);
  const share = shareOf(everything);
  if (share !== undefined) lines.push(share);
  const origin = originOf({ suite: '', results: [], fixtures: all.flatMap(({ fixtures = [] }) => fixtures) });
  lines.push(`${countLine(countResults(everything))}${origin}`);
  return lines.join('\n');
};

/** Formats the results for `--json`. */
export const reportJson = (all: readonly SuiteResults[]): string =>
  JSON.stringify(
    {
      suites: Object.fromEntries(all.map(({ suite, results }) => [suite, countResults(results)])),
      cases: all.flatMap(({ suite, results }) => results.map(result => ({ suite, ...result }))),
    },
    null,
    2,
  );
