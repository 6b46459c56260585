import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@tessera-tools/house';
import { reports } from '../folders.js';
import type { Outcome } from '../outside/program.js';
import { lastLines, run } from '../outside/program.js';
import type { TestFileRun, TestResult } from './peer.js';
import type { Shape } from './topology.js';
import { nameOf } from './topology.js';

/** Returns the folder for the reports and logs of a peer on deployments of this shape. */
export function reportsOf(peer: string, shape: Shape): string {
  const folder = join(reports, peer, nameOf(shape).replaceAll(/[^\w-]+/g, '-'));
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** The environment variables that a program needs. Others might point its tests to another server or to a cloud. */
const needed =
  /^(?:PATH|HOME|USER|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|SystemRoot|JAVA_HOME|\w*_proxy|\w*_PROXY|SSL_CERT_\w+)$/;

/** Returns the environment of this process, reduced to the needed variables. */
export const plainEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => needed.test(name)));

export interface TestRunner {
  readonly file: string;
  readonly args: readonly string[];
  /** Defaults to the folder of the reports. */
  readonly cwd?: string;
  readonly env: NodeJS.ProcessEnv;
  /**
   * Parses the results from the output.
   * @throws Error if it contains no results
   */
  readonly read: (outcome: Outcome) => readonly TestResult[];
}

/**
 * Runs the test runner of a peer, and keeps its log.
 * @throws Error with the end of the log if the results cannot be parsed
 */
export async function runLogged(
  peer: string,
  { at, file, signal }: TestFileRun,
  runner: TestRunner,
): Promise<readonly TestResult[]> {
  const folder = reportsOf(peer, at.shape);
  const log = join(folder, `${file}.log`);
  const outcome = await run(runner.file, runner.args, { cwd: runner.cwd ?? folder, env: runner.env, log, signal });
  try {
    return runner.read(outcome);
  } catch (error) {
    throw new Error(`${messageOf(error)} The log is ${log}:\n${lastLines(outcome.log)}`, { cause: error });
  }
}
