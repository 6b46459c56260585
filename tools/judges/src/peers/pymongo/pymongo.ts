import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pythonEnvironment, pythonSource } from '../../outside/python.js';
import type { Deployment } from '../deployment.js';
import { balancersOf } from '../deployment.js';
import { recipes } from '../../folders.js';
import type { TestFileRun, Peer, TestResult } from '../peer.js';
import { plainEnvironment, reportsOf, runLogged } from '../run-logged.js';
import { files, shortFiles } from './files.js';
import { readJunit } from './junit.js';

const version = '4.20.0';
const sha256 = 'f773b0aec28687587cdeda490463a82debc4566a4a3620dcc8dada9d2c0a1acd';

/** The time limit of one test, in seconds. */
const patience = 60;

/** Returns the marks of the tests to run. Tests with other marks are left out. */
const marks = ({ shape }: Deployment): string =>
  shape.topology === 'load-balanced' ? 'default or auth or load_balancer' : 'default or auth';

const environmentFor = (at: Deployment): NodeJS.ProcessEnv => ({
  ...plainEnvironment(),
  DB_IP: at.places[0]!.host,
  DB_PORT: String(at.places[0]!.port),
  ...(at.user === undefined ? {} : { DB_USER: at.user.name, DB_PASSWORD: at.user.password }),
  ...(at.tls === undefined ? {} : { CA_PEM: at.tls.authority, CLIENT_PEM: at.tls.client }),
  ...(at.shape.topology === 'load-balanced' ? { TEST_LOAD_BALANCER: '1', ...balancersOf(at) } : {}),
});

/** Removes the class name from the reason, because the id contains it already. */
const plain = (result: TestResult): TestResult => ({
  ...result,
  reason: result.reason.replace(/^Test\w+ (?=runOn)/, ''),
});

/** Exit codes of pytest: all tests passed, some failed, or no test was selected. */
const completed: readonly number[] = [0, 1, 5];

/** The tests of PyMongo. They import the driver from its Python sources, without the C extensions. */
export const pymongo: Peer = {
  name: 'pymongo',
  description: `PyMongo ${version}, the driver for Python`,
  files,
  short: shortFiles,
  // A replica set shows most effects of authentication and TLS.
  secured: ['replicaset'],
  prepare: async signal => {
    const { python } = await pythonEnvironment('pymongo', join(recipes, 'pymongo', 'requirements.txt'), signal);
    const source = await pythonSource('pymongo', `pymongo==${version}`, sha256, signal);
    const certificates = join(source, 'test', 'certificates');
    const run = async (fileRun: TestFileRun): Promise<readonly TestResult[]> => {
      const { at, file, more } = fileRun;
      const report = join(reportsOf('pymongo', at.shape), `${file}.xml`);
      rmSync(report, { force: true });
      const common = ['-m', 'pytest', '-q', '-m', marks(at), `--timeout=${patience}`, `--junitxml=${report}`];
      return runLogged('pymongo', fileRun, {
        file: python,
        args: [...common, ...more, join('test', `${file}.py`)],
        cwd: source,
        env: environmentFor(at),
        read: ({ code }) => {
          if (!completed.includes(code) || !existsSync(report))
            throw new Error(`The test runner pytest ended with exit code ${code}.`);
          return readJunit(readFileSync(report, 'utf8')).map(plain);
        },
      });
    };
    const [server, client, authority] = ['server', 'client', 'ca'].map(name => join(certificates, `${name}.pem`));
    return { tls: { server: server!, client: client!, authority: authority! }, run };
  },
};
