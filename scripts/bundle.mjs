// Bundles the modules of a package before it is packed (`prepack`). Each entry of `publishConfig.exports` becomes one
// file, such as `dist/package.js`. Several entries share a common file. Fewer files load faster, and loading takes most
// of a driver's start time. An entry with the conditions `import` and `require` becomes an ES module and a CommonJS
// module, each with one declaration file.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { build } from 'esbuild';
import { toCommonJs } from './commonjs.mjs';
import { rollUpDeclarations } from './declarations.mjs';

/**
 * @typedef {{ types: string, default: string }} Target
 * @typedef {{ import: Target, require: Target }} Both
 */

const { name, dependencies, exports, publishConfig } = JSON.parse(readFileSync('package.json', 'utf8'));

/** Packages do not include each other, so users of two packages get each shared package once. */
const isTile = name !== '@tessera/mongodb';

/** The published entries of compiled modules. @type {readonly (readonly [string, Target | Both])[]} */
const entries = Object.entries(publishConfig.exports).filter(
  ([entry, target]) => entry in exports && target.default !== exports[entry].default,
);

/** The entries with a CommonJS module. */
const both = entries.flatMap(([entry, target]) => ('import' in target ? [{ entry, ...target }] : []));

/** The bundled modules by the names of their output files. @type {Readonly<Record<string, string>>} */
const entryPoints = Object.fromEntries(
  entries.map(([entry, target]) => [
    basename('import' in target ? target.import.default : target.default, '.js'),
    exports[entry].default,
  ]),
);

await build({
  entryPoints,
  outdir: 'dist',
  bundle: true,
  splitting: Object.keys(entryPoints).length > 1,
  chunkNames: 'package-[hash]',
  // Only `@tessera/mongodb` bundles other packages, except `@tessera/contracts` and `bson`, whose classes must be unique.
  ...(isTile ? { external: ['node:*'], packages: 'external' } : { external: ['node:*', ...Object.keys(dependencies)] }),
  format: 'esm',
  platform: 'neutral',
  mainFields: ['module', 'main'],
  conditions: ['node', 'import'],
  target: 'es2023',
  logLevel: 'warning',
});

/** Matches the list of exports of a bundle. */
const exportList = /\nexport \{([^}]*)\};\n/;

// esbuild renames one of two declarations with the same name, and a class that refers to itself. Restore the public names
// of exported classes, which appear in errors and logs.
for (const file of Object.keys(entryPoints).map(entry => `dist/${entry}.js`)) {
  const code = readFileSync(file, 'utf8');
  for (const [, inside = '', outside = inside] of (exportList.exec(code)?.[1] ?? '').matchAll(
    /([^\s,]+)(?: as ([^\s,]+))?/g,
  ))
    if (code.includes(`\nvar ${inside} = class `) || (inside !== outside && code.includes(`\nclass ${inside} `)))
      appendFileSync(file, `Object.defineProperty(${inside}, 'name', { value: '${outside}' });\n`);
}

for (const { entry, import: module, require: commonjs } of both) {
  const code = readFileSync(module.default, 'utf8');
  writeFileSync(commonjs.default, toCommonJs(code));
  const declarations = rollUpDeclarations(process.cwd(), exports[entry].types);
  writeFileSync(commonjs.types, declarations);
  writeFileSync(module.types, declarations);
}

// The official driver is a CommonJS module, so ES modules can import all of it as the default export.
if (!isTile)
  for (const { import: module } of both) {
    const [, list = ''] = exportList.exec(readFileSync(module.default, 'utf8')) ?? [];
    const all = list.replaceAll(/(\S+) as (\S+?)(,|\s)/g, '$2: $1$3');
    appendFileSync(module.default, `export default {${all}};\n`);
    appendFileSync(module.types, `declare const mongodb: typeof import('./package.js');\nexport default mongodb;\n`);
  }
