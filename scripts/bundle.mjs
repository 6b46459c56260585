// Before a package is packed (`prepack`): its modules become one file for each entry of `publishConfig.exports`, which is what users
// import: `dist/package.js`, and a file that the entries share if there are several. The loader's cost is per file, and most of a
// driver's time to start.
import { appendFileSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { build } from 'esbuild';

const { name, exports, publishConfig } = JSON.parse(readFileSync('package.json', 'utf8'));

/** What is built, by the name of the file that it becomes. @type {Readonly<Record<string, string>>} */
const entryPoints = Object.fromEntries(
  Object.keys(exports)
    .filter(entry => publishConfig.exports[entry].default !== exports[entry].default)
    .map(entry => [basename(publishConfig.exports[entry].default, '.js'), exports[entry].default]),
);

/**
 * Packages stay apart, so that whoever takes two of them has one of each. Only the driver as most people take it is one file with
 * all its parts; its errors are those of the one `@tessera/contracts` all the same, its values those of the one `bson`.
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

// Of two declarations of one name one gets another: an exported class keeps the name that users meet in errors and logs.
for (const file of Object.keys(entryPoints).map(entry => `dist/${entry}.js`)) {
  const code = readFileSync(file, 'utf8');
  const exported = /\nexport \{([^}]*)\};\s*$/.exec(code)?.[1] ?? '';
  for (const [, inside, outside] of exported.matchAll(/(\S+) as ([^\s,]+)/g))
    if (code.includes(`\nvar ${inside} = class `) || code.includes(`\nclass ${inside} `))
      appendFileSync(file, `Object.defineProperty(${inside}, 'name', { value: '${outside}' });\n`);
}
