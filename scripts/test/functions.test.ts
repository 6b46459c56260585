import { expect, test } from 'vitest';
import { withFunctions } from '../functions.mjs';

const lines = (...all: string[]): string => all.join('\n');

test('declares arrow functions of a module with the keyword function', () => {
  const module = lines(
    'var sum = (a, b = 1) => a + b;',
    'var wait = async ({ ms }) => {\n  await ms;\n};',
    'var shape = () => ({ a: 1 });',
    'var curried = (a) => (b) => a + b;',
  );
  expect(withFunctions(module)).toBe(
    lines(
      'function sum(a, b = 1) {\n  return a + b;\n}',
      'async function wait({ ms }) {\n  await ms;\n}',
      'function shape() {\n  return ({ a: 1 });\n}',
      'function curried(a) {\n  return (b) => a + b;\n}',
    ),
  );
});

test('turns arrow functions in values of a module into functions', () => {
  expect(withFunctions('var all = { one: (a) => a, two: new Map([["x", () => {}]]) };')).toBe(
    'var all = { one: function (a) {\n  return a;\n}, two: new Map([["x", function () {}]]) };',
  );
});

test('keeps arrow functions within functions and classes, with this, and with an annotation', () => {
  const module = lines(
    'function outer() {\n  return () => 1;\n}',
    'class Type {\n  own = () => this;\n  static fixed = () => 2;\n}',
    'var here = () => this;',
    'var all = [() => arguments];',
    'var pure = (\n  /* @__NO_SIDE_EFFECTS__ */\n  (a) => (b) => a\n);',
    'var also = /* @__NO_SIDE_EFFECTS__ */ (a) => a;',
  );
  expect(withFunctions(module)).toBe(module);
});
