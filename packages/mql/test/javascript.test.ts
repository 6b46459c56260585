import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CommandError } from '../src/errors.js';
import { ScriptSleep } from '../src/javascript/script-sleep.js';
import { compileScript } from '../src/javascript/script.js';
import type { Value } from '../src/value/value.js';
import type { Shorthand } from './shorthand.js';
import { d, double, refusal, text, v } from './shorthand.js';

type Given = Readonly<Record<string, Shorthand>>;

const self: Given = { a: 2, list: [3, 4], inner: { deep: 'thing' }, long: 5n };

const valueOf = (code: string): Value =>
  compileScript(code, { scriptSleep: new ScriptSleep() }).value({ self: d(self) });

/** Numbers computed by a script are doubles. */
const made = (short: Shorthand): Value => {
  if (typeof short === 'number') return double(short);
  return Array.isArray(short) ? (short as readonly Shorthand[]).map(made) : v(short);
};

describe('the result of a script', () => {
  const cases: readonly (readonly [code: string, expected: Shorthand])[] = [
    ['1 + 2 * 3 ** 2 - 8 / 4 % 3', 17],
    ['2 ** 3 ** 2', 512],
    ['"a" + 1 + null + undefined + true', 'a1nullundefinedtrue'],
    ['[1, [2, 3]] + ""', '1,2,3'],
    ['"2" * "3"', 6],
    ['1 < 2 && "b" > "a" && 2 >= "2" && !(3 <= 2)', true],
    ['0 || "" || null || "x"', 'x'],
    ['0 ?? 1', 0],
    ['null ?? 1', 1],
    ['null == undefined && null !== undefined && 1 == "1" && 1 !== "1"', true],
    ['NaN == NaN', false],
    ['typeof missing + typeof 1 + typeof {} + typeof (() => 1)', 'undefinednumberobjectfunction'],
    ['this.a > 1 ? "more" : "less"', 'more'],
    ['return this.a', 2],
    ['function f() { return this.a }', 2],
    ['function () { return this.a; };', 2],
    ['() => 3', 3],
    ['const add = (x, y) => { return x + y }; add(this.a, 1)', 3],
    ['function twice(x) { return 2 * x } return twice(this.a)', 4],
    ['let n = 0; for (let i = 0; i < 10; i++) { if (i === 3) continue; if (i > 5) break; n += i } n', 12],
    ['var n = 0; while (n < 5) n += 2; n', 6],
    ['let a = 1\nlet b = 2\na + b', 3],
    ['let o = { a: 1, "b c": 2, 3: 4 }; o.a += 1; o["b c"]--; o[3] + o.a + o["b c"]', 7],
    ['Object.keys({ x: 1, y: 2 })', ['x', 'y']],
    ['[1, 2, 3].reduce((sum, x) => sum + x)', 6],
    ['[1, 2, 3].reduce((sum, x, i) => sum + x * i, 10)', 18],
    ['[1, 2, 3].map(x => x * 2).filter((x) => x > 2)', [4, 6]],
    ['let s = ""; ["a", "b"].forEach((x, i) => { s += x + i }); s', 'a0b1'],
    ['let l = [1]; l.push(2, 3); l[3] = 4; [l.length, l.indexOf(3), l.indexOf(9)]', [4, 2, -1]],
    ['["abc".length, "abc".indexOf("c"), "abc".startsWith("ab"), "abc"[1]]', [3, 2, true, 'b']],
    ['Array.sum([1, 2, 3])', 6],
    ['Math.floor(2.7) + Math.max(1, 5, 3) + Math.pow(2, 3) + Math.abs(-1)', 16],
    ['/* a comment */ 1 // another', 1],
    ['"\\u0041\\x42\\n\\"" + \'\\\'\'', 'AB\n"\''],
    ['0x1F + 1e2 + .5', 131.5],
    ['let f = n => n < 2 ? n : f(n - 1) + f(n - 2); f(12)', 144],
    ['this.list[1] + this.inner.deep.length', 9],
    ['sleep(5) || true', true],
  ];

  test.each(cases)('%s', (code, expected) => {
    expect(text(valueOf(code))).toBe(text(made(expected)));
  });

  test('computed numbers are doubles, and unchanged values keep their types', () => {
    expect(
      text(valueOf('({ made: this.a + 1, number: this.a, long: this.long, list: this.list, inner: this.inner })')),
    ).toBe('{made: 3.0, number: 2.0, long: 5L, list: [3, 4], inner: {deep: "thing"}}');
    expect(text(valueOf('this.b = 1; this'))).toBe('{a: 2, list: [3, 4], inner: {deep: "thing"}, long: 5L, b: 1.0}');
  });

  test('each run starts from the same state, with the constants of its scope', () => {
    const script = compileScript('count = typeof count === "undefined" ? start : count + 1', {
      scriptSleep: new ScriptSleep(),
      scope: d({ start: 7 }),
    });
    const once = (): string => text(script.value({ self: d({}) }));
    expect([once(), once()]).toEqual(['7.0', '7.0']);
  });
});

