import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import ts from 'typescript';

/** A package of the workspace. */
export interface Member {
  readonly folder: string;
  readonly name: string;
  /** The names in `dependencies`, `peerDependencies` and `optionalDependencies`. */
  readonly dependencies: readonly string[];
  readonly devDependencies: readonly string[];
  /** The folders in `packages/` that its tsconfig.json references. */
  readonly references: readonly string[];
  /** The packages and Node.js modules that its sources import. */
  readonly imports: readonly string[];
}

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Project {
  readonly references?: readonly { readonly path: string }[];
}

const json = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** Returns every TypeScript file below a folder, sorted; empty if the folder does not exist. */
export function sourcesOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts'))
    .map(file => join(folder, file))
    .sort();
}

/** Returns the package of a specifier, such as `@tessera/pool` for `@tessera/pool/x`. Undefined for a relative path. */
function packageOf(specifier: string): string | undefined {
  if (specifier.startsWith('.')) return undefined;
  if (specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Returns the import specifiers of a source, including type imports. */
export const importsOf = (file: string): string[] =>
  ts.preProcessFile(readFileSync(file, 'utf8'), true, true).importedFiles.map(({ fileName }) => fileName);

const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();

/** Returns the folders in the `references` of a tsconfig.json, relative to `root`, with `/` as separator. */
export function referencesOf(file: string, root: string): string[] {
  const { references = [] } = json(file) as Project;
  return references.map(({ path }) =>
    relative(root, resolve(dirname(file), path))
      .split(sep)
      .join('/'),
  );
}

/**
 * Reads all packages of the workspace.
 * @throws Error if a folder in `packages/` has no package.json or tsconfig.json
 */
export function readWorkspace(root: string): Member[] {
  const packages = join(root, 'packages');
  return readdirSync(packages).map(folder => {
    const at = join(packages, folder);
    const manifest = json(join(at, 'package.json')) as Manifest;
    return {
      folder,
      name: manifest.name,
      dependencies: sorted(
        Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.optionalDependencies }),
      ),
      devDependencies: sorted(Object.keys(manifest.devDependencies ?? {})),
      references: sorted(referencesOf(join(at, 'tsconfig.json'), packages)),
      imports: sorted(
        sourcesOf(join(at, 'src'))
          .flatMap(importsOf)
          .map(packageOf)
          .filter(name => name !== undefined),
      ),
    };
  });
}
