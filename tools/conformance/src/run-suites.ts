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

/** The suites with data-driven tests in their own formats, by folder name in the specifications. */
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
  /** The fixture files of the cases. */
  readonly fixtures?: readonly Fixture[];
}

const absent = (suite: string): Result => ({
  file: suite,
  name: 'all',
  outcome: 'skipped',
  reason: `no fixtures found for ${suite}; ${advice}`,
});

/**
 * Selects the files that are not unified tests. For the suite of the unified format, selects all: their syntax is
 * checked here.
 */
const dataOf = (name: string, files: readonly Fixture[]): readonly Fixture[] =>
  name === 'unified-test-format' ? files : files.filter(({ json }) => !isUnified(json));

/** Runs the data-driven tests of one suite; empty if it has none. */
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
    reason: 'no runner supports the format of this file',
  });
  return suite === undefined ? data.map(unknown) : await suite(data);
};
