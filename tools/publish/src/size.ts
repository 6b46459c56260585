import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, transform } from 'esbuild';
import type { BuildOptions, Plugin } from 'esbuild';
import { published } from './workspace.js';

const gzipped = (code: string | Uint8Array): number => gzipSync(code, { level: 9 }).length;

/** The output of a bundler for one program. */
export interface Bundle {
  /** The size in bytes of the files that the program loads at its start, minified and gzipped. */
  readonly size: number;
  /** The size in bytes of the files that the program loads on demand, with `import()`, minified and gzipped. */
  readonly later: number;
  /** The minified size in bytes of each module that is loaded at the start, by its path, the largest first. */
  readonly modules: Readonly<Record<string, number>>;
}

/**
 * Bundles a program into files that it loads at its start, and files that it loads on demand. A program without files on
 * demand becomes a single file.
 * @param folder the working directory
 * @param start the name of the file that the bundler makes of the entry
 */
export async function measure(
  folder: string,
  start: string,
  options: BuildOptions,
  splitting: boolean = true,
): Promise<Bundle> {
  const { metafile, outputFiles } = await build({
    ...options,
    absWorkingDir: folder,
    outdir: '.',
    bundle: true,
    splitting,
    format: 'esm',
    minify: true,
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const loadedFrom = (path: string, withLater: boolean, files = new Set<string>()): ReadonlySet<string> => {
    const output = metafile.outputs[path];
    if (output === undefined || files.has(path)) return files;
    files.add(path);
    for (const { path: next, kind } of output.imports)
      if (withLater || kind !== 'dynamic-import') loadedFrom(next, withLater, files);
    return files;
  };
  const [atStart, all] = [loadedFrom(start, false), loadedFrom(start, true)];
  // Otherwise the program would have a second file, shared with files on demand that it cannot load.
  if (splitting && all.size === atStart.size) return measure(folder, start, options, false);
  const modules = [...atStart].flatMap(path =>
    Object.entries(metafile.outputs[path]!.inputs).map(([name, { bytesInOutput }]) => [name, bytesInOutput] as const),
  );
  const sizeOfFiles = (files: ReadonlySet<string>): number =>
    outputFiles
      .filter(({ path }) => files.has(relative(folder, path)))
      .reduce((size, { contents }) => size + gzipped(contents), 0);
  const size = sizeOfFiles(atStart);
  return {
    size,
    later: sizeOfFiles(all) - size,
    modules: Object.fromEntries(modules.filter(([, bytes]) => bytes > 0).sort(([, a], [, b]) => b - a)),
  };
}

/** Keeps the modules that a package loads on demand out of its file, as when the package is published. */
const separate: Plugin = {
  name: 'separate',
  setup: bundler => {
    bundler.onResolve({ filter: /^\.\// }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    );
  },
};

/**
 * Returns the size of the package's own code in bytes, minified and gzipped, without its imports and without what it loads
 * on demand.
 */
export const sizeOf = async (name: string): Promise<number> => {
  const { size } = await measure(published(name).folder, 'index.js', {
    entryPoints: ['dist/index.js'],
    packages: 'external',
    platform: 'neutral',
    external: ['node:*'],
    plugins: [separate],
  });
  return size;
};

/** Returns the size of a file of a package, as installed in the project, in bytes, minified and gzipped. */
export async function sizeOfFile(project: string, name: string, file: string): Promise<number> {
  const code = readFileSync(join(project, 'node_modules', name, file), 'utf8');
  return gzipped((await transform(code, { minify: true })).code);
}
