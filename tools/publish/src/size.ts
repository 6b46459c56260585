import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, transform } from 'esbuild';
import { published } from './workspace.js';

const gzipped = (code: string | Uint8Array): number => gzipSync(code, { level: 9 }).length;

/** Returns the size of the package's own code in bytes, minified and gzipped, without its imports. */
export async function sizeOf(name: string): Promise<number> {
  const { outputFiles } = await build({
    entryPoints: [`${published(name).folder}/dist/index.js`],
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'neutral',
    external: ['node:*'],
    minify: true,
    write: false,
    logLevel: 'silent',
  });
  return gzipped(outputFiles[0]!.contents);
}

/** Returns the size of a file of a package, as installed in the project, in bytes, minified and gzipped. */
export async function sizeOfFile(project: string, name: string, file: string): Promise<number> {
  const code = readFileSync(join(project, 'node_modules', name, file), 'utf8');
  return gzipped((await transform(code, { minify: true })).code);
}
