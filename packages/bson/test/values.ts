import * as npm from 'bson';
import fc from 'fast-check';

/** Any well-formed UTF-16 text: short and long, ASCII and not. */
export const texts = (): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.string({ unit: 'grapheme-ascii', maxLength: 40 }) },
    { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 30 }) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
    {
      weight: 1,
      arbitrary: fc.integer({ min: 20, max: 3000 }).map(length => 'long text '.repeat(length).slice(0, length)),
    },
  );

/** Any key: common keys, keys that are special in JavaScript objects, and arbitrary ones. */
export const keys = (): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('_id', 'a', 'b', 'name', 'aRatherLongKeyThatTakesManyWords', 'schlüssel') },
    {
      weight: 2,
      arbitrary: fc.constantFrom('', '0', '17', 'constructor', '$ref', '$id', '$db', '$other', 'a.b', 'toString'),
    },
    { weight: 2, arbitrary: texts().map(text => text.replaceAll('\0', '')) },
  );

const bytes = (): fc.Arbitrary<Buffer> => fc.uint8Array({ maxLength: 60 }).map(content => Buffer.from(content));

/** Any value except documents and arrays. */
export const leaves = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    texts(),
    fc.integer(),
    fc.maxSafeInteger(),
    fc.double(),
    fc.boolean(),
    fc.constantFrom(null, undefined, 0, -0, 2 ** 31, -(2 ** 31), 2 ** 53, NaN, Infinity),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.date({ noInvalidDate: true }),
    fc.uint8Array({ minLength: 12, maxLength: 12 }).map(id => new npm.ObjectId(id)),
    bytes(),
    fc
      .tuple(bytes(), fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 128))
      .map(([content, subtype]) => new npm.Binary(content, subtype)),
    fc.uint8Array({ minLength: 16, maxLength: 16 }).map(id => new npm.UUID(id)),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(value => npm.Long.fromBigInt(value)),
    fc.tuple(fc.nat({ max: 0xffffffff }), fc.nat({ max: 0xffffffff })).map(([t, i]) => new npm.Timestamp({ t, i })),
    fc.uint8Array({ minLength: 16, maxLength: 16 }).map(content => new npm.Decimal128(Buffer.from(content))),
    fc.double().map(value => new npm.Double(value)),
    fc.integer().map(value => new npm.Int32(value)),
    fc.constantFrom(
      new npm.MinKey(),
      new npm.MaxKey(),
      /a+b/gi,
      /ü/m,
      new npm.BSONRegExp('a', 'xi'),
      new npm.BSONSymbol('s'),
    ),
    texts().map(text => new npm.Code(text)),
    texts().map(text => new npm.Code(text, { a: 1 })),
    fc
      .tuple(texts(), fc.integer())
      .map(([collection, id]) => new npm.DBRef(collection, id as never, 'db', { more: 1 })),
  );

/** Any document that npm bson can write. */
export const documents = (): fc.Arbitrary<npm.Document> =>
  fc
    .letrec<{ document: npm.Document; value: unknown }>(tie => ({
      document: fc.dictionary(keys(), tie('value'), { maxKeys: 7 }),
      value: fc.oneof(
        { depthSize: 'small' },
        leaves(),
        fc.array(tie('value'), { maxLength: 5 }),
        tie('document'),
        fc.dictionary(keys(), tie('value'), { maxKeys: 3 }).map(object => new Map(Object.entries(object))),
      ),
    }))
    .document.filter(isPlain);

/** Whether the prototype is a plain one: a member `__proto__` may have set another, such as a Date's. */
const isPlain = (document: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(document);
  return prototype === null || prototype === Object.prototype;
};

/**
 * Documents of one collection: a few sequences of keys, some of them optional. Each is repeated with values of the same
 * or other types, so that the codec learns as much as possible.
 */
export const similar = (): fc.Arbitrary<npm.Document[]> => {
  const kinds: readonly fc.Arbitrary<unknown>[] = [
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    texts(),
    fc.date({ noInvalidDate: true }),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.uint8Array({ minLength: 12, maxLength: 12 }).map(id => new npm.ObjectId(id)),
    fc.oneof(fc.constant(null), fc.integer(), texts()),
    fc.array(fc.integer(), { maxLength: 3 }),
    fc.array(fc.record({ a: fc.integer(), b: texts() }), { maxLength: 3 }),
    fc.record({ x: fc.integer(), y: fc.oneof(fc.double(), fc.constant(null)) }),
    fc.record({ $ref: fc.constant('other'), $id: fc.integer() }),
    leaves(),
  ];
  const kind = fc.nat({ max: kinds.length - 1 });
  const isOptional = fc.nat({ max: 9 }).map(number => number === 0);
  const form = fc.uniqueArray(fc.tuple(keys(), kind, isOptional), {
    maxLength: 90,
    selector: ([key]) => key,
    size: 'medium',
  });
  const ofForm = (members: readonly (readonly [string, number, boolean])[]): fc.Arbitrary<npm.Document> =>
    fc.tuple(...members.map(([, which]) => kinds[which]!), fc.infiniteStream(fc.boolean())).map(drawn => {
      const lacks = drawn.pop() as fc.Stream<boolean>;
      const document: npm.Document = {};
      members.forEach(([key, , optional], i) => {
        if (!optional || !lacks.next().value) document[key] = drawn[i];
      });
      return document;
    });
  return fc
    .array(form, { minLength: 1, maxLength: 2 })
    .chain(forms => fc.array(fc.oneof(...forms.map(ofForm)), { minLength: 120, maxLength: 150 }));
};
