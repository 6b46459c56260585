import { defineConfig } from 'vitest/config';
// eslint-disable-next-line n/no-missing-import -- it is TypeScript, which vitest reads
import all from '../../vitest.config.js';

const settings = { ...all.test };
delete settings.projects;

// The tests run on the sources. A mutant runs the tests that reach it, up to the first that fails.
export default defineConfig({
  resolve: all.resolve ?? {},
  test: {
    ...settings,
    // A test that is only slow, on a busy machine, must not count as one that failed.
    testTimeout: 20_000,
    include: /** @type {string[]} */ (JSON.parse(process.env['MUTATION_TESTS'] ?? '[]')),
  },
});
