import { defineConfig } from 'vitest/config';
// oxlint-disable-next-line nodejs/no-missing-import -- it is TypeScript, which vitest reads
import all from '../../vitest.config.js';

const settings = { ...all.test };
delete settings.projects;
// Kept modules have no mutants.
delete settings.experimental;

// The tests run on the sources. Each mutant runs the tests that reach it until one fails.
export default defineConfig({
  resolve: all.resolve ?? {},
  test: {
    ...settings,
    // A slow test on a busy machine must not count as failed.
    testTimeout: 20_000,
    include: /** @type {string[]} */ (JSON.parse(process.env['MUTATION_TESTS'] ?? '[]')),
  },
});
