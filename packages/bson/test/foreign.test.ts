import { runInNewContext } from 'node:vm';
import * as npm from 'bson';
import { describe, expect, test } from 'vitest';
import { encode } from '@tessera/bson';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Creates an instance of a class with these members, as another copy of the package would. */
const instance = (type: string, members: object, own = false): object => {
  const Value = class {}; // oxlint-disable-line typescript/no-extraneous-class
  if (!own) Object.defineProperty(Value.prototype, '_bsontype', { value: type });
  return Object.assign(new Value(), own ? { _bsontype: type, ...members } : members);
};

const id = new npm.ObjectId('0123456789abcdef01234567');

describe('writes values of other copies and major versions of npm bson', () => {
  test.each<[string, object, unknown]>([
    ['ObjectId with bytes', instance('ObjectId', { id: id.id }), id],
    ['ObjectID of major 4', instance('ObjectID', { id: Buffer.from(id.id) }), id],
    [
      'ObjectID of major 1, its bytes as a string',
      instance('ObjectID', { id: 'binary', toHexString: () => id.toHexString() }, true),
      id,
    ],
    ['Long', instance('Long', { low: 1, high: -2, unsigned: false }), new npm.Long(1, -2)],
    ['Long of major 1', instance('Long', { low_: 1, high_: -2 }, true), new npm.Long(1, -2)],
    ['Timestamp of major 1', instance('Timestamp', { low_: 7, high_: 9 }, true), new npm.Timestamp({ t: 9, i: 7 })],
    ['Double', instance('Double', { value: 5 }), new npm.Double(5)],
    ['Int32', instance('Int32', { value: 5 }), new npm.Int32(5)],
    [
      'Decimal128',
      instance('Decimal128', { bytes: npm.Decimal128.fromString('1.5').bytes }),
      npm.Decimal128.fromString('1.5'),
    ],
    [
      'Binary with room to spare',
      instance('Binary', { buffer: Buffer.from('abc___'), position: 3, sub_type: 2 }),
      new npm.Binary(Buffer.from('abc'), 2),
    ],
    ['UUID of major 4', instance('UUID', { id: Buffer.alloc(16, 1) }), new npm.UUID(Buffer.alloc(16, 1))],
    ['Code', instance('Code', { code: 'f' }), new npm.Code('f')],
    ['Code with scope', instance('Code', { code: 'f', scope: { a: 1 } }), new npm.Code('f', { a: 1 })],
    ['Symbol of major 4', instance('Symbol', { value: 's' }), new npm.BSONSymbol('s')],
    ['BSONRegExp', instance('BSONRegExp', { pattern: 'a', options: 'xi' }), new npm.BSONRegExp('a', 'ix')],
    [
      'DBRef',
      instance('DBRef', { collection: 'c', oid: 1, db: 'd', fields: { a: 1 } }),
      new npm.DBRef('c', 1 as never, 'd', { a: 1 }),
    ],
    ['DBRef of major 1', instance('DBRef', { namespace: 'c', oid: 1 }, true), new npm.DBRef('c', 1 as never)],
    ['MinKey', instance('MinKey', {}), new npm.MinKey()],
    ['MaxKey', instance('MaxKey', {}, true), new npm.MaxKey()],
  ])('%s', (_, foreign, own) => {
    expect(hex(encode({ x: foreign, y: [foreign] }))).toBe(hex(npm.serialize({ x: own, y: [own] })));
  });

  test.each([
    ['ObjectId', {}],
    ['Long', { low: 'x', high: 1 }],
    ['Int32', { value: '5' }],
    ['Binary', { buffer: 'text' }],
    ['Decimal128', { bytes: Buffer.alloc(3) }],
    ['BSONSymbol', { value: 5 }],
    ['BSONRegExp', { pattern: null }],
    ['Unheard', {}],
  ])('rejects an incomplete %s', (type, members) => {
    expect(() => encode({ a: { x: instance(type, members) } })).toThrow(/^Cannot write "a.x" as BSON: /);
  });
});

