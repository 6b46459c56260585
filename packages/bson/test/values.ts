import * as npm from 'bson';
import fc from 'fast-check';

/** Any text that is well-formed UTF-16: short and long, ASCII and not. */
export const texts = (): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.string({ unit: 'grapheme-ascii', maxLength: 40 }) },
    { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 30 }) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
    { weight: 1, arbitrary: fc.integer({ min: 20, max: 3000 }).map(length => 'long text '.repeat(length).slice(0, length)) },
  );

/** Any key: common ones, keys that are hard for JavaScript objects, and arbitrary ones. */
export const keys = (): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('_id', 'a', 'b', 'name', 'aRatherLongKeyThatTakesManyWords', 'schlüssel') },
    { weight: 2, arbitrary: fc.constantFrom('', '0', '17', 'constructor', '$ref', '$id', '$db', '$other', 'a.b', 'toString') },
    { weight: 2, arbitrary: texts().map(text => text.replaceAll('\0', '')) },
  );

const bytes = (): fc.Arbitrary<Buffer> => fc.uint8Array({ maxLength: 60 }).map(content => Buffer.from(content));

/** Any value but containers. */
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
    fc.tuple(bytes(), fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 128)).map(([content, subtype]) => new npm.Binary(content, subtype)),
    fc.uint8Array({ minLength: 16, maxLength: 16 }).map(id => new npm.UUID(id)),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(value => npm.Long.fromBigInt(value)),
    fc.tuple(fc.nat({ max: 0xffffffff }), fc.nat({ max: 0xffffffff })).map(([t, i]) => new npm.Timestamp({ t, i })),
    fc.uint8Array({ minLength: 16, maxLength: 16 }).map(content => new npm.Decimal128(Buffer.from(content))),
    fc.double().map(value => new npm.Double(value)),
    fc.integer().map(value => new npm.Int32(value)),
    fc.constantFrom(new npm.MinKey(), new npm.MaxKey(), /a+b/gim, /ü/, new npm.BSONRegExp('a', 'xi'), new npm.BSONSymbol('s')),
    texts().map(text => new npm.Code(text)),
    texts().map(text => new npm.Code(text, { a: 1 })),
    fc.tuple(texts(), fc.integer()).map(([collection, id]) => new npm.DBRef(collection, id as never, 'db', { more: 1 })),
  );

/** Any document that npm bson can write. */
export const documents = (): fc.Arbitrary<npm.Document> =>
  fc.letrec<{ document: npm.Document; value: unknown }>(tie => ({
    document: fc.dictionary(keys(), tie('value'), { maxKeys: 12 }),
    value: fc.oneof(
      { depthSize: 'small' },
      leaves(),
      fc.array(tie('value'), { maxLength: 12 }),
      tie('document'),
      fc.dictionary(keys(), tie('value'), { maxKeys: 5 }).map(object => new Map(Object.entries(object))),
    ),
  })).document;
