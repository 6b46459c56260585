import { readFixtures, specifications } from './fixtures.js';
import type { Result, Suite } from './suite.js';
import { run as auth } from './suites/auth.js';
import { run as bsonBinaryVector } from './suites/bson-binary-vector.js';
import { run as bsonCorpus } from './suites/bson-corpus.js';
import { run as commands } from './suites/command-logging-and-monitoring.js';
import { run as cmap } from './suites/connection-monitoring-and-pooling.js';
import { run as connectionString } from './suites/connection-string.js';
import { run as initialDnsSeedlistDiscovery } from './suites/initial-dns-seedlist-discovery.js';
import { run as readWriteConcern } from './suites/read-write-concern.js';
import { run as discovery } from './suites/server-discovery-and-monitoring.js';
import { run as selection } from './suites/server-selection.js';
import { run as unifiedTestFormat } from './suites/unified-test-format.js';

/** The suites by the names of their folders in the specifications. */
export const suites: Readonly<Record<string, Suite>> = {
  auth,
  'bson-binary-vector': bsonBinaryVector,
  'bson-corpus': bsonCorpus,
  'command-logging-and-monitoring': commands,
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
}

const absent = (suite: string): Result => ({
  file: suite,
  name: 'all',
  outcome: 'skipped',
  reason: `there are no fixtures of ${suite} in ${specifications()}; set SPECIFICATIONS_DIR`,
});

/** Runs the suites one after another. */
export const runSuites = async (names: readonly string[]): Promise<readonly SuiteResults[]> => {
  const all: SuiteResults[] = [];
  for (const name of names) {
    const files = readFixtures(name);
    const suite = suites[name]!;
    all.push({ suite: name, results: files === undefined ? [absent(name)] : await suite(files) });
  }
  return all;
};
