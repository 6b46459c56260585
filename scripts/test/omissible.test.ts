import { expect, test } from 'vitest';
import { omissible } from '../omissible.mjs';

test('marks calls, spreads and reads of properties in the values of a module as pure', () => {
  expect(omissible('var a = new Map(rows());\nvar b = [...a];\nvar c = { d: a.size };\n')).toBe(
    [
      'var a = /* @__PURE__ */ (() => (new Map(rows())))();',
      'var b = /* @__PURE__ */ (() => ([...a]))();',
      'var c = /* @__PURE__ */ (() => ({ d: a.size }))();\n',
    ].join('\n'),
  );
});

test('keeps values without effects, and calls that are marked', () => {
  const module = [
    'var a = { b: [1, () => c()] };',
    'var d = /* @__PURE__ */ new Set([a]);',
    'var e = class {\n  f = g();\n  h() {\n    i();\n  }\n};',
    'function j() {\n  const k = l();\n}',
    'm();\n',
  ].join('\n');
  expect(omissible(module)).toBe(module);
});

test('keeps the names of classes with static members', () => {
  const module = omissible('var Type = class {\n  static first = new this();\n};\nreturn Type;\n');
  expect(module).toContain('var Type = /* @__PURE__ */ withName("Type", () => class {');
  const Type = new Function(module)() as { readonly name: string; readonly first: object };
  expect([Type.name, Type.first instanceof (Type as never)]).toEqual(['Type', true]);
});
