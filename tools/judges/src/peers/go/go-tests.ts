import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Deployment } from '../deployment.js';
import { balancersOf, uriOf } from '../deployment.js';
import { reports, specifications } from '../../folders.js';
import type { TestFileRun, Peer, TestResult } from '../peer.js';
import { plainEnvironment, runLogged } from '../run-logged.js';
import type { Topology } from '../topology.js';
import { buildGo, built } from './build.js';
import { readTest2json } from './test2json.js';
import { wordsIn } from '../../words.js';

/** The files that run fixtures of the specifications. */
const withFixtures: readonly string[] = ['unified', 'unified_spec_test'];

/**
 * Files of the package `internal/integration`; `unified` is its subpackage. Files for encryption, Atlas and DNS are
 * left out.
 */
const files: readonly string[] = wordsIn(`
  backpressure_prose_test causal_consistency_test change_stream_test clam_prose_test client_options_test client_test
  collection_test crud_prose_test csot_prose_test csot_test cursor_test database_test errors_test gridfs_test handshake_test
  index_view_test load_balancer_prose_test mock_find_test mongos_pinning_test no_writes_performed_test primary_stepdown_test
  retryable_reads_prose_test retryable_writes_prose_test sdam_error_handling_test sdam_prose_test server_selection_prose_test
  sessions_test transactions_convenient_api_prose_test
`).concat(withFixtures);

const kinds: Readonly<Record<Topology, string>> = {
  standalone: 'server',
  'replicaset:1': 'replica_set',
  replicaset: 'replica_set',
  sharded: 'sharded_cluster',
  'load-balanced': 'sharded_cluster',
};

const environmentFor = (at: Deployment, project: string): NodeJS.ProcessEnv => ({
  ...plainEnvironment(),
  MONGODB_URI: uriOf(at),
  TOPOLOGY: kinds[at.shape.topology],
  AUTH: at.user === undefined ? 'noauth' : 'auth',
  SSL: at.tls === undefined ? 'nossl' : 'ssl',
  PROJECT_DIRECTORY: project,
  ...(at.tls === undefined ? {} : { MONGO_GO_DRIVER_CA_FILE: at.tls.authority }),
  ...(at.tls?.drivers === undefined
    ? {}
    : {
        MONGO_GO_DRIVER_KEY_FILE: at.tls.drivers.client,
        MONGO_GO_DRIVER_PKCS8_UNENCRYPTED_KEY_FILE: at.tls.drivers.client,
        MONGO_GO_DRIVER_PKCS8_ENCRYPTED_KEY_FILE: at.tls.drivers.encrypted,
      }),
  ...balancersOf(at),
});

/** Creates a project folder with the layout of the driver's repository and a link to the fixtures. */
function layOut(folder: string): string {
  const link = join(folder, 'testdata', 'specifications', 'source');
  mkdirSync(join(link, '..'), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(specifications(), link);
  return folder;
}

/** Returns the test functions of one file as a pattern for the test runner. */
function testsOf(module: string, file: string): string {
  const text = readFileSync(join(module, 'internal', 'integration', `${file}.go`), 'utf8');
  const names = [...text.matchAll(/^func (Test\w+)\(\w+ \*testing\.T\)/gm)].map(([, name]) => name);
  return `^(${names.join('|')})$`;
}

/** The integration tests of the Go driver. They run in the driver's module, which does not contain the fixtures. */
export const goTests: Peer = {
  name: 'go',
  description: 'mongo-driver 2.9.3, the driver for Go, with its integration tests',
  files,
  short: [],
  // A replica set shows most effects of authentication and TLS.
  secured: ['replicaset'],
  prepare: async signal => {
    const folder = await buildGo(signal);
    const module = join(folder, built.module);
    const project = layOut(join(reports, 'go', 'project'));
    const run = async (fileRun: TestFileRun): Promise<readonly TestResult[]> => {
      const { file, at, more } = fileRun;
      if (withFixtures.includes(file) && !existsSync(specifications())) {
        const reason = 'the fixtures are missing: run `npm run fixtures`, or set SPECIFICATIONS_DIR';
        return [{ id: `${file}::fixtures`, outcome: 'skipped', reason }];
      }
      const [program, ...selected] =
        file === 'unified'
          ? [
              built.unified,
              '-test.run',
              '^TestUnifiedSpec$',
              '-test.skip',
              '^TestUnifiedSpec$/^client-side-encryption$',
            ]
          : [built.integration, '-test.run', testsOf(module, file)];
      // Run the tests one at a time, because some have deadlines for computations of the driver.
      const common = ['-test.v=test2json', '-test.timeout', '900s', '-test.parallel', '1'];
      return runLogged('go', fileRun, {
        file: 'go',
        args: ['tool', 'test2json', '-t', join(folder, program), ...common, ...selected, ...more],
        cwd: join(module, 'internal', 'integration', ...(file === 'unified' ? ['unified'] : [])),
        env: environmentFor(at, project),
        read: ({ log }) => readTest2json(file, log),
      });
    };
    return { run };
  },
};
