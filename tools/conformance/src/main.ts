import { writeFileSync } from 'node:fs';
import { readArguments, usage } from './arguments.js';
import type { Wish } from './arguments.js';
import { readFixtures, suiteNames } from './fixtures.js';
import { countResults, reportJson, reportText } from './report.js';
import { runSuite, suites } from './run-suites.js';
import type { SuiteResults } from './run-suites.js';
import { runUnified } from './run-unified.js';
import { amended } from './known/amendments.js';
import { judgeSkips } from './skips.js';
import { casesOf } from './unified/cases.js';
import type { Case } from './unified/cases.js';

/** Suites that are for drivers which do what this one does not. */
const leftOut: readonly string[] = ['open-telemetry', 'client-side-encryption'];

const namesOf = ({ suites: wanted }: Wish): readonly string[] => {
  const all = [...new Set([...Object.keys(suites), ...suiteNames()])].filter(name => !leftOut.includes(name)).sort();
  const unknown = wanted.find(name => !all.includes(name));
  if (unknown !== undefined) throw new Error(`There is no suite '${unknown}': ${all.join(', ')}.`);
  return wanted.length === 0 ? all : wanted;
};

const isWanted = ({ part }: Wish, name: string): boolean => part === undefined || name.includes(part);

const runAll = async (wish: Wish): Promise<readonly SuiteResults[]> => {
  const names = namesOf(wish);
  const cases = names.flatMap(suite =>
    casesOf(suite, readFixtures(suite) ?? [])
      .filter(({ file, name }: Case) => isWanted(wish, `${file}: ${name}`))
      .map(one => amended(one)),
  );
  const isWhole = wish.engine === 'embedded' && Object.keys(wish.chosen).length === 0;
  const results = await runUnified(wish, cases, line => console.error(line));
  const all: SuiteResults[] = [];
  for (const suite of names) {
    const data = wish.engine === 'embedded' ? await runSuite(suite) : [];
    const both = [
      ...data.filter(({ file, name }) => isWanted(wish, `${file}: ${name}`)),
      ...results.filter(result => result.suite === suite),
    ];
    const isThere = readFixtures(suite) !== undefined;
    all.push({ suite, results: isWhole && isThere ? judgeSkips(both) : both });
  }
  return all;
};

const main = async (): Promise<number> => {
  const wish = readArguments(process.argv.slice(2));
  if (wish === undefined) {
    console.log(usage);
    return 0;
  }
  const all = await runAll(wish);
  console.log(reportText(all));
  if (wish.json !== undefined) writeFileSync(wish.json, reportJson(all) + '\n');
  return countResults(all.flatMap(({ results }) => results)).failed === 0 ? 0 : 1;
};

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
