/** `npm run real -- URI`: runs the driver's tests on the user's deployment. */
import { randomBytes } from 'node:crypto';
import { flag, many, Mistake, oneOf, readArguments, run, text } from '@tessera-tools/house';
import type { Note } from '@tessera-tools/house';
import { runIntegration } from '@tessera-tools/judges';
import { readFixtures, suiteNames } from '../fixtures.js';
import { amended } from '../known/amendments.js';
import type { Known } from '../known/known.js';
import { secantusdb } from '../known/secantusdb.js';
import { fillCache } from '../published/cache.js';
import { countResults, reportText } from '../report.js';
import type { SuiteResults } from '../run-suites.js';
import type { Result } from '../suite.js';
import { runOnBenches } from '../run-unified.js';
import { leftOut } from '../suites/left-out.js';
import { casesOf } from '../unified/cases.js';
import { connectionString } from '../unified/connection-string.js';
import { dropDatabases, openReal } from './bench.js';
import type { Real } from './bench.js';
import { createRenaming } from './rename.js';

const usage = `npm run real -- URI [--only integration|unified] [--suite NAME] [--case TEXT] [--option NAME=VALUE …] [--verbose]
Runs the driver's integration tests and the unified fixtures of the specifications on the deployment at URI, or at MONGODB_URI.
--option adds an option to the connection string, such as tlsCAFile=ca.pem.

The tests create databases whose names begin with "tessera_" and drop them at the end. They read no other data, kill only their own
sessions and never make a primary step down. Fixtures that need fail points run only if the deployment supports them: start mongod
with --setParameter enableTestCommands=1, on a deployment that has no other users.
`;

interface Arguments {
  readonly uri: string;
  readonly only: 'integration' | 'unified' | undefined;
  readonly suite: string | undefined;
  readonly part: string | undefined;
  readonly verbose: boolean;
}

const options = {
  only: oneOf(['integration', 'unified']),
  suite: text,
  case: text,
  option: many(text),
  verbose: flag,
};

/** Reads the arguments. @throws Mistake if an argument is invalid */
const readCommandLine = (args: readonly string[]): Arguments => {
  const { options: given, words } = readArguments({ options, words: { noun: 'connection string' } }, args);
  const uri = words[0] ?? process.env['MONGODB_URI'];
  if (uri === undefined) throw new Mistake('No connection string was given, and MONGODB_URI is not set.');
  if (!uri.startsWith('mongodb://'))
    throw new Mistake('The connection string must begin with "mongodb://" and name the hosts.');
  const more = Object.fromEntries(given.option.map(each => each.split(/=(.*)/s, 2) as [string, string]));
  return {
    uri: given.option.length === 0 ? uri : connectionString(uri, { uriOptions: more, oneHost: false }),
    only: given.only,
    suite: given.suite,
    part: given.case,
    verbose: given.verbose,
  };
};

/** The deployment's name in the integration tests, and the features that they must not use. */
interface Engine {
  readonly name: string;
  readonly lacks: Readonly<Record<string, string>>;
}

/** Reads the description of the deployment that `npm run engines` passes in `ENGINE`. */
const announced = (): Engine | undefined => {
  const { ENGINE: given } = process.env;
  return given === undefined ? undefined : (JSON.parse(given) as Engine);
};

/** Returns the known faults of an engine started by `npm run engines`. */
const knownFaults = (): readonly Known[] => (announced()?.name.startsWith('secantusdb') === true ? secantusdb : []);

const engineOf = ({ name, lacksOfTests }: Real): Engine => {
  const engine = announced();
  return { name: engine?.name ?? name, lacks: { ...lacksOfTests, ...engine?.lacks } };
};

const resultOf = ({ title, reason }: Note, outcome: Result['outcome']): Result => {
  const [file = '', name = ''] = title.split(' > ');
  return { file, name, outcome, reason };
};

/** Runs the driver's integration tests on the deployment. */
const runTests = async (uri: string, engine: Engine): Promise<readonly Result[]> => {
  const env = { MONGODB_URI: uri, ENGINE: JSON.stringify(engine) };
  const { passed, failed, skipped } = await runIntegration(env, new AbortController().signal);
  return [
    ...Array.from({ length: passed }, (): Result => ({ file: '', name: '', outcome: 'passed' })),
    ...failed.map(note => resultOf(note, 'failed')),
    ...skipped.map(note => resultOf(note, 'skipped')),
  ];
};

const runUnified = async (args: Arguments, real: Real): Promise<readonly SuiteResults[]> => {
  await fillCache(line => console.error(line));
  const renaming = createRenaming(`tessera_${randomBytes(3).toString('hex')}_`);
  const names = suiteNames().filter(name => !leftOut.includes(name) && (args.suite ?? name) === name);
  const cases = names.flatMap(suite =>
    casesOf(
      suite,
      (readFixtures(suite) ?? []).map(fixture => renaming.rename(fixture)),
    )
      .filter(({ file, name }) => args.part === undefined || `${file}: ${name}`.includes(args.part))
      .map(one => amended(one)),
  );
  try {
    const options = { short: false, verbose: args.verbose };
    const results = await runOnBenches([() => real], cases, options, knownFaults(), line => console.error(line));
    return names
      .map(suite => ({ suite, results: results.filter(result => result.suite === suite) }))
      .filter(({ results: some }) => some.length > 0);
  } finally {
    const dropped = await dropDatabases(real, args.uri, renaming.given);
    console.error(`dropped ${dropped} databases of the fixtures`);
  }
};

const main = async (args: Arguments): Promise<number> => {
  await using real = await openReal(args.uri);
  const all: SuiteResults[] = [];
  if (args.only !== 'unified')
    all.push({ suite: 'integration tests', results: await runTests(args.uri, engineOf(real)) });
  if (args.only !== 'integration') all.push(...(await runUnified(args, real)));
  console.log(reportText(all));
  return countResults(all.flatMap(({ results }) => results)).failed === 0 ? 0 : 1;
};

try {
  await run(usage, readCommandLine, main);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
