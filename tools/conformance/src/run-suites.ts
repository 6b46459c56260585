import { advice, readFixtures } from './fixtures.js';
import { isUnified } from './suite.js';
import type { Fixture, Result, Suite } from './suite.js';
import { run as auth } from './suites/auth.js';
import { run as bsonBinaryVector } from './suites/bson-binary-vector.js';
import { run as bsonCorpus } from './suites/bson-corpus.js';
import { run as cmap } from './suites/connection-monitoring-and-pooling.js';
import { run as connectionString } from './suites/connection-string.js';
import { run as initialDnsSeedlistDiscovery } from './suites/initial-dns-seedlist-discovery.js';
import { run as readWriteConcern } from './suites/read-write-concern.js';
import { run as discovery } from './suites/server-discovery-and-monitoring.js';
import { run as selection } from './suites/server-selection.js';
import { run as unifiedTestFormat } from './suites/unified-test-format.js';

/** The suites whose files are data of a form of their own, by the names of their folders in the specifications. */
export const suites: Readonly<Record<string, Suite>> = {
  auth,
  'bson-binary-vector': bsonBinaryVector,
  'bson-corpus': bsonCorpus,
  'connection-monitoring-and-pooling': cmap,
  'connection-string': connectionString,
  'initial-dns-seedlist-discovery': initialDnsSeedlistDiscovery,
  'max-staleness': selection,
  'read-write-concern': readWriteConcern,
  'server-discovery-and-monitoring': discovery,
  'server-selection': selection,
  'unified-test-format': unifiedTestFormat,
  'uri-options': connectionString,
};

export interface SuiteResults {
  readonly suite: string;
  readonly results: readonly Result[];
  /** The files that its cases are from. */
  readonly fixtures?: readonly Fixture[];
}

const absent = (suite: string): Result => ({
  file: suite,
  name: 'all',
  outcome: 'skipped',
  reason: `there are no fixtures of ${suite}; ${advice}`,
});

/** Unified tests are run elsewhere; of their own suite it is the form that is judged here. */
const dataOf = (name: string, files: readonly Fixture[]): readonly Fixture[] =>
  name === 'unified-test-format' ? files : files.filter(({ json }) => !isUnified(json));

/** Runs one suite's files of data; no results if it has none. */
export const runSuite = async (name: string): Promise<readonly Result[]> => {
  const files = readFixtures(name);
  if (files === undefined) return [absent(name)];
  const data = dataOf(name, files);
  if (data.length === 0) return [];
  const suite = suites[name];
  const unknown = ({ name: file }: Fixture): Result => ({
    file,
    name: 'all',
    outcome: 'failed',
    reason: 'nothing here knows its form',
  });
  return suite === undefined ? data.map(unknown) : await suite(data);
};
