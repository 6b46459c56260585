import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** A program that is bundled for Node.js with all packages that it imports. */
export interface Program {
  readonly title: string;
  readonly packages: readonly string[];
  readonly code: string;
}

/** The programs whose bundles have a budget. The class ObjectId of npm `bson` alone has 17,300 bytes. */
export const programs: readonly Program[] = [
  {
    title: 'bundle of ObjectId',
    packages: ['@tessera/mongodb'],
    code: `export { ObjectId } from '@tessera/mongodb';`,
  },
  {
    title: 'bundle of an error class',
    packages: ['@tessera/mongodb'],
    code: `export { MongoServerError } from '@tessera/mongodb';`,
  },
  {
    title: 'bundle of MongoClient',
    packages: ['@tessera/mongodb'],
    code: `export { MongoClient } from '@tessera/mongodb';`,
  },
  {
    title: 'bundle of the driver',
    packages: ['@tessera/mongodb'],
    code: `export * from '@tessera/mongodb';`,
  },
  {
    title: 'bundle of a client of five packages',
    packages: ['@tessera/bson', '@tessera/wire', '@tessera/connection', '@tessera/operations', '@tessera/contracts'],
    code: `
export { stack } from '@tessera/contracts';
export { bson } from '@tessera/bson';
export { createWire } from '@tessera/wire';
export { createConnect } from '@tessera/connection';
export { find } from '@tessera/operations';
`,
  },
];

/** The part of a program's bundle that it loads at its start. */
export interface Bundle {
  /** The size in bytes, minified and gzipped. */
  readonly size: number;
  /** The minified size in bytes of each bundled module, by its path, the largest first. */
  readonly modules: Readonly<Record<string, number>>;
}

/**
 * Bundles a program with the packages installed in the project. Files that the program loads on demand with `import()` are
 * not counted.
 */
export async function bundleOf(project: string, code: string): Promise<Bundle> {
  const { metafile, outputFiles } = await build({
    stdin: { contents: code, resolveDir: project },
    absWorkingDir: project,
    outdir: '.',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    minify: true,
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const atStart = new Set<string>();
  const visit = (path: string): void => {
    const output = metafile.outputs[path];
    if (output === undefined || atStart.has(path)) return;
    atStart.add(path);
    for (const { path: next, kind } of output.imports) if (kind !== 'dynamic-import') visit(next);
  };
  visit('stdin.js');
  const modules = [...atStart].flatMap(path =>
    Object.entries(metafile.outputs[path]!.inputs).map(([name, { bytesInOutput }]) => [name, bytesInOutput] as const),
  );
  return {
    size: outputFiles
      .filter(({ path }) => [...atStart].some(each => path === `${project}/${each}`))
      .reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0),
    modules: Object.fromEntries(modules.filter(([, bytes]) => bytes > 0).sort(([, a], [, b]) => b - a)),
  };
}
