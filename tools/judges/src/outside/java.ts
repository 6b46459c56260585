import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { kept } from '../folders.js';
import { digest, installOnce } from './install.js';
import { fetching, versionOf } from './program.js';

const advice = 'install a JDK of Java 17 or newer and Maven, and run the same command again';

/** What a program in Java is made of. */
export interface JavaRecipe {
  /** What it depends on, for Maven. */
  readonly pom: string;
  /** The name and hash of every jar that Maven may fetch for it, as `sha256sum` prints them. */
  readonly jars: string;
  readonly sources: readonly string[];
}

/** Name → hash. */
const expected = (jars: string): Map<string, string> =>
  new Map(
    readFileSync(jars, 'utf8')
      .trim()
      .split('\n')
      .map(line => line.split(/\s+/) as [string, string])
      .map(([hash, name]) => [name, hash]),
  );

/** @throws Error unless these and no others are there */
function verify(folder: string, jars: string): void {
  const left = expected(jars);
  for (const name of readdirSync(folder)) {
    const hash = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
    if (left.get(name) !== hash) throw new Error(`Maven fetched a ${name} that is not the one of ${jars}.`);
    left.delete(name);
  }
  if (left.size > 0) throw new Error(`Maven did not fetch ${[...left.keys()].join(', ')} of ${jars}.`);
}

/**
 * Fetches what a program depends on and compiles it, on first use.
 * @returns the class path with which `java` runs it
 * @throws Unavailable if Java, Maven or its repository is missing, Error if what it fetched is not what it should be
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
