import { defineConfig } from 'vitest/config';
// eslint-disable-next-line n/no-missing-import -- it is TypeScript, which vitest reads
import all from '../../vitest.config.js';

const settings = { ...all.test };
delete settings.projects;

/** @returns {import('./list.mjs').Fault & { path: string } | undefined} */
const planted = () => JSON.parse(process.env['FAULT'] ?? 'null') ?? undefined;

// The tests run on the sources. The file that FAULT names is changed when it is loaded, and on no disk.
export default defineConfig({
  resolve: all.resolve ?? {},
  plugins: [
    {
      name: 'fault',
      enforce: 'pre',
      transform(code, id) {
        const fault = planted();
        return fault?.path === id ? code.replace(fault.find, () => fault.replace) : undefined;
      },
    },
  ],
  test: {
    ...settings,
    // No test shares a module with one that ran before the fault was planted.
    isolate: true,
    maxWorkers: 1,
    include: ['packages/*/test/**/*.test.ts'],
    // Host tests take longer.
    testTimeout: 20_000,
  },
});
