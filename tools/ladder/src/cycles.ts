import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { sourcesOf } from './workspace.js';

/** File → the files that it imports. */
export type Imports = ReadonlyMap<string, readonly string[]>;

/** What of its relative imports is left when types are erased, as paths of sources. */
function importsOf(file: string): string[] {
  const { statements } = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2023);
  return statements.flatMap(statement => {
    const loads =
      (ts.isImportDeclaration(statement) && statement.importClause?.phaseModifier !== ts.SyntaxKind.TypeKeyword) ||
      (ts.isExportDeclaration(statement) && !statement.isTypeOnly);
    if (!loads || statement.moduleSpecifier === undefined || !ts.isStringLiteral(statement.moduleSpecifier)) return [];
    const { text } = statement.moduleSpecifier;
    return text.startsWith('.') ? [resolve(dirname(file), text.replace(/\.js$/, '.ts'))] : [];
  });
}

/** Of the sources of all packages; paths are relative to `root`. */
export function importsWithin(root: string, folders: readonly string[]): Imports {
  const short = (file: string): string => relative(root, file).replaceAll('\\', '/');
  const files = folders.flatMap(folder => sourcesOf(join(root, 'packages', folder, 'src')));
  return new Map(files.map(file => [short(file), importsOf(file).map(short)]));
}

/** The ways round, each once: `a.ts → b.ts → a.ts`. A file that waits for itself may find what it imports not made yet. */
export function cyclesIn(imports: Imports): string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, way: readonly string[]): void => {
    const from = way.indexOf(file);
    if (from >= 0) cycles.push([...way.slice(from), file].join(' → '));
    if (from >= 0 || done.has(file)) return;
    for (const next of imports.get(file) ?? []) visit(next, [...way, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  return cycles;
}
