import { build } from 'esbuild';
import type { BuildOptions, BuildResult } from 'esbuild';

const settings = { bundle: true, platform: 'browser', write: false, logLevel: 'silent' } as const;

/**
 * Bundles the package for a browser, as it is installed in that project.
 * @returns the modules of the host that the bundle asks for: none, if it can run in a browser
 */
export async function hostImportsInBrowser(project: string, name: string): Promise<string[]> {
  const { metafile } = await build({
    ...settings,
    stdin: { contents: `export * from '${name}';`, resolveDir: project },
    format: 'esm',
    // What a browser lacks is kept as an import, to be found below; without this the build would end at the first.
    external: ['node:*'],
    metafile: true,
  });
  return Object.values(metafile.outputs).flatMap(output => output.imports.map(({ path }) => path));
}

/** A module that the program imports and that its page provides: the value of a global. */
const fromPage = (module: string, global: string): NonNullable<BuildOptions['plugins']>[number] => ({
  name: module,
  setup: bundler => {
    bundler.onResolve({ filter: new RegExp(`^${module}$`) }, ({ path }) => ({ path, namespace: 'page' }));
    bundler.onLoad({ filter: /^/, namespace: 'page' }, () => ({ contents: `export default globalThis.${global};` }));
  },
});

/**
 * Bundles an example in TypeScript into one classic script for a browser, with the packages that are installed in that project.
 * `node:assert/strict`, by which examples show results, is the global `assert` of the page.
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
