import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The repository; this file lies in `tools/load-check/src`, compiled in `tools/load-check/dist`. */
export const root: string = join(import.meta.dirname, '..', '..', '..');

/** A package that is published. */
export interface Published {
  readonly name: string;
  readonly folder: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
}

const json = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** In order of name. */
export function publishedPackages(): Published[] {
  const packages = join(root, 'packages');
  return readdirSync(packages)
    .map(name => join(packages, name))
    .filter(folder => existsSync(join(folder, 'package.json')))
    .map(folder => ({ folder, manifest: json(join(folder, 'package.json')) as Partial<Published> & { name: string } }))
    .map(({ folder, manifest }) => ({
      name: manifest.name,
      folder,
      dependencies: manifest.dependencies ?? {},
      bin: manifest.bin ?? {},
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** @throws Error if there is no such package. */
export function published(name: string): Published {
  const found = publishedPackages().find(other => other.name === name);
  if (found !== undefined) return found;
  throw new Error(
    `No package is named ${name}: ${publishedPackages()
      .map(other => other.name)
      .join(', ')}.`,
  );
}

/** These packages and all that they depend on: of ours, and of others. */
export function closure(names: readonly string[]): {
  readonly ours: readonly string[];
  readonly outside: readonly string[];
} {
  const all = new Map(publishedPackages().map(each => [each.name, each]));
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const dependency of Object.keys(all.get(name)?.dependencies ?? {})) visit(dependency);
  };
  for (const name of names) visit(published(name).name);
  const sorted = [...seen].sort();
  return { ours: sorted.filter(name => all.has(name)), outside: sorted.filter(name => !all.has(name)) };
}
