import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { kept } from '../folders.js';
import { digest, installOnce } from './install.js';
import { fetching, versionOf } from './program.js';
import { Unavailable } from './unavailable.js';

const advice =
  'install Python 3.11 or newer (python.org, or the system’s package manager) and run the same command again';

const program = process.platform === 'win32' ? 'python' : 'python3';

/** The path of the interpreter, relative to the folder of the environment. */
const interpreter = process.platform === 'win32' ? join('Scripts', 'python.exe') : join('bin', 'python');

/** Returns the version and the prefix of Python. Another Python needs another environment. */
async function python(): Promise<string> {
  const print = 'import sys; print(sys.version.split()[0], sys.base_prefix)';
  const version = await versionOf(program, ['-c', print], advice);
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  if (Number(major) === 3 && Number(minor) >= 11) return version;
  throw new Unavailable(`\`${program}\` is Python ${version.split(' ')[0] ?? '?'}, which is too old: ${advice}.`);
}

const quietly = ['--quiet', '--disable-pip-version-check', '--no-input', '--no-cache-dir', '--require-hashes'];

/**
 * Creates a virtual environment with these requirements on first use, and keeps it. Every requirement has a version and
 * hashes (`--require-hashes`), and is installed from a wheel. Run its programs with `python -m`.
 * @returns the path of the interpreter
 * @throws Unavailable if Python or the package registry is missing
 * @throws Error if pip rejects the requirements
 */
export async function pythonEnvironment(
  name: string,
  requirementsFile: string,
  signal?: AbortSignal,
): Promise<{ python: string }> {
  const requirements = resolve(requirementsFile);
  const folder = join(kept, 'python', `${name}-${digest([await python()], [requirements])}`);
  await installOnce(folder, async unfinished => {
    const options = { cwd: unfinished, signal };
    await fetching(name, program, ['-m', 'venv', unfinished], options);
    const args = ['-m', 'pip', 'install', ...quietly, '--only-binary', ':all:', '-r', requirements];
    await fetching(name, join(unfinished, interpreter), args, options);
  });
  return { python: join(folder, interpreter) };
}

const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/**
 * Downloads and unpacks the source distribution of a requirement such as `pymongo==4.20.0` on first use, and verifies
 * its hash.
 * @returns the folder in the archive
 * @throws Unavailable if Python or the package registry is missing
 * @throws Error if the archive has another hash
 */
export async function pythonSource(
  name: string,
  requirement: string,
  hash: string,
  signal?: AbortSignal,
): Promise<string> {
  const folder = join(kept, 'python', `${name}-source-${digest([requirement, hash])}`);
  await installOnce(folder, async unfinished => {
    await python();
    const options = { cwd: unfinished, signal };
    const [list, archives] = [join(unfinished, 'requirements.txt'), join(unfinished, 'archives')];
    writeFileSync(list, `${requirement} --hash=sha256:${hash}\n`);
    mkdirSync(archives);
    const only = requirement.split('==')[0]!;
    const args = ['-m', 'pip', 'download', ...quietly, '--no-deps', '--no-binary', only, '-d', archives, '-r', list];
    await fetching(name, program, args, options);
    const archive = readdirSync(archives)
      .map(file => join(archives, file))
      .find(file => sha256(file) === hash);
    if (archive === undefined)
      throw new Error(`The archive that pip downloaded for ${requirement} does not have the hash ${hash}.`);
    await fetching(name, program, ['-m', 'tarfile', '-e', archive, join(unfinished, 'source')], options);
    rmSync(archives, { recursive: true });
  });
  const [inside] = readdirSync(join(folder, 'source'));
  return join(folder, 'source', inside!);
}
