import { expect, test } from 'vitest';
import { toCommonJs } from '../commonjs.mjs';

test('loads each module once, and turns exports into properties', () => {
  const module = [
    'import { a, b as b2 } from "one";',
    'import {\n  c\n} from "one";',
    'import * as two from "node:two";',
    'var value = a + b2 + c + two.d;',
    'export {\n  value as sum,\n  two\n};\n',
  ].join('\n');
  expect(toCommonJs(module)).toBe(
    [
      '"use strict";',
      'Object.defineProperty(exports, "__esModule", { value: true });',
      'const required0 = require("one");',
      'const { a, b: b2 } = required0;',
      'const { c } = required0;',
      'const required1 = require("node:two");',
      'const two = required1;',
      'var value = a + b2 + c + two.d;',
      'exports.sum = value;',
      'exports.two = two;\n',
    ].join('\n'),
  );
});

test('loads a module that is imported on demand with require, and replaces the URL of the module', () => {
  expect(toCommonJs('var load = () => import("three");\nvar here = import.meta.url;\n')).toContain(
    'var load = () => Promise.resolve().then(() => require("three"));\nvar here = __filename;\n',
  );
});

test('loads the CommonJS form of a file of the same package', () => {
  expect(toCommonJs('var load = () => import("./package.four.js");\n')).toContain('require("./package.four.cjs")');
});

test('throws an error for imports and exports in other forms', () => {
  const message = /The bundle contains an unexpected statement: (?:import|export)/;
  expect(() => toCommonJs('import "four";\n')).toThrow(message);
  expect(() => toCommonJs('export default 1;\n')).toThrow(message);
  expect(() => toCommonJs('import five from "five";\n')).toThrow('The bundle imports the default export of five.');
});
