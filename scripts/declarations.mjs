// Writes the declarations of a package and of the packages that it bundles as one file.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Extractor, ExtractorLogLevel } from '@microsoft/api-extractor';
import { extractorConfig } from './extractor.mjs';
import { root } from './workspace.mjs';

/** @param {string} folder @returns {{ name: string, devDependencies?: Record<string, string> }} */
const manifestOf = folder => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** The packages of the workspace that no package bundles, because their classes must be unique. */
const unique = ['@tessera/contracts'];

/**
 * Returns the packages that a package bundles: its development dependencies, and all packages that they import.
 * @param {string} folder @returns {string[]}
 */
function bundledIn(folder) {
  const { devDependencies = {} } = manifestOf(folder);
  /** @type {Set<string>} */
  const found = new Set();
  /** @param {readonly string[]} names */
  const add = names => {
    for (const name of names.filter(
      each => each.startsWith('@tessera/') && !unique.includes(each) && !found.has(each),
    )) {
      found.add(name);
      add(Object.keys(JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).dependencies));
    }
  };
  add(Object.keys(devDependencies));
  return [...found].sort();
}

/**
 * Returns the members that a package adds to interfaces of a bundled package with `declare module`. API Extractor omits
 * them. In one file, they are further declarations of the interfaces.
 * @param {string} folder @returns {string}
 */
function additionsOf(folder) {
  const dist = join(folder, 'dist');
  const files = readdirSync(dist).filter(file => file.endsWith('.d.ts') && !file.startsWith('package.'));
  const blocks = files.flatMap(file => [
    ...readFileSync(join(dist, file), 'utf8').matchAll(/^declare module '@tessera\/[^']+' \{\n(.*?)^\}/gms),
  ]);
  return blocks.map(([, body = '']) => `\n${body.replace(/^ {4}(?=interface )/gm, '    export ')}`).join('');
}

/**
 * Returns the declarations of an entry as one file that imports only the dependencies of the package.
 * @param {string} folder the folder of the package @param {string} entry the declaration file of the entry @returns
 * {string}
 * @throws Error if API Extractor reports an error
 */
export function rollUpDeclarations(folder, entry) {
  const { name } = manifestOf(folder);
  const file = join(root, '.cache', 'declarations', `${name.replace('/', '-')}.d.ts`);
  mkdirSync(join(root, '.cache', 'declarations'), { recursive: true });
  const config = extractorConfig(folder, entry, join(folder, 'tsconfig.json'), {
    bundledPackages: bundledIn(folder),
    dtsRollup: { enabled: true, untrimmedFilePath: file },
  });
  const { succeeded } = Extractor.invoke(config, {
    localBuild: true,
    messageCallback: message => (message.handled = message.logLevel !== ExtractorLogLevel.Error),
  });
  if (!succeeded) throw new Error(`API Extractor cannot combine the declarations of ${name}.`);
  return readFileSync(file, 'utf8') + additionsOf(folder);
}
