/** The driver packages that contain the official fixtures, pinned by version and digest. */

/** Maps a folder of fixtures in a package to its folder in the specifications. */
export interface Move {
  /** Relative to the package's folder of fixtures. */
  readonly from: string;
  /** Relative to the specifications' folder. */
  readonly to: string;
  /** Only files whose names start with this prefix. */
  readonly prefix?: string;
}

export interface DriverPackage {
  /** The name in reports, such as `PyMongo 4.20.1`. */
  readonly name: string;
  readonly registry: 'PyPI' | 'Go';
  readonly project: string;
  readonly version: string;
  /** The SHA-256 digest of the archive, in hexadecimal. */
  readonly sha256: string;
  /** The archive's folder with the fixtures. */
  readonly root: string;
  /** The archive's folder with patches that turn the driver's copies back into the official files. */
  readonly patches?: string;
  readonly moves: readonly Move[];
}

const tests = (from: string, suite: string, folder = ''): Move => ({ from, to: `${suite}/tests${folder}` });

const pymongo: DriverPackage = {
  name: 'PyMongo 4.20.1',
  registry: 'PyPI',
  project: 'pymongo',
  version: '4.20.1',
  sha256: '1ac112b3ffa3d010cfc2fc54e3ae677a12c63d18c6115db4451df64f1a1175eb',
  root: 'pymongo-4.20.1/test',
  patches: 'pymongo-4.20.1/.evergreen/spec-patch',
  moves: [
    tests('auth', 'auth'),
    tests('bson_binary_vector', 'bson-binary-vector'),
    tests('bson_corpus', 'bson-corpus'),
    tests('causal_consistency', 'causal-consistency'),
    tests('change_streams', 'change-streams'),
    tests('client-backpressure', 'client-backpressure'),
    tests('collection_management', 'collection-management'),
    tests('command_logging', 'command-logging-and-monitoring', '/logging'),
    tests('command_monitoring', 'command-logging-and-monitoring', '/monitoring'),
    tests('connection_logging', 'connection-monitoring-and-pooling', '/logging'),
    tests('connection_monitoring', 'connection-monitoring-and-pooling', '/cmap-format'),
    tests('connection_string/test', 'connection-string'),
    tests('crud', 'crud'),
    tests('csot', 'client-side-operations-timeout'),
    tests('discovery_and_monitoring', 'server-discovery-and-monitoring'),
    tests('gridfs', 'gridfs'),
    tests('handshake', 'mongodb-handshake'),
    tests('index_management', 'index-management'),
    tests('load_balancer', 'load-balancers'),
    tests('max_staleness', 'max-staleness'),
    tests('read_write_concern', 'read-write-concern'),
    tests('retryable_reads', 'retryable-reads'),
    tests('retryable_writes', 'retryable-writes'),
    tests('run_command', 'run-command'),
    tests('sdam_monitoring', 'server-discovery-and-monitoring', '/monitoring'),
    tests('server_selection', 'server-selection'),
    tests('server_selection_logging', 'server-selection', '/logging'),
    tests('sessions', 'sessions'),
    tests('srv_seedlist', 'initial-dns-seedlist-discovery'),
    tests('transactions', 'transactions'),
    tests('transactions-convenient-api', 'transactions-convenient-api'),
    tests('unified-test-format', 'unified-test-format'),
    tests('uri_options', 'uri-options'),
    tests('versioned-api', 'versioned-api'),
  ],
};

/**
 * The last version of the Go driver whose module contains fixtures. It adds the benchmark data and suites that PyMongo
 * lacks.
 */
const go: DriverPackage = {
  name: 'the Go driver 2.2.3',
  registry: 'Go',
  project: 'go.mongodb.org/mongo-driver/v2',
  version: 'v2.2.3',
  sha256: 'b6a978bd71f06cfb8bb877c961022059868a5a35d9e27c0695ec8a641a6313d0',
  root: 'go.mongodb.org/mongo-driver/v2@v2.2.3/testdata',
  moves: [
    { ...tests('collection-management', 'collection-management'), prefix: 'modifyCollection-' },
    {
      ...tests('connection-monitoring-and-pooling', 'connection-monitoring-and-pooling', '/cmap-format'),
      prefix: 'wait-queue-fairness',
    },
    { from: 'extended_bson', to: 'benchmarking/data/extended_bson' },
    { from: 'single_and_multi_document', to: 'benchmarking/data/single_and_multi_document' },
  ],
};

/** All packages. If several contain the same file, the first one wins. */
export const driverPackages: readonly DriverPackage[] = [pymongo, go];
