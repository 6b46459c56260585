import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pythonEnvironment, pythonSource } from '@tessera-tools/engines';
import { recipes, reports } from './folders.js';
import { readJunit } from './junit.js';
import type { Errand, Peer } from './peer.js';
import { runProgram } from './program.js';
import type { TestResult } from './test-result.js';

const version = '4.20.0';
const sha256 = 'f773b0aec28687587cdeda490463a82debc4566a4a3620dcc8dada9d2c0a1acd';

/** Seconds that one test may take. */
const patience = 60;

/** What would tell its tests of another server, or another way to run. */
const misleading = /^(?:DB_|MONGODB_|PYTEST|PYTHON|TEST_|CLIENT_|AUTH$|SSL$|COMPRESSORS$)/;

const environmentFor = ({ at }: Errand): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !misleading.test(name))),
  DB_IP: at.host,
  DB_PORT: String(at.port),
});

/** A class says its own name in its reason: that is in the test's id already. */
const plain = (result: TestResult): TestResult => ({
  ...result,
  reason: result.reason.replace(/^Test\w+ (?=runOn)/, ''),
});

/** pytest's exit codes: all passed, and some failed. */
const told: readonly number[] = [0, 1];

const lastOf = (log: string): string => readFileSync(log, 'utf8').trim().split('\n').slice(-5).join('\n');

/** Its tests import the driver from beside them: from Python sources, without the extensions in C. */
export const pymongo: Peer = {
  name: 'pymongo',
  description: `PyMongo ${version}, the driver for Python`,
  files: [
    'test_crud_unified',
    'test_cursor',
    'test_collection',
    'test_database',
    'test_bulk',
    'test_gridfs_bucket',
    'test_grid_file',
    'test_custom_types',
    'test_collation',
    'test_comment',
    'test_raw_bson',
  ],
  short: ['test_cursor', 'test_collection', 'test_database', 'test_gridfs_bucket', 'test_collation'],
  prepare: async signal => {
    const { python } = await pythonEnvironment('pymongo', join(recipes, 'pymongo', 'requirements.txt'), signal);
    const source = await pythonSource('pymongo', `pymongo==${version}`, sha256, signal);
    const folder = join(reports, 'pymongo');
    mkdirSync(folder, { recursive: true });
    return async errand => {
      const [report, log] = [join(folder, `${errand.file}.xml`), join(folder, `${errand.file}.log`)];
      rmSync(report, { force: true });
      const args = ['-m', 'pytest', '-q', `--timeout=${patience}`, `--junitxml=${report}`, ...errand.more];
      const options = { cwd: source, env: environmentFor(errand), log, signal: errand.signal };
      const code = await runProgram(python, [...args, join('test', `${errand.file}.py`)], options);
      if (!told.includes(code) || !existsSync(report)) {
        throw new Error(`pytest ended with exit code ${code}; its log is ${log}:\n${lastOf(log)}`);
      }
      return readJunit(readFileSync(report, 'utf8')).map(plain);
    };
  },
};
