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

/** How many have each of these words. */
const tally = (words: readonly (string | undefined)[]): ReadonlyMap<string, number> =>
  countEach(words.filter(word => word !== undefined));

/** How many pass of the cases that the deployment's version, topology and features allow; undefined if no other is known to fail. */
const shareOf = (results: readonly Result[]): string | undefined => {
  const known = results.filter(({ reason = '' }) => reason.startsWith(knownReason)).length;
  if (known === 0) return undefined;
  const { passed, failed } = countResults(results);
  const allowed = passed + failed + known;
  return `of ${allowed} cases that it allows ${passed} pass: ${((100 * passed) / allowed).toFixed(1)} %`;
};

/** `151 files of SPECIFICATIONS_DIR, 12 of PyMongo`; empty without fixtures. */
const originOf = ({ fixtures = [] }: SuiteResults): string => {
  const parts = [...tally(fixtures.map(({ from }) => from))].map(([from, count]) => `${count} files of ${from}`);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
};

/** A line per suite, the failures, the reasons of skips and of amendments with their numbers, and the sum. */
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

/** As `--json` writes it. */
export const reportJson = (all: readonly SuiteResults[]): string =>
  JSON.stringify(
    {
      suites: Object.fromEntries(all.map(({ suite, results }) => [suite, countResults(results)])),
      cases: all.flatMap(({ suite, results }) => results.map(result => ({ suite, ...result }))),
    },
    null,
    2,
  );
