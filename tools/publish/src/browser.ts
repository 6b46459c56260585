import { build } from 'esbuild';

/**
 * Bundles the package for a browser, as it is installed in that project.
 * @returns the modules of the host that the bundle asks for: none, if it can run in a browser
 */
export async function hostImportsInBrowser(project: string, name: string): Promise<string[]> {
  const { metafile } = await build({
    stdin: { contents: `export * from '${name}';`, resolveDir: project },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    // What a browser lacks is kept as an import, to be found below; without this the build would end at the first.
    external: ['node:*'],
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  return Object.values(metafile.outputs).flatMap(output => output.imports.map(({ path }) => path));
}
