import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Tally } from '@tessera-tools/house';
import { repository } from '../fixtures.js';
import type { Result } from '../suite.js';

const reporters = ['--silent=passed-only', '--reporter=dot', '--reporter=./scripts/tally-reporter.mjs'];

/** Its name for the tests, and what they must not ask of it. */
export interface Engine {
  readonly name: string;
  readonly lacks: Readonly<Record<string, string>>;
}

const resultsOf = ({ passed, failed, skipped }: Tally): readonly Result[] => [
  ...Array.from({ length: passed }, (): Result => ({ file: '', name: '', outcome: 'passed' })),
  ...[...failed.map(note => ({ ...note, outcome: 'failed' as const }))].map(toResult),
  ...[...skipped.map(note => ({ ...note, outcome: 'skipped' as const }))].map(toResult),
];

const toResult = ({ title, reason, outcome }: Tally['failed'][number] & Pick<Result, 'outcome'>): Result => {
  const [file = '', name = ''] = title.split(' > ');
  return { file, name, outcome, reason };
};

/** Runs the driver's integration tests on the deployment. @throws Error if they end before they were counted */
export const runIntegration = async (uri: string, engine: Engine): Promise<readonly Result[]> => {
  const folder = join(repository, '.cache', 'tally');
  const file = join(folder, `real-${process.pid}.json`);
  mkdirSync(folder, { recursive: true });
  const vitest = join(repository, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [vitest, 'run', '--project', 'host', '--no-isolate', 'packages/mongodb/test/integration', ...reporters];
  const env = { ...process.env, MONGODB_URI: uri, ENGINE: JSON.stringify(engine), TALLY: file };
  const child = spawn(process.execPath, args, { cwd: repository, env, stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  try {
    const tally = JSON.parse(readFileSync(file, 'utf8')) as Tally;
    if (code === 0 || tally.failed.length > 0) return resultsOf(tally);
  } catch (error) {
    throw new Error(`The integration tests ended with exit code ${String(code)} and counted nothing.`, {
      cause: error,
    });
  } finally {
    rmSync(file, { force: true });
  }
  throw new Error(`The integration tests ended with exit code ${String(code)}, though none failed.`);
};
