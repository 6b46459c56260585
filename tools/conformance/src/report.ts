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

/** A line per suite, the failures, the reasons of skips with their numbers, and the sum. */
export const reportText = (all: readonly SuiteResults[]): string => {
  const lines = all.map(({ suite, results }) => `${suite}: ${countLine(countResults(results))}`);
  const everything = all.flatMap(({ results }) => results);
  for (const { file, name, outcome, reason } of everything)
    if (outcome === 'failed') lines.push(`failed: ${file}: ${name}: ${reason ?? ''}`);
  const reasons = new Map<string, number>();
  for (const { outcome, reason = '' } of everything)
    if (outcome === 'skipped') reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  for (const [reason, count] of reasons) lines.push(`skipped ${count}: ${reason}`);
  lines.push(countLine(countResults(everything)));
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
