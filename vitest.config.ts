import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import type { Plugin } from 'vitest/config';

const at = (path: string): string => new URL(path, import.meta.url).pathname;

const packages = readdirSync(at('packages')).map(name => `packages/${name}`);

// Tests run on the sources, so they need no build. `npm test` has built the packages, and runs the tests on the result.
// tools/publish checks the packed packages.
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

/** A module that the build compiled. Node.js loads it, because Vitest would compile it again. */
const compiled = /\/(?:packages|tools)\/[^/]+\/dist\//;

/** A path of a source, perhaps with a query. */
const source = /^(.*\/(?:packages|tools)\/[^/]+)\/src\/([^?]*)\.ts(\?.*)?$/;

/** Replaces a source by its compiled module. Sources that are loaded with a query remain, with all that they import. */
const useBuild: Plugin = {
  name: 'use-build',
  enforce: 'pre',
  async resolveId(specifier, importer, options) {
    const resolved = await this.resolve(specifier, importer, options);
    if (resolved === null || source.test(importer ?? '')) return resolved;
    return resolved.id.replace(source, (path, folder, file, query) =>
      query === undefined ? `${folder}/dist/${file}.js` : path,
    );
  },
};

const { TESTED: tested, MODULES: modules } = process.env;

const tests = ['{packages,tools,examples}/*/test/**/*.test.ts', 'scripts/test/*.test.ts'];

// They touch the host: real sockets, files, processes.
const hostTests = tests.map(path => path.replace('.test.ts', '.host.test.ts'));

export default defineConfig({
  resolve: { alias },
  plugins: tested === 'build' ? [useBuild] : [],
  test: {
    server: { deps: { external: [compiled] } },
    ...(modules !== undefined && { experimental: { fsModuleCache: true, fsModuleCachePath: modules } }),
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