const understood =
  / (?:is not supported by the embedded server, which runs|is not a function. The embedded server runs) a subset of JavaScript: function expressions and arrow functions, .*$/;

describe('the error of a script', () => {
  const cases: readonly (readonly [code: string, expected: string])[] = [
    ['this.a +', 'SyntaxError: unexpected end of the script (line 1, column 9)'],
    ['a\n  ) b', 'SyntaxError: unexpected ) (line 2, column 3)'],
    ['"open', 'SyntaxError: illegal character or unterminated literal: " (line 1, column 1)'],
    ['/* open', 'SyntaxError: unterminated comment (line 1, column 1)'],
    ['1 = 2', 'SyntaxError: invalid assignment left-hand side (line 1, column 3)'],
    [`${'('.repeat(200)}1${')'.repeat(200)}`, 'SyntaxError: nested more than 150 levels deep (line 1, column 150)'],
    ['missing', 'ReferenceError: missing is not defined'],
    ['this.b.c', 'TypeError: can\'t access property "c" of undefined'],
    ['const c = 1; c = 2', 'TypeError: invalid assignment to const "c"'],
    ['[].reduce((a, b) => a)', 'TypeError: reduce of empty array with no initial value'],
    ['"a".b = 1', 'TypeError: cannot set property "b" of a'],
    ['Math.sum = 1', 'TypeError: cannot set property "sum" of [object Object]'],
    ['[1][5] = 1', 'TypeError: cannot set property "5" of an array, beyond its end'],
    ['[].flatMap(x => x)', 'TypeError: ….flatMap …'],
    ['this.a()', 'TypeError: this.a …'],
    ['emit(1, 2)', 'ReferenceError: emit is not defined'],
    ...['constructor', '__proto__', 'prototype'].flatMap(name =>
      ['this', '[]', '"a"', '(() => 1)', 'Math', '1'].map(
        of =>
          [`${of}["${name}"]`, `TypeError: the property "${name}" is not available in the embedded server`] as const,
      ),
    ),
    ['this.__proto__ = 1', 'TypeError: the property "__proto__" is not available in the embedded server'],
    ['for (;;);', 'InternalError: the script takes more than 100000 steps for one document'],
    ['while (true) {}', 'InternalError: the script takes more than 100000 steps for one document'],
    ['let f = () => f(); f()', 'InternalError: too much recursion'],
    ['let s = "x"; while (true) s += s', 'RangeError: a string has more than 1048576 characters'],
    [
      'let a = [1]; for (let i = 0; i < 60; i++) a = [a, a]; a + ""',
      'InternalError: the script takes more than 100000 steps for one document',
    ],
    [
      'let a = [1]; for (let i = 0; i < 60; i++) a = [a, a]; a',
      'InternalError: the script takes more than 100000 steps for one document',
    ],
    ['let o = {}; o.o = o; o', 'InternalError: an object is nested more than 200 levels deep'],
    ['[() => 1]', 'TypeError: a function cannot be converted to BSON'],
    ['({ "a\\u0000b": 1 })', 'TypeError: a field name contains a NUL character'],
    [' '.repeat(300_000), 'InternalError: the script is longer than 262144 characters'],
    ...['class A {}', 'new Date()', 'try { 1 } catch (e) {}', 'throw 1', 'switch (1) {}', 'do {} while (1)'].map(
      code => [code, `"${code.split(' ')[0]!}" at line 1, column 1 …`] as const,
    ),
    ['`${1}`', 'A template (`) at line 1, column 1 …'],
    ['/a/.test("a")', '"/" at line 1, column 1 …'],
    ['"a" in this', '"in" at line 1, column 5 …'],
    ['1 & 2', '"&" at line 1, column 3 …'],
    ['this?.a', '"?." at line 1, column 5 …'],
    ['f(...this.list)', '"..." at line 1, column 3 …'],
    ['let { a } = this', 'Destructuring at line 1, column 5 …'],
    ['(a = 1) => a', 'A default parameter at line 1, column 4 …'],
    ['({ f() {} })', 'A method or accessor at line 1, column 4 …'],
    ['async () => 1', '"async" at line 1, column 1 …'],
  ];

  test.each(cases.map(([code, expected]) => [code.slice(0, 60), code, expected] as const))(
    '%s',
    (_title, code, expected) => {
      const said = refusal(() => valueOf(code)).replace(understood, ' …');
      expect(said).toBe(`139 JSInterpreterFailure: ${expected}`);
    },
  );
});

