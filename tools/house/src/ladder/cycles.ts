import { dirname, join, relative, resolve } from 'node:path';
import type { Rung } from './table.js';
import { importsOf, sourcesOf } from './workspace.js';

/** File → the files that it imports. */
export type Imports = ReadonlyMap<string, readonly string[]>;

/** The relative imports of a source, types included, as paths of sources. */
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
 * Returns the strongly connected components of more than one file: each file of a component imports every other one, directly or by way of
 * others. Files are sorted by name. A file that imports itself is a component as well.
 */
export function circlesIn(imports: Imports): string[][] {
  // Tarjan's algorithm: a component is complete when its first file is left, and is then the end of `open`.
  const circles: string[][] = [];
  const open: string[] = [];
  const numbers = new Map<string, number>();
  const isOpen = new Set<string>();
  /** Returns the smallest number of an open file that can be reached. */
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
    const circle = open.splice(open.indexOf(file));
    for (const one of circle) isOpen.delete(one);
    if (circle.length > 1 || targets.includes(file)) circles.push(circle.sort());
    return lowest;
  };
  for (const file of imports.keys()) if (!numbers.has(file)) visit(file);
  return circles.sort(([a], [b]) => (a! < b! ? -1 : 1));
}

/** Returns a sentence for each circle that the table does not name, and for each named circle that no longer exists. */
export function circleFaults(imports: Imports, ladder: readonly Rung[]): string[] {
  const named = ladder.flatMap(({ folder, circles }) =>
    circles.map(({ files }) =>
      files
        .map(file => `packages/${folder}/src/${file}`)
        .sort()
        .join(', '),
    ),
  );
  const found = circlesIn(imports).map(files => files.join(', '));
  return [
    ...found
      .filter(circle => !named.includes(circle))
      .map(circle => `${circle} import each other: untie them, or name the circle and its reason in the table`),
    ...named
      .filter(circle => !found.includes(circle))
      .map(circle => `the table names a circle that does not exist: ${circle}`),
  ];
}
