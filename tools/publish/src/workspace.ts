import { existsSync, readFileSync, readdirSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '@tessera-tools/house';

/** A package that is published. */
export interface Published {
  readonly name: string;
  readonly folder: string;
  readonly dependencies: Readonly<Record<string, string>>;
  /** The packages that its published files contain, together with the packages that those import. */
  readonly bundled: readonly string[];
  /** The CommonJS file that `require` loads, relative to the package's folder. Undefined: `require` loads the ES module. */
  readonly commonjs: string | undefined;
  readonly bin: Readonly<Record<string, string>>;
}

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly publishConfig?: { readonly main?: string };
}

const json = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** Returns the published packages, sorted by name. */
export function publishedPackages(): Published[] {
  const packages = join(root, 'packages');
  return readdirSync(packages)
    .map(name => join(packages, name))
    .filter(folder => existsSync(join(folder, 'package.json')))
    .map(folder => ({ folder, manifest: json(join(folder, 'package.json')) as Manifest }))
    .map(({ folder, manifest }) => ({
      name: manifest.name,
      folder,
      dependencies: manifest.dependencies ?? {},
      bundled: Object.keys(manifest.devDependencies ?? {}),
      commonjs: manifest.publishConfig?.main,
      bin: manifest.bin ?? {},
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns a published package by name. @throws Error if there is no such package */
export function published(name: string): Published {
  const found = publishedPackages().find(other => other.name === name);
  if (found !== undefined) return found;
  throw new Error(
    `There is no package "${name}". The packages are: ${publishedPackages()
      .map(other => other.name)
      .join(', ')}.`,
  );
}

/** A third-party package, as installed in this repository. */
export interface Outside {
  readonly name: string;
  readonly folder: string;
}

function folderOf(name: string, dependent: string): string {
  for (const modules of createRequire(join(dependent, 'package.json')).resolve.paths(`${name}/`) ?? [])
    if (existsSync(join(modules, name, 'package.json'))) return realpathSync(join(modules, name));
  throw new Error(`${name} is not installed, although ${dependent} depends on it. Run \`npm run setup\`.`);
}

/**
 * Returns these packages and all their dependencies, separated into packages of this repository and third-party
 * packages. Names of
 * third-party packages must be development dependencies of the repository.
 * @throws Error if two versions of a package would be needed
 */
export function closure(names: readonly string[]): {
  readonly ours: readonly string[];
  readonly outside: readonly Outside[];
} {
  const all = new Map(publishedPackages().map(each => [each.name, each]));
  const ours = new Set<string>();
  const outside = new Map<string, Outside>();
  const visit = (name: string, dependent: string): void => {
    const own = all.get(name);
    if (own === undefined) visitOutside(name, folderOf(name, dependent));
    else if (!ours.has(name)) {
      ours.add(name);
      for (const dependency of Object.keys(own.dependencies)) visit(dependency, own.folder);
    }
  };
  const visitOutside = (name: string, folder: string): void => {
    const known = outside.get(name);
    if (known !== undefined && known.folder !== folder)
      throw new Error(`Two versions of ${name} are needed: ${known.folder} and ${folder}.`);
    if (known !== undefined) return;
    outside.set(name, { name, folder });
    const { dependencies = {} } = json(join(folder, 'package.json')) as Partial<Published>;
    for (const dependency of Object.keys(dependencies)) visitOutside(dependency, folderOf(dependency, folder));
  };
  for (const name of names) visit(name, root);
  return {
    ours: [...ours].sort(),
    outside: [...outside.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}
