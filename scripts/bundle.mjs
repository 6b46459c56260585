// Bundles the modules of a package before it is packed (`prepack`). Each entry of `publishConfig.exports` becomes one
// file, such as `dist/package.js`. Several entries share a common file. Fewer files load faster, and loading takes most
// of a driver's start time.
import { appendFileSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { build } from 'esbuild';

const { name, exports, publishConfig } = JSON.parse(readFileSync('package.json', 'utf8'));

/** The bundled modules by the names of their output files. @type {Readonly<Record<string, string>>} */
const entryPoints = Object.fromEntries(
  Object.keys(exports)
    .filter(entry => publishConfig.exports[entry].default !== exports[entry].default)
    .map(entry => [basename(publishConfig.exports[entry].default, '.js'), exports[entry].default]),
);

/**
 * Packages do not include each other, so users of two packages get each shared package once. Only `@tessera/mongodb`
 * bundles the other packages, except `@tessera/contracts` and `bson`, whose classes must be unique.
 */
const apart =
  name === '@tessera/mongodb'
    ? { external: ['node:*', '@tessera/contracts', 'bson', '@mongodb-js/saslprep'] }
    : { external: ['node:*'], packages: /** @type {const} */ ('external') };

await build({
  entryPoints,
  outdir: 'dist',
  bundle: true,
  splitting: Object.keys(entryPoints).length > 1,
  chunkNames: 'package-[hash]',
  ...apart,
  format: 'esm',
  platform: 'neutral',
  mainFields: ['module', 'main'],
  conditions: ['node', 'import'],
  target: 'es2023',
  logLevel: 'warning',
});

// esbuild renames one of two declarations with the same name. Restore the public names of exported classes, which
// appear in errors and logs.
for (const file of Object.keys(entryPoints).map(entry => `dist/${entry}.js`)) {
  const code = readFileSync(file, 'utf8');
  const exported = /\nexport \{([^}]*)\};\s*$/.exec(code)?.[1] ?? '';
  for (const [, inside, outside] of exported.matchAll(/(\S+) as ([^\s,]+)/g))
    if (code.includes(`\nvar ${inside} = class `) || code.includes(`\nclass ${inside} `))
      appendFileSync(file, `Object.defineProperty(${inside}, 'name', { value: '${outside}' });\n`);
}
