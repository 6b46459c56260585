import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Engine } from './engine.js';
import { kept, recipes } from './folders.js';
import { digest, installOnce } from './install.js';
import { fetching, versionOf } from './program.js';

const recipe = join(recipes, 'mongo-java-server');
const [pom, jars, source] = ['pom.xml', 'jars.sha256', 'Main.java'].map(name => join(recipe, name)) as [
  string,
  string,
  string,
];
const advice = 'install a JDK of Java 17 or newer and Maven, and run the same command again';

/** Name → hash, as `sha256sum` prints them. */
const expected = (): Map<string, string> =>
  new Map(
    readFileSync(jars, 'utf8')
      .trim()
      .split('\n')
      .map(line => line.split(/\s+/) as [string, string])
      .map(([hash, name]) => [name, hash]),
  );

/** @throws Error unless these and no others are there */
function verify(folder: string): void {
  const left = expected();
  for (const name of readdirSync(folder)) {
    const hash = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
    if (left.get(name) !== hash) throw new Error(`Maven fetched a ${name} that is not the one of ${jars}.`);
    left.delete(name);
  }
  if (left.size > 0) throw new Error(`Maven did not fetch ${[...left.keys()].join(', ')} of ${jars}.`);
}

async function install(signal: AbortSignal | undefined): Promise<string> {
  await versionOf('java', ['-version'], advice);
  return installOnce(join(kept, `mongo-java-server-${digest([], [pom, jars, source])}`), async unfinished => {
    await versionOf('mvn', ['-version'], advice);
    await versionOf('javac', ['-version'], advice);
    const options = { cwd: unfinished, signal };
    const [lib, repository] = [join(unfinished, 'lib'), join(unfinished, 'repository')];
    await fetching(
      'mongo-java-server',
      'mvn',
      [
        ...['--quiet', '--batch-mode', '--strict-checksums', '--file', pom, `-Dmaven.repo.local=${repository}`],
        ...['org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies', `-DoutputDirectory=${lib}`],
      ],
      options,
    );
    verify(lib);
    rmSync(repository, { recursive: true });
    await fetching('mongo-java-server', 'javac', ['-cp', join(lib, '*'), '-d', 'classes', source], options);
  });
}

export const mongoJavaServer: Engine = {
  description: 'mongo-java-server 1.47.0 (Java, in memory); standalone',
  install: async signal => {
    const folder = await install(signal);
    const classes = [join(folder, 'lib', '*'), join(folder, 'classes')].join(delimiter);
    return { file: 'java', args: ['-Xmx1g', '-cp', classes, 'Main'] };
  },
  persona: () => ({ args: [], query: '' }),
  tls: ({ certificate, key }) => [certificate, key],
  auth: undefined,
};
