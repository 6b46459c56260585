import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import ts from 'typescript';

/** One package as it lies on the disk. */
export interface Member {
  readonly folder: string;
  readonly name: string;
  /** Names under `dependencies`, `peerDependencies` and `optionalDependencies`. */
  readonly dependencies: readonly string[];
  /** Folders under `packages/` that its tsconfig.json references. */
  readonly references: readonly string[];
  /** Names of packages, and of modules of the host, that its sources import. */
  readonly imports: readonly string[];
}

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Project {
  readonly references?: readonly { readonly path: string }[];
}

const json = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** Every TypeScript file under that folder, in order of name; none if there is no such folder. */
export function sourcesOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts'))
    .map(file => join(folder, file))
    .sort();
}

/** The package of a specifier: `@tessera/pool/x` → `@tessera/pool`. Undefined for a path. */
function packageOf(specifier: string): string | undefined {
  if (specifier.startsWith('.')) return undefined;
  if (specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** The modules that a source imports, types included, as it names them. */
export const importsOf = (file: string): string[] =>
  ts.preProcessFile(readFileSync(file, 'utf8'), true, true).importedFiles.map(({ fileName }) => fileName);

const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();

/** The folders that the `references` of a tsconfig.json name, relative to `root`, with `/` between parts. */
export function referencesOf(file: string, root: string): string[] {
  const { references = [] } = json(file) as Project;
  return references.map(({ path }) =>
    relative(root, resolve(dirname(file), path))
      .split(sep)
      .join('/'),
  );
}

/** @throws Error if a folder under `packages/` holds no package.json or tsconfig.json. */
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
