// Bundles the modules of a package before it is packed (`prepack`). Each entry of `publishConfig.exports` becomes one
// file, such as `dist/package.js`. Several entries share a common file. Fewer files load faster, and loading takes most
// of a driver's start time. An entry with the conditions `import` and `require` becomes an ES module and a CommonJS
// module, each with one declaration file. The ES module of `@tessera/mongodb` has a second file: bundlers omit
// `package.driver.js` from a program that imports only BSON classes. Further files are loaded on demand. The arguments are
// folders of packages (default: the working directory).
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { toCommonJs } from './commonjs.mjs';
import { rollUpDeclarations } from './declarations.mjs';
import { withFunctions } from './functions.mjs';
import { omissible } from './omissible.mjs';

/**
 * @typedef {{ types: string, default: string }} Target
 * @typedef {{ import: Target, require: Target }} Both
 */

/** Matches the list of exports of a bundle. */
const exportList = /\nexport \{([^}]*)\};\n/;

/**
 * Restores the public names of exported classes, which appear in errors and logs, also if a bundler shortens names.
 * A bundle renames one of two declarations with the same name, and a class that refers to itself. The names are set by
 * calls without effects, so that bundlers omit unused classes.
 * @param {string} code the bundle @returns {string}
 */
function withPublicNames(code) {
  for (const [, inside = '', outside = inside] of (exportList.exec(code)?.[1] ?? '').matchAll(
    /([^\s,]+)(?: as ([^\s,]+))?/g,
  )) {
    const start = `\nvar ${inside} = class `;
    const [before, after, ...more] = code.split(start);
    const end = after?.indexOf('\n};\n') ?? -1;
    if (after !== undefined && end >= 0 && more.length === 0)
      code = `${before}\nvar ${inside} = /* @__PURE__ */ withName("${outside}", () => class ${after.slice(0, end)}\n});\n${after.slice(end + 4)}`;
    else if (inside !== outside && code.includes(`\nclass ${inside} `))
      code += `withName("${outside}", () => ${inside});\n`;
  }
  return code;
}

/**
 * Node.js never reads an ES module again that it could not read, for example because too many files were open. It can read
 * a CommonJS module again, so each `import()` of a file of the package is followed by `require` of its other form.
 * @param {string} code the bundle @returns {string}
 */
function withSecondForm(code) {
  const start = /\bimport\("(\.\/[^"]+)\.js"\)/g;
  if (!start.test(code)) return code;
  const second = code.replace(start, (load, path) => `${load}.catch(secondForm("${path}.cjs"))`);
  return `import { createRequire as requireFrom } from "node:module";
${second}function secondForm(path) {
  return (error) => {
    try {
      return requireFrom(import.meta.url)(path);
    } catch {
      throw error;
    }
  };
}
`;
}

/** Matches the exports of BSON classes in the entry of `@tessera/mongodb`. */
const exportOfBson = /^export \{[^}]*\} from '(?:bson|\.\/bson\.js)';\n/gm;

/** Bundles the package in the working directory. */
async function bundlePackage() {
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

  /** The modules that the package loads on demand, by the names of their output files. @type {Record<string, string>} */
  const onDemand = {};

  /**
   * Makes each module of `import()` an output file of its own. The option `splitting` would move modules that such a file
   * shares with the driver into a further file, which would load at start. Each file has its own copies instead.
   * @type {import('esbuild').Plugin}
   */
  const separate = {
    name: 'separate',
    setup: ({ onResolve }) =>
      onResolve({ filter: /^\.\// }, ({ kind, path, resolveDir }) => {
        if (kind !== 'dynamic-import') return undefined;
        const file = `package.${basename(path, '.js')}`;
        const module = join(resolveDir, path);
        if ((onDemand[file] ??= module) !== module) throw new Error(`Two modules on demand have the name ${path}.`);
        return { path: `./${file}.js`, external: true };
      }),
  };

  /**
   * Bundles modules, with functions that load fast, and with values that bundlers can omit.
   * @param {import('esbuild').BuildOptions} input the modules and their output files
   */
  const bundle = async input => {
    const { metafile } = await build({
      absWorkingDir: process.cwd(),
      bundle: true,
      // Only `@tessera/mongodb` bundles other packages, except `@tessera/contracts` and `bson`, whose classes must be unique.
      ...(isTile ? { packages: 'external' } : {}),
      external: ['node:*', ...(isTile ? [] : Object.keys(dependencies))],
      plugins: [separate],
      format: 'esm',
      platform: 'neutral',
      mainFields: ['module', 'main'],
      conditions: ['node', 'import'],
      target: 'es2023',
      logLevel: 'warning',
      metafile: true,
      ...input,
    });
    for (const [file, { entryPoint }] of Object.entries(metafile?.outputs ?? {})) {
      const code = withFunctions(readFileSync(file, 'utf8'));
      writeFileSync(file, omissible(entryPoint === undefined ? code : withPublicNames(code)));
    }
  };

  await bundle({
    entryPoints,
    outdir: 'dist',
    splitting: Object.keys(entryPoints).length > 1,
    chunkNames: 'package-[hash]',
  });

  // A module on demand may load others.
  for (let built = 0, files; (files = Object.entries(onDemand).slice(built)).length > 0; built += files.length)
    await bundle({ entryPoints: Object.fromEntries(files), outdir: 'dist' });

  for (const { entry, import: module, require: commonjs } of both) {
    writeFileSync(commonjs.default, toCommonJs(readFileSync(module.default, 'utf8')));
    const declarations = rollUpDeclarations(process.cwd(), exports[entry].types);
    writeFileSync(commonjs.types, declarations);
    writeFileSync(module.types, declarations);
  }

  // The CommonJS module keeps all code that loads at start in one file. The official driver is a CommonJS module, so ES
  // modules can import all of it as the default export. A function creates the default export, so that bundlers can omit it.
  if (!isTile) {
    for (const file of Object.keys(onDemand)) {
      const code = readFileSync(`dist/${file}.js`, 'utf8');
      writeFileSync(`dist/${file}.cjs`, toCommonJs(code));
      writeFileSync(`dist/${file}.js`, withSecondForm(code));
    }
    for (const { entry, import: module } of both) {
      const code = readFileSync(exports[entry].default, 'utf8');
      const driver = module.default.replace(/\.js$/, '.driver.js');
      await bundle({ stdin: { contents: code.replaceAll(exportOfBson, ''), resolveDir: 'dist' }, outfile: driver });
      writeFileSync(driver, withSecondForm(readFileSync(driver, 'utf8')));
      const bson = code.match(exportOfBson)?.join('') ?? '';
      await bundle({ stdin: { contents: bson, resolveDir: 'dist' }, outfile: module.default });
      const [, list = ''] = exportList.exec(readFileSync(module.default, 'utf8')) ?? [];
      const path = `./${basename(driver)}`;
      appendFileSync(
        module.default,
        `export * from '${path}';
  import * as driver from '${path}';
  export default /* @__PURE__ */ (() => ({ ...driver,${list}}))();
  `,
      );
      appendFileSync(module.types, `declare const mongodb: typeof import('./package.js');\nexport default mongodb;\n`);
    }
  }
}

const folders = process.argv.slice(2).map(folder => resolve(folder));
for (const folder of folders.length > 0 ? folders : [process.cwd()]) {
  process.chdir(folder);
  await bundlePackage();
}