const words = [
  ...['function', 'f', '(', ')', '{', '}', '[', ']', '=>', 'x', 'y', 'this', '.', 'a', 'list', 'reduce', 'map', 'push'],
  ...['return', 'if', 'else', 'for', 'while', ';', ',', 'let', 'const', 'var', '=', '+=', '++', '-', '+', '*', '**'],
  ...[
    '&&',
    '||',
    '?',
    ':',
    '!',
    'typeof',
    '===',
    '<',
    '1',
    '1e9',
    '"s"',
    '"a\\n"',
    'true',
    'null',
    'sleep',
    'Math',
    'new',
  ],
  ...[
    'constructor',
    '__proto__',
    'length',
    '`',
    '/',
    '/*',
    '*/',
    '//',
    '\n',
    ' ',
    'break',
    'continue',
    'Array',
    'sum',
    'do',
  ],
];

const anyWords = fc.array(fc.constantFrom(...words), { maxLength: 60 }).map(chosen => chosen.join(' '));

/** Syntactically valid scripts, most of which fail. */
const anyProgram = fc
  .letrec<{ expression: string; statement: string }>(tie => {
    const [e, s] = [tie('expression'), tie('statement')];
    const filled = (template: string, ...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
      fc.tuple(...parts).map(given => given.reduce((text, part) => text.replace('_', () => part), template));
    return {
      expression: fc.oneof(
        { maxDepth: 5, depthSize: 'small' },
        fc.constantFrom('1', '"s"', 'x', 'f', 'this', 'list', '[]', '({})', 'null', 'undefined', 'Math', 'this.a'),
        filled('(_ + _)', e, e),
        filled('(_ < _ ? _ : _)', e, e, e, e),
        filled('(x = _)', e),
        filled('(x => _)', e),
        filled('_(_)', e, e),
        filled('_[_]', e, e),
        filled('(x[_] = _)', e, e),
        filled('[_, _]', e, e),
        filled('({ a: _ })', e),
        filled('list.map(_)', e),
        filled('list.reduce(_, _)', e, e),
        filled('list.push(_)', e),
        filled('function () { _ }', s),
      ),
      statement: fc.oneof(
        { maxDepth: 4, depthSize: 'small' },
        filled('_;', e),
        filled('return _;', e),
        filled('if (_) { _ } else { _ }', e, s, s),
        filled('while (_) { _ }', e, s),
        filled('function f(y) { _ }', s),
        filled('_ _', s, s),
      ),
    };
  })
  .statement.map(statement => `let x = 1, list = [1, 2]; ${statement}`);

test('any script ends with a value or with the error of scripts', () => {
  fc.assert(
    fc.property(fc.oneof(anyWords, anyProgram, fc.string({ maxLength: 80, unit: 'binary' })), code => {
      expect(refusal(() => valueOf(code))).toMatch(/^(?:accepted$|139 JSInterpreterFailure: )/);
    }),
    { numRuns: 300 },
  );
}, 60_000);

test('stops a well-formed script that exceeds a limit', () => {
  const pieces = [
    'list.map(f)',
    'list.push(list)',
    's += s',
    's += list',
    'f()',
    'list = list.map(x => list)',
    'o.o = o',
    'o = { o: o, p: o }',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 }), chosen => {
      const code = `let list = [1, 2]; let s = "s"; let o = {}; function f() { ${chosen.join('; ')} } while (true) f(); return [list, s, o]`;
      expect(refusal(() => valueOf(code))).toMatch(/^139 JSInterpreterFailure: (?:Internal|Range)Error: /);
    }),
    { numRuns: 30 },
  );
}, 60_000);

test('all errors are command errors', () => {
  expect(() => valueOf('missing')).toThrow(CommandError);
});
