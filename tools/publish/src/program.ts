import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '@tessera-tools/house';

/** The exit code and the output of a program. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program without input. After `limit` milliseconds the program is killed, with exit code 137. */
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

/** Runs a program. @throws Error with the output, if the exit code is not 0 */
export async function mustRun(file: string, args: readonly string[], cwd: string, limit?: number): Promise<Outcome> {
  const outcome = await run(file, args, cwd, limit);
  if (outcome.code === 0) return outcome;
  throw new Error(
    `\`${file} ${args.join(' ')}\` exited with code ${outcome.code}: ${outcome.stderr || outcome.stdout}`,
  );
}

/** Returns the path of the pnpm that the setup has downloaded. @throws Error if it is missing */
export async function pnpm(): Promise<string> {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { packageManager: string };
  const home = join(root, '.cache', packageManager.replace('@', '-').replace(/\+.*/, ''));
  const wrapper = join(home, 'node_modules', 'pnpm', 'native-binary.mjs');
  if (!existsSync(wrapper)) throw new Error('Cannot find pnpm. Run `npm run setup`.');
  const { resolveInstalledBinary } = (await import(pathToFileURL(wrapper).href)) as {
    resolveInstalledBinary: () => string | undefined;
  };
  const binary = resolveInstalledBinary();
  if (binary === undefined) throw new Error('There is no pnpm binary for this platform.');
  return binary;
}

/** Returns the command that runs npm: the npm that started this process, or the npm of this Node.js. */
export function npm(): readonly [program: string, ...args: string[]] {
  const called = process.env['npm_execpath'] ?? '';
  const beside = join(dirname(process.execPath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js');
  const script = [called, beside].find(file => /npm-cli\.[cm]?js$/.test(file) && existsSync(file));
  return script === undefined ? ['npm'] : [process.execPath, script];
}

/** The command of a TypeScript compiler: version 7, or version 6, which takes five times as long. */
export const tsc = (version: 6 | 7): readonly [program: string, ...args: string[]] => [
  process.execPath,
  join(root, 'node_modules', version === 7 ? 'typescript-native' : 'typescript', 'bin', 'tsc'),
];
