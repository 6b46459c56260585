import { deepStrictEqual } from 'node:assert';
import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import * as npm from 'bson';
import { describe, expect, test } from 'vitest';
import { bson, decode, encode } from '@tessera/bson';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Reads and writes the documents with one shape, as a collection would, and compares each with npm bson. */
const throughShape = (documents: Iterable<npm.Document>): ReturnType<typeof bson.shape> => {
  const shape = bson.shape();
  for (const document of documents) {
    const bytes = npm.serialize(document);
    deepStrictEqual(decode(bytes, shape), npm.deserialize(bytes));
    expect(hex(encode(document, shape)) === hex(bytes)).toBe(true);
  }
  return shape;
};

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

/** Counts the objects reachable from the shape, which measures how much it learned. */
const reachable = (from: object): number => {
  const seen = new Set<object>();
  const todo: unknown[] = [from];
  while (todo.length > 0) {
    const next = todo.pop();
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    if (next instanceof Map) todo.push(...next.values());
    else todo.push(...Object.values(next));
  }
  return seen.size;
};

describe('the learned state stays bounded and correct', { timeout: 60_000 }, () => {
  test('for documents whose keys never repeat', () => {
    const shape = throughShape(
      times(3000, i => ({ _id: i, [`k${String(i * 7919)}`]: i, [`l${String(i)}`]: { [`m${String(i)}`]: [{}] } })),
    );
    expect(reachable(shape)).toBeLessThan(20_000);
  });

  test('for maps that are keyed by data', () => {
    const shape = throughShape(
      times(500, i => ({ _id: i, scores: { [`player${String(i)}`]: { name: 'x', points: i }, total: i } })),
    );
    expect(reachable(shape)).toBeLessThan(2_000);
  });

  test('for every subset of twelve keys', () => {
    const shape = throughShape(
      times(4096, i =>
        Object.fromEntries(times(12, bit => [`key${String(bit)}`, bit]).filter((_, bit) => (i >> bit) & 1)),
      ),
    );
    expect(reachable(shape)).toBeLessThan(30_000);
  });

  test('for documents with more keys than are learned', () => {
    throughShape(times(50, i => Object.fromEntries(times(1000, key => [`key${String(key)}`, key + i]))));
  });

  test('for keys in any order', () => {
    throughShape(
      times(1000, i => Object.fromEntries(times(10, key => [`key${String((key * (i % 97) + i) % 11)}`, key]))),
    );
  });
});

test('a shape forgets everything after too many new keys, and learns again', () => {
  const flood = times(3000, i => ({ [`a${String(i)}`]: { [`b${String(i)}`]: 1, [`c${String(i)}`]: 2 } }));
  const usual = times(3000, i => ({ _id: i, name: 'x', inner: { a: i } }));
  throughShape([...usual.slice(0, 100), ...flood, ...usual]);
});

test('documents of one shape whose values change their types are read correctly', () => {
  const values = [
    1,
    1.5,
    'text',
    null,
    true,
    new Date(5),
    [1],
    { a: 1 },
    new npm.ObjectId(),
    npm.Long.fromString('9223372036854775807'),
  ];
  throughShape(
    times(600, i => ({
      _id: i < 100 ? i : values[i % 10],
      x: values[(i * 3) % 10],
      y: values[(i >> 3) % 10],
      z: 'same',
    })),
  );
});

describe('texts that repeat under one key', () => {
  /**
   * Texts of every length up to 20, texts that differ in one character at any position, and some that are not ASCII.
   */
  const near = times(21, size => 'a'.repeat(size)).flatMap(text => [
    text,
    ...times(text.length, at => `${text.slice(0, at)}b${text.slice(at + 1)}`),
  ]);
  const many = times(40, i => `${String.fromCharCode(65 + i)}aaaaaa`);
  const texts = [...near, ...many, 'é', 'è', '漢字', '漢子', 'aaa\0', 'aaa\0\0', '\0aaa'];

  test('are distinguished from similar texts', () => {
    throughShape([
      ...times(100, i => ({ _id: i, text: 'a', changing: i % 2 === 0 ? null : 'a' })),
      ...texts.flatMap(text => [text, 'a', text]).map((text, i) => ({ _id: i, text, changing: text })),
    ]);
  });

  test('are read correctly after many texts that never repeat, and the other way round', () => {
    const states = ['new', 'paid', 'shipped', 'returned', 'lost at sea', ''];
    const read = (i: number): string => (i % 1000 < 500 ? states[i % 6]! : `number ${i}`);
    throughShape(times(4000, i => ({ _id: i, text: read(i), changing: i % 5 === 0 ? null : read(i + 500) })));
  });
});

