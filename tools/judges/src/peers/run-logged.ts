import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@tessera-tools/house';
import { reports } from '../folders.js';
import type { Outcome } from '../outside/program.js';
import { lastLines, run } from '../outside/program.js';
import type { Errand, TestResult } from './peer.js';
import type { Shape } from './topology.js';
import { nameOf } from './topology.js';

/** The folder of the reports and logs of a peer on deployments of that shape. */
export function reportsOf(peer: string, shape: Shape): string {
  const folder = join(reports, peer, nameOf(shape).replaceAll(/[^\w-]+/g, '-'));
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** What a program needs of the environment; all else might tell its tests of another server, or of a cloud that it runs in. */
const needed =
  /^(?:PATH|HOME|USER|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|SystemRoot|JAVA_HOME|\w*_proxy|\w*_PROXY|SSL_CERT_\w+)$/;

/** This process's environment without what might mislead. */
export const plainEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => needed.test(name)));

export interface TestRunner {
  readonly file: string;
  readonly args: readonly string[];
  /** Default: the folder of its reports. */
  readonly cwd?: string;
  readonly env: NodeJS.ProcessEnv;
  /** @throws Error if the outcome tells of no tests */
  readonly read: (outcome: Outcome) => readonly TestResult[];
}

/** Runs the test runner of a peer, and keeps its log. @throws Error with the end of the log, as far as its results cannot be read */
export async function runLogged(
  peer: string,
  { at, file, signal }: Errand,
  runner: TestRunner,
): Promise<readonly TestResult[]> {
  const folder = reportsOf(peer, at.shape);
  const log = join(folder, `${file}.log`);
  const outcome = await run(runner.file, runner.args, { cwd: runner.cwd ?? folder, env: runner.env, log, signal });
  try {
    return runner.read(outcome);
  } catch (error) {
    throw new Error(`${messageOf(error)} Its log is ${log}:\n${lastLines(outcome.log)}`, { cause: error });
  }
}
