import {
  BSONRegExp,
  BSONSymbol,
  Binary,
  Code,
  DBRef,
  Decimal128,
  Double,
  EJSON,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
  deserialize,
  serialize,
} from 'bson';
import fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { JavaScript, RealmOptions } from '../src/index.js';
import { JavaScriptError, loadJavaScript } from '../src/index.js';

let javaScript: JavaScript;
beforeAll(async () => {
  javaScript = await loadJavaScript();
});

afterEach(() => {
  expect(javaScript.realms).toBe(0);
  expect(javaScript.isBroken).toBe(false);
});

const id = new ObjectId('65f0c0ffee65f0c0ffee0001');
const self = {
  a: new Int32(2),
  list: [new Int32(3), new Int32(4)],
  inner: { deep: 'thing' },
  long: Long.fromNumber(5),
};

const text = (bytes: Uint8Array): string =>
  EJSON.stringify(deserialize(bytes, { promoteValues: false, bsonRegExp: true }), { relaxed: false });

const typed = (value: unknown): string => text(serialize({ value }, { ignoreUndefined: false }));

/** Runs a source in a realm of its own, and returns its result as extended JSON. */
const resultOf = (source: string, document: object = self, options: Partial<RealmOptions> = {}): string => {
  const realm = javaScript.open({ functions: { main: source }, iterations: 1_000_000, ...options });
  try {
    return text(realm.call('main', serialize(document, { ignoreUndefined: false })));
  } finally {
    realm.close();
  }
};

const errorOf = (source: string, options: Partial<RealmOptions> = {}): string => {
  try {
    return resultOf(source, self, options);
  } catch (error) {
    const { name, message, code } = error as JavaScriptError;
    return `${name}: ${message}${code === undefined ? '' : ` (${code})`}`;
  }
};

describe('the result of a source', () => {
  const cases: readonly (readonly [source: string, expected: unknown])[] = [
    ['this.a > 1 ? "more" : "less"', 'more'],
    ['return this.a', new Double(2)],
    ['function f() { return this.a + 1 }', new Double(3)],
    ['function () { return this.list.length; };', new Double(2)],
    ['() => 3', new Double(3)],
    ['x => 3', new Double(3)],
    ['(function () { return 4 })()', new Double(4)],
    ['(x = 1) || 2', new Double(1)],
    ['const add = (x, y) => { return x + y }; add(this.a, 1)', new Double(3)],
    ['function twice(x) { return 2 * x } return twice(this.a)', new Double(4)],
    ['let n = 0; for (let i = 0; i < 10; i++) { if (i === 3) continue; if (i > 5) break; n += i } n', new Double(12)],
    ['let a = 1\nlet b = 2\na + b', new Double(3)],
    ['x = this.a; x == 2;', true],
    ['if (this.a == 2) { return "two" }', 'two'],
    ['try { missing } catch (error) { error.name }', undefined],
    ['class A { #x = 1; get x() { return this.#x } } return new A().x', new Double(1)],
    ['let { a, list: [first, ...rest] } = this; return `${a} ${first} ${rest}`', '2 3 4'],
    ['function* f() { yield 1; yield 2 } return [...f()]', [new Double(1), new Double(2)]],
    ['this?.b?.c ?? "none"', 'none'],
    ['/(?<year>\\d+)/.exec("in 2024").groups.year', '2024'],
    ['new Map([[1, 2]]).get(1)', new Double(2)],
    ['2n ** 62n', Long.fromString('4611686018427387904')],
    ['[undefined, null, NaN, -0, Infinity]', [undefined, null, new Double(NaN), new Double(-0), new Double(Infinity)]],
    ['[() => 1]', [new Code('() => 1')]],
    ['new Date(5)', new Date(5)],
    ['/a+/gi', new BSONRegExp('a+', 'i')],
    ['[new Number(1), new String("a"), new Boolean(true)]', [new Double(1), 'a', true]],
  ];

  test.each(cases)('%s', (source, expected) => {
    expect(resultOf(source)).toBe(typed(expected));
  });
});

