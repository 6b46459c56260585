import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { published } from './workspace.js';

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
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length;
}
