import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

const at = (path: string): string => new URL(path, import.meta.url).pathname;

const foldersOf = (group: string): string[] =>
  existsSync(at(group))
    ? readdirSync(at(group))
        .sort()
        .map(name => `${group}/${name}`)
    : [];

const packages = foldersOf('packages');

// Tests run on the sources: no build is needed to run them, and the packed packages are judged by tools/publish.
const alias = packages.flatMap(folder => {
  const { name, exports } = JSON.parse(readFileSync(at(`${folder}/package.json`), 'utf8')) as {
    name: string;
    exports: Record<string, { default: string }>;
  };
  return Object.entries(exports).map(([entry, { default: built }]) => ({
    find: new RegExp(`^${name}${entry.slice(1)}$`),
    replacement: at(`${folder}/${built.replace('./dist/', 'src/').replace(/\.js$/, '.ts')}`),
  }));
});

// They touch the host: real sockets, files, processes.
const hostTests = '**/*.host.test.ts';

export default defineConfig({
  resolve: { alias },
  test: {
    pool: 'threads',
    isolate: false,
    maxWorkers: 2,
    passWithNoTests: true,
    setupFiles: [at('scripts/property-seed.mjs')],
    projects: [
      ...[...packages, ...foldersOf('tools'), ...foldersOf('examples')].map(folder => ({
        extends: true as const,
        test: {
          name: folder.split('/')[1]!,
          include: [`${folder}/test/**/*.test.ts`],
          exclude: [hostTests],
        },
      })),
      {
        extends: true as const,
        test: { name: 'scripts', include: ['scripts/test/*.test.ts'], exclude: [hostTests] },
      },
      {
        extends: true as const,
        test: {
          name: 'host',
          include: [`{packages,tools,examples}/*/test/${hostTests}`, `scripts/test/${hostTests}`],
          pool: 'forks' as const,
          isolate: true,
          testTimeout: 20_000,
        },
      },
    ],
  },
});