const everyType = {
  _id: id,
  int: new Int32(1),
  double: new Double(2),
  fraction: new Double(2.5),
  nan: new Double(NaN),
  infinite: new Double(-Infinity),
  negativeZero: new Double(-0),
  long: Long.fromString('9007199254740993'),
  decimals: [
    '1.50',
    '-0E+3',
    '1E-6176',
    '9.999999999999999999999999999999999E+6144',
    'NaN',
    '-Infinity',
    '123456789',
  ].map(digits => Decimal128.fromString(digits)),
  text: 'ä\u2028€😀\u0000"\\',
  yes: true,
  nothing: null,
  missing: undefined,
  document: { x: new Int32(1), '2': new Int32(2), '1': new Int32(1), __proto: 1 },
  list: [new Int32(1), [new Double(1)], { id }],
  date: new Date(-1),
  timestamp: new Timestamp({ t: 4_000_000_000, i: 7 }),
  binary: new Binary(Uint8Array.of(0, 1, 254, 255), 128),
  uuid: new UUID('00112233-4455-4677-8899-aabbccddeeff'),
  regex: new BSONRegExp('a(?>b)', 'ix'),
  code: new Code('function () { return 1 }'),
  scoped: new Code('x + 1', { x: new Double(1) }),
  min: new MinKey(),
  max: new MaxKey(),
  ref: new DBRef('c', id, 'db'),
};

describe('values', () => {
  test('an unchanged document keeps the types and the order of its fields', () => {
    expect(resultOf('this', everyType)).toBe(typed(everyType));
    expect(resultOf('({ same: this.document, list: this.list })', everyType)).toBe(
      typed({ same: everyType.document, list: everyType.list }),
    );
  });

  test('every decimal crosses unchanged', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 34n - 1n }),
        fc.integer({ min: -6176, max: 6111 }),
        (digits, power) => {
          const value = Decimal128.fromString(`${digits}E${power}`);
          expect(resultOf('[this.value][0]', { value })).toBe(typed(value));
        },
      ),
      { numRuns: 30 },
    );
  });

  test('an integer keeps the type of the int32 that it replaces, and computed numbers are doubles', () => {
    expect(resultOf('this.a += 1; this.b = 1; return this')).toBe(
      typed({ ...self, a: new Int32(3), b: new Double(1) }),
    );
    expect(resultOf('this.list.push(5); return this.list')).toBe(typed([new Int32(3), new Int32(4), new Double(5)]));
    expect(resultOf('({ number: this.a, list: this.list, long: this.long })')).toBe(
      typed({ number: new Double(2), list: self.list, long: self.long }),
    );
  });

  test('a symbol becomes a string', () => {
    expect(resultOf('this.symbol + 1', { symbol: new BSONSymbol('a') })).toBe(typed('a1'));
  });

  const made: readonly (readonly [source: string, expected: unknown])[] = [
    ['ObjectId("65F0C0FFEE65F0C0FFEE0001")', id],
    ['new ObjectId().str.length', new Double(24)],
    ['new ObjectId("65f0c0ffee65f0c0ffee0001").getTimestamp()', new Date(0x65f0c0ff * 1000)],
    [
      '[NumberInt(3), NumberInt("-4"), NumberLong(5), NumberLong("9223372036854775807")]',
      [new Int32(3), new Int32(-4), Long.fromNumber(5), Long.MAX_VALUE],
    ],
    ['NumberLong(5) + 1', new Double(6)],
    ['NumberLong("9007199254740993").toString()', 'NumberLong("9007199254740993")'],
    ['NumberLong(5).compare(NumberLong(6))', new Double(-1)],
    ['NumberDecimal("1.5E+3")', Decimal128.fromString('1.5E+3')],
    ['ISODate("2020-01-02T03:04:05.678+01:00")', new Date('2020-01-02T02:04:05.678Z')],
    ['[ISODate("2020-01-02"), ISODate("20200102T03")]', [new Date('2020-01-02'), new Date('2020-01-02T03:00:00Z')]],
    ['BinData(0, "aGVsbG8=")', new Binary(Buffer.from('hello'))],
    ['[BinData(0, "aGVsbA==").hex(), HexData(0, "0001fe").base64()]', ['68656c6c', 'AAH+']],
    ['UUID("00112233-4455-4677-8899-aabbccddeeff")', everyType.uuid],
    ['String(UUID("00112233445546778899aabbccddeeff"))', 'UUID("00112233-4455-4677-8899-aabbccddeeff")'],
    ['/^UUID."........-....-4...-[89ab]/.test(String(UUID()))', true],
    ['Timestamp(5, 6)', new Timestamp({ t: 5, i: 6 })],
    ['[MinKey(), new MaxKey()]', [new MinKey(), new MaxKey()]],
    ['DBRef("c", 1)', { $ref: 'c', $id: new Double(1) }],
    ['Code("x", { a: 1 })', new Code('x', { a: new Double(1) })],
    ['hex_md5("hello")', '5d41402abc4b2a76b9719d911017c592'],
    ['hex_md5("ä".repeat(60))', '50e8e67e95aa50453625a0f67efb2145'],
    ['Object.bsonsize({ a: 1 })', new Double(16)],
    ['[Array.sum([1, 2, 3]), Array.avg([1, 2, 3]), Array.contains([1], 1)]', [new Double(6), new Double(2), true]],
    ['tojson({ a: 1, b: [1, "x"], id: this.long })', '{ "a" : 1, "b" : [ 1, "x" ], "id" : NumberLong(5) }'],
    ['tojson(ISODate("2020-01-02"))', 'ISODate("2020-01-02T00:00:00Z")'],
    ['tojsononeline([1, { a: null }])', '[ 1, { "a" : null } ]'],
    ['[isNumber(1), isString("a"), isObject({}), print("x"), version()]', [true, true, true, undefined, '8.0.0']],
    ['sleep(5) || true', true],
    ['new Date().getTime() + Math.random()', new Double(1000.25)],
    ['Date.now() === +new Date() && typeof Date() === "string"', true],
  ];

  test.each(made)("MongoDB's functions: %s", (source, expected) => {
    expect(resultOf(source, self, { now: () => 1000, random: () => 0.25 })).toBe(typed(expected));
  });
});

