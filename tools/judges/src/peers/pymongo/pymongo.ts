import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pythonEnvironment, pythonSource } from '../../outside/python.js';
import type { Deployment } from '../deployment.js';
import { balancersOf } from '../deployment.js';
import { recipes } from '../../folders.js';
import type { Errand, Peer, TestResult } from '../peer.js';
import { plainEnvironment, reportsOf, runLogged } from '../run-logged.js';
import { files, shortFiles } from './files.js';
import { readJunit } from './junit.js';

const version = '4.20.0';
const sha256 = 'f773b0aec28687587cdeda490463a82debc4566a4a3620dcc8dada9d2c0a1acd';

/** Seconds that one test may take. */
const patience = 60;

/** By these words its tests are marked; those for which nobody asks are left out. */
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

/** A class says its own name in its reason: that is in the test's id already. */
const plain = (result: TestResult): TestResult => ({
  ...result,
  reason: result.reason.replace(/^Test\w+ (?=runOn)/, ''),
});

/** pytest's exit codes: all passed, some failed, and none is meant for such a deployment. */
const told: readonly number[] = [0, 1, 5];

/** Its tests import the driver from beside them: from Python sources, without the extensions in C. */
export const pymongo: Peer = {
  name: 'pymongo',
  description: `PyMongo ${version}, the driver for Python`,
  files,
  short: shortFiles,
  // Most of what logins and TLS change shows on a set.
  secured: ['replicaset'],
  prepare: async signal => {
    const { python } = await pythonEnvironment('pymongo', join(recipes, 'pymongo', 'requirements.txt'), signal);
    const source = await pythonSource('pymongo', `pymongo==${version}`, sha256, signal);
    const certificates = join(source, 'test', 'certificates');
    const run = async (errand: Errand): Promise<readonly TestResult[]> => {
      const { at, file, more } = errand;
      const report = join(reportsOf('pymongo', at.shape), `${file}.xml`);
      rmSync(report, { force: true });
      const common = ['-m', 'pytest', '-q', '-m', marks(at), `--timeout=${patience}`, `--junitxml=${report}`];
      return runLogged('pymongo', errand, {
        file: python,
        args: [...common, ...more, join('test', `${file}.py`)],
        cwd: source,
        env: environmentFor(at),
        read: ({ code }) => {
          if (!told.includes(code) || !existsSync(report)) throw new Error(`pytest ended with exit code ${code}.`);
          return readJunit(readFileSync(report, 'utf8')).map(plain);
        },
      });
    };
    const [server, client, authority] = ['server', 'client', 'ca'].map(name => join(certificates, `${name}.pem`));
    return { tls: { server: server!, client: client!, authority: authority! }, run };
  },
};
