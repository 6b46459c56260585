// Converts a bundle of esbuild from an ES module to a CommonJS module with the same code. The CommonJS output of esbuild
// would read an imported name from its module at each use, and its exports could not be replaced in tests.

const importDeclaration = /^import (?:\{([^}]*)\}|\* as (\w+)|(\w+)) from "([^"]+)";\n/gm;
const exportList = /^export \{([^}]*)\};\n/m;

/** @param {string} list names of an import or export, such as `a, b as c` @returns {[string, string][]} */
const pairsOf = list =>
  list
    .split(',')
    .map(each => each.trim())
    .filter(each => each !== '')
    .map(each => {
      const [from = '', to = from] = each.split(' as ');
      return [from, to];
    });

/**
 * Returns the CommonJS form of an ES module that esbuild has bundled into one file.
 * @param {string} code
 * @returns {string}
 * @throws Error if the module has an import or export in a form that esbuild does not write for these packages
 */
export function toCommonJs(code) {
  /** @type {Map<string, string[]>} */
  const bindings = new Map();
  const body = code
    .replace(importDeclaration, (_, list, namespace, whole, path) => {
      const bound = bindings.get(path) ?? [];
      bindings.set(path, bound);
      if (whole !== undefined) throw new Error(`The bundle imports the default export of ${path}.`);
      bound.push(
        namespace ??
          `{ ${pairsOf(list)
            .map(([from, to]) => (from === to ? to : `${from}: ${to}`))
            .join(', ')} }`,
      );
      return '';
    })
    .replace(exportList, (_, list) =>
      pairsOf(list)
        .map(([inside, outside]) => `exports.${outside} = ${inside};\n`)
        .join(''),
    )
    // Jest cannot run `import()` in CommonJS modules without a flag.
    .replace(
      /\bimport\("([^"]+)"\)/g,
      (_, path) => `Promise.resolve().then(() => require("${path.replace(/^(\.\/.*)\.js$/, '$1.cjs')}"))`,
    )
    .replaceAll('import.meta.url', '__filename');
  const other = /^(?:import|export)\b.*/m.exec(body);
  if (other !== null) throw new Error(`The bundle contains an unexpected statement: ${other[0]}`);
  const modules = [...bindings].map(([path, bound], index) => {
    const name = `required${index}`;
    return `const ${name} = require("${path}");\n${bound.map(binding => `const ${binding} = ${name};\n`).join('')}`;
  });
  const head = `"use strict";\nObject.defineProperty(exports, "__esModule", { value: true });\n`;
  return `${head}${modules.join('')}${body}`;
}