describe('the error of a source', () => {
  const cases: readonly (readonly [source: string, expected: string])[] = [
    ['this.a +', 'SyntaxError: unexpected end of the script'],
    ['a ) b', "SyntaxError: expecting ';'"],
    ['missing', 'ReferenceError: missing is not defined'],
    ['emit(1, 2)', 'ReferenceError: emit is not defined'],
    ['this.b.c', "TypeError: cannot read property 'c' of undefined"],
    ['throw 1', 'uncaught exception: 1'],
    ['throw { a: 1 }', 'uncaught exception: { "a" : 1 }'],
    ['throw { code: 77 }', 'uncaught exception: { "code" : 77 } (77)'],
    ['doassert("failed")', 'Error: failed'],
    ['assert.eq(1, 2, "message")', 'Error: [1] and [2] are not equal : message'],
    ['ObjectId("x")', 'Error: Invalid object ID: length must be 24 hexadecimal digits (2)'],
    ['let o = {}; o.o = o; return o', 'RangeError: an object is nested more than 180 levels deep'],
    ['({ "a\\u0000b": 1 })', 'TypeError: A field name contains a NUL character.'],
    ['Symbol("x")', 'TypeError: a symbol cannot be converted to BSON'],
    [' '.repeat(2_000_000), 'InternalError: the script is longer than 1048576 characters'],
    ['for (;;);', 'InternalError: the script takes more than 1000000 iterations and calls'],
    [
      'while (true) { try { for (;;); } catch {} }',
      'InternalError: the script takes more than 1000000 iterations and calls',
    ],
    ['/(a+)+$/.test("a".repeat(40) + "b")', 'InternalError: the script takes more than 1000000 iterations and calls'],
    ['let f = () => f(); f()', 'RangeError: Maximum call stack size exceeded'],
    ['let s = "x"; while (true) s += s', 'InternalError: string too long'],
    ['let a = [1]; while (true) a = a.concat(a)', 'InternalError: out of memory'],
    ['let a = []; a.length = 4e9; a.indexOf(1)', 'RangeError: an array has more than 10000000 elements'],
    ['Array.from({ length: 1e15 })', 'RangeError: an array has more than 10000000 elements'],
    ['globalThis.process.exit()', "TypeError: cannot read property 'exit' of undefined"],
    ['require("fs")', 'ReferenceError: require is not defined'],
    ['import("fs"); fetch("x")', 'ReferenceError: fetch is not defined'],
  ];

  test.each(cases.map(([source, expected]) => [source.slice(0, 60), source, expected] as const))(
    '%s',
    (_title, source, expected) => {
      expect(errorOf(source, { memory: 8 * 1024 * 1024 })).toBe(expected);
    },
  );

  test('has the calls of the script that led to it', () => {
    const framesOf = (source: string): string => {
      const realm = javaScript.open({ functions: { main: source } });
      try {
        realm.call('main');
        return '';
      } catch (error) {
        return (error as JavaScriptError).frames;
      } finally {
        realm.close();
      }
    };
    const nested = 'function () {\n  (function inner() { throw new Error("x") })()\n}';
    expect([nested, 'null.x', 'throw 1'].map(framesOf)).toEqual(['inner@:2:33\n@:2:44\n', '@:1:1\n', '']);
  });

  test('is what failure returns', () => {
    const failure = (name: string, message: string, code: number | undefined): Error =>
      new JavaScriptError('Mine', `${name} ${message}`, code, '');
    expect(errorOf('throw { code: 7 }', { failure })).toBe('Mine: uncaught exception { "code" : 7 } (7)');
  });

  test('is what tick or sleep throws, also if the source catches errors', () => {
    const stop = (): never => {
      throw new JavaScriptError('Stopped', 'by the host', undefined, '');
    };
    expect(errorOf('for (;;) try { for (;;); } catch {}', { tick: stop })).toBe('Stopped: by the host');
    expect(errorOf('try { sleep(1) } catch {} 1', { sleep: stop })).toBe('Stopped: by the host');
  });

  test('never escapes from replaced functions of the language', () => {
    const sources = ['JSON.stringify = JSON.parse = null', 'Object.keys = null', 'WeakMap.prototype.get = null'];
    for (const source of sources) expect(errorOf(`${source}; [1, { a: 1 }]`)).toMatch(/^(?:\{"value":|\w+Error: )/);
    expect(errorOf('Object.prototype.toJSON = () => "x"; missing')).toMatch(/^\w+: /);
  });
});

describe('a realm', () => {
  test('shares global variables between its functions and calls, and starts with its scope', () => {
    const functions = { count: 'n = n + 1; return n', add: 'function (x, y) { return n + x + y }' };
    const realm = javaScript.open({ functions, scope: serialize({ n: new Int32(1) }) });
    const none = serialize({});
    realm.call('count', none);
    expect(text(realm.call('add', none, serialize({ 0: 10, 1: 20 })))).toBe(typed(new Double(32)));
    realm.close();
  });

  test('shares nothing with other realms', () => {
    expect(resultOf('leak = Array.prototype.leak = 1')).toBe(typed(new Double(1)));
    expect(resultOf('[typeof leak, typeof [].leak]')).toBe(typed(['undefined', 'undefined']));
  });

  test('tests documents as `this` and `obj`, at an offset', () => {
    const document = serialize({ a: 1, b: 'x', id });
    const bytes = new Uint8Array(document.length + 3);
    bytes.set(document, 3);
    const isTrue = (source: string): boolean => {
      const realm = javaScript.open({ functions: { test: source } });
      try {
        return realm.test(bytes, 3);
      } finally {
        realm.close();
      }
    };
    expect(
      [
        'this.a == 1 && obj.b == "x"',
        'Object.keys(this).length == 3',
        'this["b"] == "x"',
        'eval("this.b") == "x"',
        'this.hasOwnProperty("b")',
        '(() => { const { b } = this; return b })()',
        'function () { const me = this; return me.b == "x" && obj.id.str.length == 24 }',
        'globalThis.obj.b == "x"',
        'tojson(obj).length > 20',
      ].map(isTrue),
    ).toEqual(Array.from({ length: 9 }, () => true));
    expect(['this.c', '0', '""', 'null', 'NaN', ''].map(source => isTrue(source || 'return'))).toEqual(
      Array.from({ length: 6 }, () => false),
    );
    expect(() => isTrue('missing')).toThrow('missing is not defined');
  });

  test('returns what a function emits', () => {
    const realm = javaScript.open({
      functions: { map: 'for (const x of this.list) emit(x, { n: this.a })', bad: 'emit(1)' },
      emits: true,
    });
    expect(text(realm.emitted('map', serialize(self)))).toBe(
      text(serialize({ 0: new Double(3), 1: { n: new Double(2) }, 2: new Double(4), 3: { n: new Double(2) } })),
    );
    expect(() => realm.emitted('bad', serialize({}))).toThrow(
      new JavaScriptError('Error', 'emit takes 2 args', 31220, '@:1:22\n'),
    );
    expect(text(realm.emitted('map', serialize({ list: [] })))).toBe('{}');
    realm.close();
  });

  test('is closed after an error of its source, and cannot be used after it is closed', () => {
    expect(() => javaScript.open({ functions: { main: ')' } })).toThrow(JavaScriptError);
    const realm = javaScript.open({ functions: { test: '1' } });
    realm.close();
    realm.close();
    expect(() => realm.test(serialize({}))).toThrow('The realm is closed. Open another.');
  });

  test('gives its memory back', () => {
    for (let i = 0; i < 20; i++)
      expect(resultOf('"x".repeat(4e6).length', {}, { memory: 16 * 1024 * 1024 })).toBe(typed(new Double(4e6)));
  });
});
