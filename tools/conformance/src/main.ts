import { writeFileSync } from 'node:fs';
import { run } from '@tessera-tools/house';
import { readCommandLine, usage } from './arguments.js';
import type { Arguments } from './arguments.js';
import { readFixtures, suiteNames } from './fixtures.js';
import { countResults, reportJson, reportText } from './report.js';
import { runSuite, suites } from './run-suites.js';
import type { SuiteResults } from './run-suites.js';
import { runUnified } from './run-unified.js';
import { amended } from './known/amendments.js';
import { fillCache } from './published/cache.js';
import { Unreachable } from './published/registry.js';
import { judgeSkips } from './skips.js';
import { leftOut } from './suites/left-out.js';
import { casesOf } from './unified/cases.js';
import type { Case } from './unified/cases.js';

/** Downloads the fixtures. Without a network, the fixtures that are already present are used. */
const fetchFixtures = async (): Promise<void> => {
  try {
    await fillCache(line => console.error(line));
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    console.error(error.message);
  }
};

if (!process.argv.includes('--help')) await fetchFixtures();

const suiteList = [...new Set([...Object.keys(suites), ...suiteNames()])]
  .filter(name => !leftOut.includes(name))
  .sort();

const isWanted = ({ part }: Arguments, name: string): boolean => part === undefined || name.includes(part);

const runAll = async (args: Arguments): Promise<readonly SuiteResults[]> => {
  const cases = args.suites.flatMap(suite =>
    casesOf(suite, readFixtures(suite) ?? [])
      .filter(({ file, name }: Case) => isWanted(args, `${file}: ${name}`))
      .map(one => amended(one)),
  );
  const isWhole = args.engine === 'embedded' && Object.keys(args.chosen).length === 0;
  const unified = await runUnified(args, cases, line => console.error(line));
  const all: SuiteResults[] = [];
  for (const suite of args.suites) {
    const data = args.engine === 'embedded' ? await runSuite(suite) : [];
    const both = [
      ...data.filter(({ file, name }) => isWanted(args, `${file}: ${name}`)),
      ...unified.filter(result => result.suite === suite),
    ];
    const fixtures = readFixtures(suite);
    const results = isWhole && fixtures !== undefined ? judgeSkips(both) : both;
    all.push({ suite, results, fixtures: fixtures ?? [] });
  }
  return all;
};

const main = async (args: Arguments): Promise<number> => {
  const all = await runAll(args);
  console.log(reportText(all));
  if (args.json !== undefined) writeFileSync(args.json, reportJson(all) + '\n');
  return countResults(all.flatMap(({ results }) => results)).failed === 0 ? 0 : 1;
};

await run(usage, given => readCommandLine(given, suiteList), main);
