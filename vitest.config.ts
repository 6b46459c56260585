import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

const at = (path: string): string => new URL(path, import.meta.url).pathname;

const packages = readdirSync(at('packages')).map(name => `packages/${name}`);

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

const tests = ['{packages,tools,examples}/*/test/**/*.test.ts', 'scripts/test/*.test.ts'];

// They touch the host: real sockets, files, processes.
const hostTests = tests.map(path => path.replace('.test.ts', '.host.test.ts'));

export default defineConfig({
  resolve: { alias },
  test: {
    pool: 'threads',
    // Test files share their modules, because loading modules takes longer than most tests.
    isolate: false,
    maxWorkers: 2,
    // Most tests use virtual time, so a limit only ends what hangs, on slow machines too.
    testTimeout: 20_000,
    passWithNoTests: true,
    setupFiles: [at('scripts/property-seed.mjs')],
    projects: [
      { extends: true, test: { name: 'unit', include: tests, exclude: hostTests } },
      { extends: true, test: { name: 'host', include: hostTests, pool: 'forks' } },
    ],
  },
});