test('documents of a collection are read correctly before, while and after their kind changes', () => {
  throughShape(
    times(3000, i =>
      i % 1000 < 500
        ? { _id: i, a: 1, b: { c: 'x' }, d: [{ e: 1 }, { e: 2 }] }
        : { _id: i, a: 1, b: { f: i }, d: [{ e: 1, g: 2 }, {}] },
    ),
  );
});

describe('documents that lack some of their keys are read correctly', () => {
  const optional = (names: readonly string[], i: number): npm.Document =>
    Object.fromEntries(names.filter((_, bit) => (i >> bit) & 1).map(name => [name, name.length === 1 ? i : name]));

  test.each([
    ['at the start', (i: number) => ({ ...optional(['a', 'be', 'c'], i), d: 'd', e: i })],
    ['in the middle', (i: number) => ({ a: 'a', ...optional(['b', 'ce', 'd'], i), e: null, f: new Date(i) })],
    ['at the end', (i: number) => ({ a: 'a', b: [i], ...optional(['c', 'de', 'e'], i) })],
    ['all', (i: number) => optional(['a', 'be', 'c', 'de', 'e'], i)],
    ['within', (i: number) => ({ list: [optional(['a', 'be'], i), optional(['be', 'c'], i >> 2)] })],
    [
      'many',
      (i: number) =>
        optional(
          times(40, name => `key${String(name)}`),
          [0, -1, 0xffff, ~0xffff][i % 4]!,
        ),
    ],
    [
      'of too many for one function',
      (i: number) => ({
        ...Object.fromEntries(times(70, name => [`key${String(name)}`, i])),
        ...optional(['a', 'b'], i),
      }),
    ],
  ])('%s', (_, make) => {
    throughShape(times(2000, make));
  });

  test('rejects truncated documents', () => {
    const make = (i: number): npm.Document => ({
      a: i,
      ...optional(['be', 'ce'], i),
      d: { x: 'y', ...optional(['z'], i) },
    });
    const shape = throughShape(times(1000, make));
    for (const bytes of times(4, i => npm.serialize(make(i)))) {
      for (let length = 5; length < bytes.length; length++) {
        const cut = Uint8Array.from([...bytes.subarray(0, length - 1), 0]);
        new DataView(cut.buffer).setInt32(0, length, true);
        let theirs: npm.Document | undefined;
        try {
          theirs = npm.deserialize(cut);
        } catch {
          expect(() => decode(cut, shape)).toThrow(/at byte \d+ of the document/);
          continue;
        }
        deepStrictEqual(decode(cut, shape), theirs);
      }
    }
  });
});

test('learns long and short documents with DBRefs, scopes and __proto__', () => {
  const proto = Object.defineProperty({ a: 1 }, '__proto__', { value: { b: 2 }, enumerable: true });
  throughShape(
    times(200, i => ({
      ref: new npm.DBRef('c', i as never, 'd', { more: i }),
      almost: { $ref: 'c', $id: i, $other: 1 },
      none: { $ref: 5, $id: i },
      code: new npm.Code('f', { $ref: 'c', $id: i }),
      proto,
      ...Object.fromEntries(times(100, key => [`key${String(key)}`, i])),
    })),
  );
  throughShape(times(200, i => ({ $ref: 'c', $id: i })));
  throughShape(times(200, () => ({})));
});

test('reads fields with the names of inherited members as ordinary members', () => {
  const names = ['constructor', 'a', 'toString', '__proto__', 'hasOwnProperty'];
  for (const length of times(names.length, i => i + 1)) {
    const shape = bson.shape();
    const fields = names.slice(0, length);
    const bytes = encode(Object.fromEntries(fields.map((name, i) => [name, i])));
    for (const decoded of times(100, () => decode(bytes, shape))) {
      expect(Object.getPrototypeOf(decoded)).toBe(Object.prototype);
      expect(Object.entries(decoded)).toEqual(fields.map((name, i) => [name, i]));
    }
  }
});

