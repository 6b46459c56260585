import { dirname, join, relative, resolve } from 'node:path';
import type { Rung } from './table.js';
import { importsOf, sourcesOf } from './workspace.js';

/** The imported files of each file. */
export type Imports = ReadonlyMap<string, readonly string[]>;

/** Returns the files that a source imports by relative paths, including type imports. */
const relativeImportsOf = (file: string): string[] =>
  importsOf(file)
    .filter(specifier => specifier.startsWith('.'))
    .map(specifier => resolve(dirname(file), specifier.replace(/\.js$/, '.ts')));

/** Reads the imports between the sources of all packages; paths are relative to `root`. */
export function importsWithin(root: string, folders: readonly string[]): Imports {
  const short = (file: string): string => relative(root, file).replaceAll('\\', '/');
  const files = folders.flatMap(folder => sourcesOf(join(root, 'packages', folder, 'src')));
  return new Map(files.map(file => [short(file), relativeImportsOf(file).map(short)]));
}

/**
 * Returns the import cycles: the strongly connected components with more than one file, and files that import
 * themselves. Files are
 * sorted by name.
 */
export function cyclesIn(imports: Imports): string[][] {
  // Tarjan's algorithm: when the visit of a component's first file ends, the component is the end of `open`.
  const cycles: string[][] = [];
  const open: string[] = [];
  const numbers = new Map<string, number>();
  const isOpen = new Set<string>();
  /** Returns the smallest number of the reachable open files. */
  const visit = (file: string): number => {
    const number = numbers.size;
    let lowest = number;
    numbers.set(file, number);
    open.push(file);
    isOpen.add(file);
    const targets = imports.get(file) ?? [];
    for (const next of targets) {
      const known = numbers.get(next);
      if (known === undefined) lowest = Math.min(lowest, visit(next));
      else if (isOpen.has(next)) lowest = Math.min(lowest, known);
    }
    if (lowest < number) return lowest;
    const cycle = open.splice(open.indexOf(file));
    for (const one of cycle) isOpen.delete(one);
    if (cycle.length > 1 || targets.includes(file)) cycles.push(cycle.sort());
    return lowest;
  };
  for (const file of imports.keys()) if (!numbers.has(file)) visit(file);
  return cycles.sort(([a], [b]) => (a! < b! ? -1 : 1));
}

/** Returns a sentence for each cycle that the table does not list, and for each listed cycle that no longer exists. */
export function cycleFaults(imports: Imports, ladder: readonly Rung[]): string[] {
  const named = ladder.flatMap(({ folder, cycles }) =>
    cycles.map(({ files }) =>
      files
        .map(file => `packages/${folder}/src/${file}`)
        .sort()
        .join(', '),
    ),
  );
  const found = cyclesIn(imports).map(files => files.join(', '));
  return [
    ...found
      .filter(cycle => !named.includes(cycle))
      .map(cycle => `${cycle} import each other: break the cycle, or add it to the table with a reason.`),
    ...named
      .filter(cycle => !found.includes(cycle))
      .map(cycle => `The table lists a cycle that does not exist: ${cycle}.`),
  ];
}
