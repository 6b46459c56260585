import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '@tessera-tools/house';

/** How a program ended. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs it without input. A program that is not done after `limit` milliseconds is killed, and its code is 137. */
export function run(file: string, args: readonly string[], cwd: string, limit = 60_000): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: limit, killSignal: 'SIGKILL' });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.once('error', reject);
    child.once('close', code => resolve({ code: code ?? 137, stdout, stderr }));
  });
}

/** @throws Error with what it said, unless it ended well. */
export async function mustRun(file: string, args: readonly string[], cwd: string): Promise<Outcome> {
  const outcome = await run(file, args, cwd);
  if (outcome.code === 0) return outcome;
  throw new Error(
    `\`${file} ${args.join(' ')}\` ended with exit code ${outcome.code}: ${outcome.stderr || outcome.stdout}`,
  );
}

/** The pnpm that the setup fetched. */
export async function pnpm(): Promise<string> {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { packageManager: string };
  const home = join(root, '.cache', packageManager.replace('@', '-').replace(/\+.*/, ''));
  const wrapper = join(home, 'node_modules', 'pnpm', 'native-binary.mjs');
  if (!existsSync(wrapper)) throw new Error('pnpm is not there: `npm run setup` fetches it.');
  const { resolveInstalledBinary } = (await import(pathToFileURL(wrapper).href)) as {
    resolveInstalledBinary: () => string | undefined;
  };
  const binary = resolveInstalledBinary();
  if (binary === undefined) throw new Error('pnpm has no program for this machine.');
  return binary;
}

/** npm as a script for this Node.js: the one that called us, or the one that was installed with it. */
export function npm(): readonly [program: string, ...args: string[]] {
  const called = process.env['npm_execpath'] ?? '';
  const beside = join(dirname(process.execPath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js');
  const script = [called, beside].find(file => /npm-cli\.[cm]?js$/.test(file) && existsSync(file));
  return script === undefined ? ['npm'] : [process.execPath, script];
}
