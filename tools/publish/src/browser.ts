import { build } from 'esbuild';
import type { BuildOptions, BuildResult } from 'esbuild';

const settings = { bundle: true, platform: 'browser', write: false, logLevel: 'silent' } as const;

/**
 * Bundles the package, as installed in the project, for a browser.
 * @returns the Node.js modules that the bundle imports; empty if it can run in a browser
 */
export async function hostImportsInBrowser(project: string, name: string): Promise<string[]> {
  const { metafile } = await build({
    ...settings,
    stdin: { contents: `export * from '${name}';`, resolveDir: project },
    format: 'esm',
    // Keeps Node.js modules as imports, to report all of them. Otherwise the build would fail at the first.
    external: ['node:*'],
    metafile: true,
  });
  return Object.values(metafile.outputs).flatMap(output => output.imports.map(({ path }) => path));
}

/** A plugin that replaces a module with a global of the page. */
const fromPage = (module: string, global: string): NonNullable<BuildOptions['plugins']>[number] => ({
  name: module,
  setup: bundler => {
    bundler.onResolve({ filter: new RegExp(`^${module}$`) }, ({ path }) => ({ path, namespace: 'page' }));
    bundler.onLoad({ filter: /^/, namespace: 'page' }, () => ({ contents: `export default globalThis.${global};` }));
  },
});

/**
 * Bundles a TypeScript example into a classic script for a browser, with the packages installed in the project. The
 * module
 * `node:assert/strict` becomes the global `assert` of the page.
 */
export async function exampleForBrowser(project: string, code: string): Promise<string> {
  const { outputFiles }: BuildResult<{ write: false }> = await build({
    ...settings,
    stdin: { contents: code, resolveDir: project, loader: 'ts' },
    format: 'iife',
    plugins: [fromPage('node:assert/strict', 'assert')],
  });
  return outputFiles[0]!.text;
}