test('learned documents with the same keys share one hidden class in all collections', () => {
  setFlagsFromString('--allow-natives-syntax');
  const haveSameMap = runInThisContext('(a, b) => %HaveSameMap(a, b)') as (a: object, b: object) => boolean;
  const bytes = encode({ sameKeys: { inside: { x: 1 } }, list: [{ x: 2 }] });
  const learned = times(2, () => throughShape(times(100, () => npm.deserialize(bytes))));
  const [one, other] = learned.map(shape => decode(bytes, shape) as { sameKeys: { inside: object }; list: [object] });
  expect(haveSameMap(one!, other!)).toBe(true);
  expect(haveSameMap(one!.sameKeys.inside, other!.list[0])).toBe(true);
});

test('documents of different collections can be read and written with one shape, or without a shape', () => {
  const mixed = times(
    2000,
    i => [{ a: i }, { b: 'x', a: i }, { [`c${String(i % 40)}`]: 1 }, { _id: i, t: 'text', l: [i] }][i % 4]!,
  );
  throughShape(mixed);
  for (const document of mixed) deepStrictEqual(decode(encode(document)), document);
});

describe('assumptions learned from many documents are checked for the next one', () => {
  const known = (): ReturnType<typeof bson.shape> => throughShape(times(100, i => ({ a: i, b: 'x', c: { d: i } })));

  test('reads a getter once', () => {
    const shape = known();
    let asked = 0;
    const document = { a: 1, b: 2, c: 3 };
    Object.defineProperty(document, 'b', { enumerable: true, get: () => ++asked });
    expect(hex(encode(document, shape))).toBe(hex(npm.serialize({ a: 1, b: 1, c: 3 })));
    expect(asked).toBe(1);
  });

  test('leaves out members that are hidden, inherited or named by symbols', () => {
    const shape = known();
    const document: npm.Document = Object.assign(Object.create({ a: 1 }) as npm.Document, { b: 1, [Symbol('a')]: 1 });
    expect(hex(encode(document, shape))).toBe(hex(npm.serialize({ b: 1 })));
    const hidden = Object.defineProperty({ a: 1, b: 2, c: 3 }, 'b', { enumerable: false });
    expect(hex(encode(hidden, shape))).toBe(hex(npm.serialize({ a: 1, c: 3 })));
  });

  test('rejects a value that cannot be written with its path', () => {
    const shape = known();
    const refused = { a: 1, b: 'x', c: { d: Symbol('s') } };
    expect(() => encode(refused, shape)).toThrow('Cannot write "c.d" as BSON');
    const pretends = { a: 1, b: 'x', c: { d: 1, _bsontype: 'ObjectId' } };
    expect(() => encode(pretends, shape)).toThrow('Cannot write "c._bsontype" as BSON');
  });

  test('writes a document that is larger than the available room', () => {
    const shape = known();
    for (const length of [1000, 300_000, 3_000_000]) {
      const document = { a: 1, b: 'ä'.repeat(length), c: { d: 'b'.repeat(length) } };
      expect(hex(encode(document, shape)) === hex(npm.serialize(document))).toBe(true);
    }
  });

  test('leaves out undefined members if ignoreUndefined is set', () => {
    const shape = bson.shape({ ignoreUndefined: true });
    for (let i = 0; i < 100; i++) {
      const document = { a: i % 3 === 0 ? undefined : i, b: undefined, c: { d: i } };
      expect(hex(encode(document, shape))).toBe(hex(npm.serialize(document, { ignoreUndefined: true })));
    }
  });
});

test('rejects a key that marks BSON values at any position, after any number of keys', () => {
  const many = Object.fromEntries(times(400, i => [`key${String(i)}`, i]));
  expect(() => encode({ in: { ...many, _bsontype: 'ObjectId' } })).toThrow('Cannot write "in._bsontype" as BSON');
});

test.each([undefined, null])(
  'writes the key that marks BSON values if its value is %s, after any number of keys',
  value => {
    for (const count of [0, 1, 400]) {
      const many = Object.fromEntries(times(count, i => [`key${String(i)}`, i]));
      const document = { in: { ...many, _bsontype: value } };
      expect(decode(encode(document))).toEqual({ in: { ...many, _bsontype: null } });
    }
  },
);

test('reads arrays of any length, also in arrays and documents', () => {
  for (let length = 0; length < 40; length += 1) {
    const items = Array.from({ length }, (_, index) => [index, [index, { deep: [index] }], `${index}`]);
    expect(decode(encode({ items, flat: items.flat() }))).toEqual({ items, flat: items.flat() });
  }
});