test('writes values of another realm like those of this one', () => {
  const foreign = runInNewContext(
    `({ d: new Date(5), r: /a/gi, b: new Uint8Array([1, 2]), m: new Map([['k', 1]]), l: [1, [2]], o: { p: 'x' } })`,
  ) as npm.Document;
  const own = {
    d: new Date(5),
    r: /a/gi,
    b: new Uint8Array([1, 2]),
    m: new Map([['k', 1]]),
    l: [1, [2]],
    o: { p: 'x' },
  };
  expect(hex(encode(foreign))).toBe(hex(npm.serialize(own)));
  expect(() => encode({ x: runInNewContext('({ _bsontype: "Int32", value: 5 })') as object })).toThrow(/_bsontype/);
});

test('writes all kinds of objects like npm bson', () => {
  class Point {
    x = 1;
    private readonly y = 2;
    get z(): number {
      return this.y;
    }
  }
  const inherited = Object.create({ no: 1 }) as object;
  const hidden = Object.defineProperty({ a: 1 }, 'hidden', { value: 2, enumerable: false });
  const sparse = [1, , 3]; // oxlint-disable-line no-sparse-arrays
  const document = {
    point: new Point(),
    inherited: Object.assign(inherited, { yes: 1 }),
    hidden,
    bare: Object.assign(Object.create(null) as object, { b: 1 }),
    sparse,
    undefinedInList: [undefined, () => 1, 2],
    number: Object(5) as object,
    string: Object('ab') as object,
    floats: new Float32Array([1, 2]),
    clamped: new Uint8ClampedArray([1]),
    memory: new ArrayBuffer(4),
    view: new DataView(new ArrayBuffer(4)),
    error: new Error('e'),
    set: new Set([1]),
    proxy: new Proxy({ p: 1 }, {}),
    symbols: { [Symbol('s')]: 1, a: 2 },
    accessors: {
      get a() {
        return 5;
      },
    },
    nested: new Map<string, unknown>([['m', new Map([['n', { o: [new Map()] }]])]]),
    ['__proto__']: { own: 1 },
    constructor: 'c',
    hasOwnProperty: 1,
    1: 'index',
  };
  expect(hex(encode(document))).toBe(hex(npm.serialize(document, { ignoreUndefined: false })));
});

test('calls toBSON on every value, and once more on a document that it returns', () => {
  class Money {
    toBSON(): unknown {
      return { amount: 5, currency: { toBSON: () => 'EUR' } };
    }
  }
  const twice = { toBSON: () => ({ toBSON: () => ({ a: 1 }) }) };
  const onArray = Object.assign([1, 2], { toBSON: () => 'array' });
  const onDate = Object.assign(new Date(), { toBSON: () => 'date' });
  const onId = Object.assign(new npm.ObjectId(), { toBSON: () => 'id' });
  const onFunction = Object.assign(() => 1, { toBSON: () => 'function' });
  const onMap = Object.assign(new Map(), { toBSON: () => ({ map: 1 }) });
  const quiet = Object.defineProperty({ a: 1 }, 'toBSON', { value: () => 'quiet', enumerable: false });
  const nothing = { toBSON: () => undefined };
  const document = {
    money: new Money(),
    list: [new Money(), nothing],
    twice,
    onArray,
    onDate,
    onId,
    onFunction,
    onMap,
    quiet,
    nothing,
  };
  for (const ignoreUndefined of [true, false]) {
    expect(hex(encode(document, { ignoreUndefined }))).toBe(hex(npm.serialize(document, { ignoreUndefined })));
  }
  expect(hex(encode({ toBSON: () => ({ whole: 1 }) }))).toBe(hex(npm.serialize({ whole: 1 })));
  expect(() => encode({ a: { toBSON: () => ({ toBSON: () => 5 }) } })).toThrow(
    /its toBSON method did not return an object/,
  );
});

test('supports toBSON of primitives, and members on Object.prototype, like npm bson', () => {
  const big = BigInt.prototype as { toBSON?: unknown };
  const all = Object.prototype as { everywhere?: unknown };
  const document = { a: 5n, list: [6n], b: { c: 1 } };
  try {
    big.toBSON = function (this: bigint) {
      return String(this);
    };
    expect(hex(encode(document))).toBe(hex(npm.serialize({ a: '5', list: ['6'], b: { c: 1 } })));
  } finally {
    delete big.toBSON;
  }
  try {
    all.everywhere = 1;
    expect(hex(encode(document))).toBe(hex(npm.serialize(document)));
  } finally {
    delete all.everywhere;
  }
});
