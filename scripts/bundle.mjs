// Before a package is packed (`prepack`): its modules become one file, `dist/package.js`, which is what users import. The loader's
// cost is per file, and most of a driver's time to start.
import { appendFileSync, readFileSync } from 'node:fs';
import { build } from 'esbuild';

const { name } = JSON.parse(readFileSync('package.json', 'utf8'));

/**
 * Packages stay apart, so that whoever takes two of them has one of each. Only the driver as most people take it is one file with
 * all its parts; its errors are those of the one `@tessera/contracts` all the same, its values those of the one `bson`.
 */
const apart =
  name === '@tessera/mongodb'
    ? { external: ['node:*', '@tessera/contracts', 'bson', '@mongodb-js/saslprep'] }
    : { external: ['node:*'], packages: /** @type {const} */ ('external') };

await build({
  entryPoints: ['dist/index.js'],
  outfile: 'dist/package.js',
  bundle: true,
  ...apart,
  format: 'esm',
  platform: 'neutral',
  mainFields: ['module', 'main'],
  conditions: ['node', 'import'],
  target: 'es2023',
  logLevel: 'warning',
});

// Of two declarations of one name one gets another: an exported class keeps the name that users meet in errors and logs.
const code = readFileSync('dist/package.js', 'utf8');
const exported = /\nexport \{([^}]*)\};\s*$/.exec(code)?.[1] ?? '';
for (const [, inside, outside] of exported.matchAll(/(\S+) as ([^\s,]+)/g))
  if (code.includes(`\nvar ${inside} = class `) || code.includes(`\nclass ${inside} `))
    appendFileSync('dist/package.js', `Object.defineProperty(${inside}, 'name', { value: '${outside}' });\n`);
