import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { Unavailable } from './unavailable.js';

/** The exit code of a program, and the output of its stdout and stderr. */
export interface Outcome {
  readonly code: number;
  readonly log: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Aborting kills the program and all processes that it started. */
  readonly signal?: AbortSignal | undefined;
  /** A file for stdout and stderr, which keeps the order of their lines. */
  readonly log?: string;
  /** The time in milliseconds after which the program is killed. Its output then ends with a line that says so. */
  readonly timeLimit?: number;
}

const grouped = process.platform !== 'win32';

function signalGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  try {
    if (grouped) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch (error) {
    // The process has just ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Kills a process and, where process groups exist, all processes that it started. It must be spawned as `detached`. */
export const killGroup = (child: ChildProcess): void => signalGroup(child, 'SIGKILL');

/**
 * Sends SIGTERM to a process and, where process groups exist, to all processes that it started. It must be spawned as
 * `detached`.
 */
export const endGroup = (child: ChildProcess): void => signalGroup(child, 'SIGTERM');

/**
 * Runs a program to its end, without input.
 * @throws the reason of the signal when it aborts
 * @throws Error of the system if the program cannot be started
 */
export function run(file: string, args: readonly string[], options: RunOptions): Promise<Outcome> {
  const { cwd, env = process.env, signal, log, timeLimit } = options;
  signal?.throwIfAborted();
  const output = log === undefined ? 'pipe' : openSync(log, 'w');
  return new Promise<Outcome>((resolve, reject) => {
    const child = spawn(file, args, { cwd, env, stdio: ['ignore', output, output], detached: grouped });
    const abort = (): void => killGroup(child);
    signal?.addEventListener('abort', abort, { once: true });
    let printed = '';
    // Not AbortSignal.timeout: Node.js 20 may collect such a signal as garbage before it aborts.
    const timer =
      timeLimit === undefined
        ? undefined
        : setTimeout(() => {
            printed += `\nkilled after ${timeLimit} ms\n`;
            abort();
          }, timeLimit);
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (printed += text));
    child.once('error', error => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('close', code => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      if (signal?.aborted === true) reject(signal.reason as Error);
      else resolve({ code: code ?? 137, log: log === undefined ? printed : readFileSync(log, 'utf8') });
    });
  }).finally(() => {
    if (typeof output === 'number') closeSync(output);
  });
}

const unreachable =
  /ENOTFOUND|ECONNREFUSED|EAI_AGAIN|Name or service not known|name resolution|no such host|Unknown host|Connection refused|connection refused|Network is unreachable|network is unreachable|timed out|i\/o timeout|NewConnectionError|ProxyError|Temporary failure resolving|Unable to locate package|Failed to fetch|Could not transfer|proxyconnect|No matching distribution/;

/** Returns the last lines of the output of a program. */
export const lastLines = (log: string): string => log.trimEnd().split('\n').slice(-15).join('\n');

/**
 * Runs a step of an installation that downloads files.
 * @throws Unavailable if the registry cannot be reached
 * @throws Error with the end of the output if the step fails for another reason
 */
export async function fetching(
  what: string,
  file: string,
  args: readonly string[],
  options: RunOptions,
): Promise<void> {
  const { code, log } = await run(file, args, options);
  if (code === 0) return;
  if (unreachable.test(log))
    throw new Unavailable(
      `${what} cannot be installed because its package registry cannot be reached. Connect to the network or configure a mirror, and run the same command again.`,
    );
  throw new Error(`${what} could not be installed. \`${file} ${args.join(' ')}\` printed:\n${lastLines(log)}`);
}

/**
 * Returns the output of a program that prints its version.
 * @throws Unavailable if the program is missing or does not run
 */
export async function versionOf(file: string, args: readonly string[], advice: string): Promise<string> {
  const outcome = await run(file, args, { cwd: process.cwd() }).catch(() => undefined);
  if (outcome?.code === 0) return outcome.log.trim();
  throw new Unavailable(`\`${file}\` is not on the PATH or does not run: ${advice}.`);
}
