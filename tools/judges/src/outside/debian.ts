import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { kept } from '../folders.js';
import { digest, installOnce } from './install.js';
import { fetching, versionOf } from './program.js';
import { Unavailable } from './unavailable.js';

const advice = 'run this test on Debian or a derived distribution';

/** A program that is unpacked but not installed. The environment contains the path of its libraries. */
export interface DebianProgram {
  readonly file: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Returns the folders in which packages keep their libraries on this machine. */
const libraryFolders = (root: string): readonly string[] =>
  [join(root, 'usr', 'lib'), join(root, 'lib')].flatMap(folder => {
    const triplet = `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`;
    return [join(folder, triplet), folder];
  });

/**
 * Unpacks a program of a Debian package. The package is downloaded on first use and kept, so later runs need no
 * network. Nothing is installed on the machine.
 * @param path the path in the package, such as `usr/bin/microsocks`
 * @param libraries packages that the program needs and a minimal system lacks
 * @throws Unavailable if `apt-get` is missing or its mirror cannot be reached
 */
export async function debianProgram(
  name: string,
  path: string,
  libraries: readonly string[] = [],
): Promise<DebianProgram> {
  const packages = [name, ...libraries];
  const folder = join(kept, 'debian', `${name}-${digest(packages)}`);
  await installOnce(folder, async unfinished => {
    if (process.platform !== 'linux') throw new Unavailable(`${name} is not available: ${advice}.`);
    await versionOf('apt-get', ['--version'], advice);
    const archives = join(unfinished, 'archives');
    mkdirSync(archives);
    await fetching(name, 'apt-get', ['download', '--quiet', ...packages], { cwd: archives });
    for (const archive of readdirSync(archives))
      await fetching(name, 'dpkg', ['-x', join(archives, archive), unfinished], { cwd: archives });
    rmSync(archives, { recursive: true });
  });
  const env = { ...process.env, LD_LIBRARY_PATH: libraryFolders(folder).join(':') };
  return { file: join(folder, path), env };
}
