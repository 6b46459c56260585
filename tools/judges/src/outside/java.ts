import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { kept } from '../folders.js';
import { digest, installOnce } from './install.js';
import { fetching, versionOf } from './program.js';

const advice = 'install a JDK of Java 17 or newer and Maven, and run the same command again';

/** The files from which a Java program is built. */
export interface JavaRecipe {
  /** The Maven file with the dependencies. */
  readonly pom: string;
  /** The hash and name of every jar that Maven may download, in the format of `sha256sum`. */
  readonly jars: string;
  readonly sources: readonly string[];
}

/** Returns the hash for each name. */
const expected = (jars: string): Map<string, string> =>
  new Map(
    readFileSync(jars, 'utf8')
      .trim()
      .split('\n')
      .map(line => line.split(/\s+/) as [string, string])
      .map(([hash, name]) => [name, hash]),
  );

/** @throws Error if the folder does not contain exactly these jars */
function verify(folder: string, jars: string): void {
  const left = expected(jars);
  for (const name of readdirSync(folder)) {
    const hash = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
    if (left.get(name) !== hash) throw new Error(`Maven downloaded ${name}, which does not match ${jars}.`);
    left.delete(name);
  }
  if (left.size > 0) throw new Error(`Maven did not download ${[...left.keys()].join(', ')}, which ${jars} lists.`);
}

/**
 * Downloads the dependencies of a program and compiles it, on first use.
 * @returns the class path for `java`
 * @throws Unavailable if Java, Maven or its repository is missing
 * @throws Error if a downloaded jar does not match its hash
 */
export async function javaProgram(name: string, recipe: JavaRecipe, signal: AbortSignal | undefined): Promise<string> {
  const { pom, jars, sources } = recipe;
  await versionOf('java', ['-version'], advice);
  const folder = await installOnce(join(kept, `${name}-${digest([], [pom, jars, ...sources])}`), async unfinished => {
    await versionOf('mvn', ['-version'], advice);
    await versionOf('javac', ['-version'], advice);
    const options = { cwd: unfinished, signal };
    const [lib, repository] = [join(unfinished, 'lib'), join(unfinished, 'repository')];
    await fetching(
      name,
      'mvn',
      [
        ...['--quiet', '--batch-mode', '--strict-checksums', '--file', pom, `-Dmaven.repo.local=${repository}`],
        ...['org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies', `-DoutputDirectory=${lib}`],
      ],
      options,
    );
    verify(lib, jars);
    rmSync(repository, { recursive: true });
    const args = ['-encoding', 'UTF-8', '-cp', join(lib, '*'), '-d', 'classes', ...sources];
    await fetching(name, 'javac', args, options);
  });
  return [join(folder, 'lib', '*'), join(folder, 'classes')].join(delimiter);
}
