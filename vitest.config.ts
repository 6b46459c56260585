import { readdirSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

const packages = readdirSync(new URL('packages/', import.meta.url)).sort();
const at = (path: string): string => new URL(path, import.meta.url).pathname;

// Tests run on the sources: no build is needed to run them, and the packed packages are judged by tools/load-check.
const alias = packages.map(name => ({
  find: new RegExp(`^${name === 'tessera-server' ? name : `@tessera/${name}`}$`),
  replacement: at(`packages/${name}/src/index.ts`),
}));

export default defineConfig({
  resolve: { alias },
  test: {
    pool: 'threads',
    isolate: false,
    projects: packages.map(name => ({
      extends: true as const,
      test: { name, include: [`packages/${name}/test/**/*.test.ts`] },
    })),
  },
});
