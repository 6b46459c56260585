import { defineConfig } from 'vitest/config';
// oxlint-disable-next-line nodejs/no-missing-import -- it is TypeScript, which vitest reads
import all from '../../vitest.config.js';

const settings = { ...all.test };
delete settings.projects;
// Kept modules have no faults.
delete settings.experimental;

/** @returns {readonly (import('./list.mjs').Edit & { path: string })[]} */
const planted = () => JSON.parse(process.env['EDITS'] ?? '[]');

// The tests run on the sources. The files in EDITS are changed when they are loaded, not on disk.
export default defineConfig({
  resolve: all.resolve ?? {},
  plugins: [
    {
      name: 'fault',
      enforce: 'pre',
      transform(code, id) {
        const edits = planted().filter(({ path }) => path === id);
        if (edits.length === 0) return undefined;
        return edits.reduce((text, { find, replace }) => text.replace(find, () => replace), code);
      },
    },
  ],
  test: {
    ...settings,
    // Tests share no modules with tests that ran before the fault was planted.
    isolate: true,
    maxWorkers: 1,
    include: ['packages/*/test/**/*.test.ts'],
    // Host tests take longer.
    testTimeout: 20_000,
  },
});
