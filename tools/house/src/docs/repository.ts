import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.js';

export { root };

const made = new Set(['.git', '.cache', '.turbo', 'node_modules', 'dist', 'coverage']);

function walk(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(entry => !made.has(entry.name))
    .flatMap(entry => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      return entry.isDirectory() ? walk(path) : [path];
    });
}

/** Returns the paths of all files that are not generated, relative to the root, sorted, with `/` as separator. */
export const writtenFiles = (): string[] => walk('').sort();

/** Reads a file by its path relative to the root. */
export const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

/** A package that is published. */
export interface Package {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
}

/** Returns the published packages, sorted by folder name. */
export const packages = (): Package[] =>
  readdirSync(join(root, 'packages'))
    .sort()
    .map(folder => ({ ...(JSON.parse(textOf(`packages/${folder}/package.json`)) as Omit<Package, 'folder'>), folder }));
