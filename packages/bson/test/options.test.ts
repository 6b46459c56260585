/**
 * Every option of npm bson 7, in random combinations and on random documents: both packages must read the same values,
 * write the same bytes and reject the same input.
 */
import { deepStrictEqual } from 'node:assert';
import { MongoError } from '@tessera/contracts';
import * as npm from 'bson';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bson, decode, encode, type CodecOptions, type DecodeOptions } from '@tessera/bson';
import { documents, keys, texts } from './values.js';

const patience = 60_000;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

type Outcome<T> = { readonly value: T } | 'refused';

const theirs = <T>(run: () => T): Outcome<T> => {
  try {
    return { value: run() };
  } catch {
    return 'refused';
  }
};

/** Runs this package's code. A rejection must say what is wrong and where. */
const ours = <T>(run: () => T): Outcome<T> => {
  try {
    return { value: run() };
  } catch (error) {
    if (!MongoError.is(error)) throw error;
    expect(error.message).toMatch(
      error.kind === 'protocol'
        ? /^Invalid BSON: .+ at byte \d+ of the document/
        : /^(Cannot write .+ as BSON: |"useBigInt64: true" reads|"validation.utf8" must be|"index" is \d+, so)/s,
    );
    return 'refused';
  }
};

/**
 * The object has no prototype, because npm bson would otherwise mistake a field named `constructor` for an inherited
 * member.
 */
const bare = <T>(names: readonly string[], value: T): Record<string, T> =>
  Object.assign(Object.create(null) as Record<string, T>, Object.fromEntries(names.map(name => [name, value])));

const names = (): fc.Arbitrary<string[]> => fc.subarray(['_id', 'a', 'b', 'name', 'bad', '0', '1', '$ref', '']);

const utf8 = (): fc.Arbitrary<boolean | Record<string, boolean>> =>
  fc.oneof(
    fc.boolean(),
    fc.tuple(names(), fc.boolean()).map(([fields, must]) => bare(fields, must)),
    fc.constant({ a: true, b: false }),
  );

/** The options of npm bson. Each is left out in half of the sets. */
const decodeOptions = (): fc.Arbitrary<npm.DeserializeOptions> =>
  fc.record(
    {
      useBigInt64: fc.boolean(),
      promoteLongs: fc.boolean(),
      promoteValues: fc.boolean(),
      promoteBuffers: fc.boolean(),
      bsonRegExp: fc.boolean(),
      raw: fc.boolean(),
      fieldsAsRaw: names().map(fields => bare(fields, true)),
      validation: utf8().map(rule => ({ utf8: rule as boolean })),
    },
    { requiredKeys: [] },
  );

/** The bytes of a document. In some, a string at the top level or deeper is not UTF-8. */
const encoded = (): fc.Arbitrary<Uint8Array> =>
  fc
    .tuple(documents(), keys(), fc.constantFrom('top', 'inside', 'list', 'code', 'nowhere'), texts())
    .map(([document, name, where, text]) => {
      const bad = '\u0001\u0002bad\u0002\u0001';
      const said = `${text.slice(0, 20)}${bad}`;
      const places = {
        top: { bad: said },
        inside: { [name]: { deeper: { bad: said } } },
        list: { [name]: ['good', [said]] },
        code: { [name]: new npm.Code(said, { bad: said }) },
        nowhere: {},
      };
      const bytes = Buffer.from(npm.serialize({ ...document, ...places[where] }));
      for (let at = 0; (at = bytes.indexOf(bad, at)) >= 0;) bytes.set([0xf0, 0x9f], at); // a truncated character
      return new Uint8Array(bytes);
    });

describe('decode', () => {
  test('decode reads the same values as npm bson under every set of options', { timeout: patience }, () => {
    fc.assert(
      fc.property(encoded(), decodeOptions(), (bytes, options) => {
        const expected = theirs(() => npm.deserialize(bytes, options));
        deepStrictEqual(
          ours(() => decode(bytes, options as CodecOptions)),
          expected,
        );
        deepStrictEqual(
          ours(() => decode(bytes, bson.shape(options as CodecOptions))),
          expected,
        );
      }),
      { numRuns: 500 },
    );
  });

  test('a value read through a view equals the value in the decoded document', { timeout: patience }, () => {
    fc.assert(
      fc.property(encoded(), decodeOptions(), (bytes, options) => {
        const whole = ours(() => decode(bytes, options as CodecOptions));
        if (whole === 'refused' || whole.value instanceof npm.DBRef) return;
        const view = bson.read(bytes);
        const shape = bson.shape(options);
        for (const [key, value] of Object.entries(whole.value)) deepStrictEqual(view.value(key, shape), value);
      }),
    );
  });

  test('index and allowObjectSmallerThanBufferSize select the document like in npm bson', { timeout: patience }, () => {
    const around = fc.record({
      before: fc.nat({ max: 9 }),
      after: fc.nat({ max: 9 }),
      index: fc.option(fc.nat({ max: 9 }), { nil: undefined }),
      allowed: fc.option(fc.boolean(), { nil: undefined }),
    });
    fc.assert(
      fc.property(encoded(), around, fc.nat({ max: 255 }), (document, { before, after, index, allowed }, filler) => {
        const bytes = new Uint8Array(before + document.length + after).fill(filler);
        bytes.set(document, before);
        const options: DecodeOptions = {
          validation: { utf8: false },
          ...(index === undefined ? {} : { index }),
          ...(allowed === undefined ? {} : { allowObjectSmallerThanBufferSize: allowed }),
        };
        // The bytes around the document are arbitrary, so the packages may differ at any other index.
        if (allowed === true && (index ?? 0) !== before) return;
        deepStrictEqual(
          ours(() => decode(bytes, options)),
          theirs(() => npm.deserialize(bytes, options as npm.DeserializeOptions)),
        );
      }),
      { numRuns: 400 },
    );
    expect(() => decode(npm.serialize({}), { index: 1 })).toThrow(
      '"index" is 1, so the buffer holds more than the document. Also set "allowObjectSmallerThanBufferSize" to true.',
    );
    for (const index of [-1, 0.5, 1, 9, NaN])
      expect(() => decode(npm.serialize({}), { index, allowObjectSmallerThanBufferSize: true })).toThrow(
        /^Invalid BSON: no complete document from index \S+ on in a buffer of 5 bytes,/,
      );
  });

  test('rejects an invalid "validation" option, like npm bson', () => {
    const bytes = npm.serialize({ a: 'x' });
    for (const rule of [{}, { a: true, b: false }, { a: 1 }, { a: true, b: 'yes' }]) {
      const options = { validation: { utf8: rule as Record<string, true> } };
      expect(() => npm.deserialize(bytes, options)).toThrow();
      expect(() => decode(bytes, options)).toThrow(
        /^"validation.utf8" must be true, false, or an object whose fields are/,
      );
    }
  });

  test('enableUtf8Validation applies to all strings, and validation takes precedence over it', () => {
    const bytes = npm.serialize({ a: 'x', b: 'x' });
    bytes[bytes.indexOf(0x78)] = 0xff;
    expect(() => decode(bytes)).toThrow(/a string that is not UTF-8 at byte 11/);
    expect(decode(bytes, { enableUtf8Validation: false })).toEqual({ a: '\ufffd', b: 'x' });
    expect(decode(bytes, { enableUtf8Validation: true, validation: { utf8: { a: false } } })['a']).toBe('\ufffd');
    expect(() => decode(bytes, { enableUtf8Validation: false, validation: { utf8: { a: true } } })).toThrow(
      /not UTF-8/,
    );
  });
});

/** Values that cannot be written, or only under some options, at any place of the document. */
const troubles = (): fc.Arbitrary<unknown> => {
  const circle: { again?: unknown } = {};
  circle.again = [circle];
  return fc.constantFrom<unknown>(
    undefined,
    () => 1,
    Object.assign(() => 1, { toBSON: () => 'instead' }),
    { 'a\0b': 1 },
    { $set: 1 },
    { 'a.b': 1 },
    { $db: 1, $clusterTime: 2 },
    new Map<string, unknown>([
      ['$set', 1],
      ['u', undefined],
    ]),
    new npm.DBRef('c', 1 as never, 'd', { 'x.y': undefined, $z: 1 }),
    new npm.Code('f', { $scope: 1, u: undefined, f: () => 1 }),
    new npm.Binary(Uint8Array.of(0x27, 0, 1), 9),
    new npm.Binary(Uint8Array.of(0x03, 1, 1), 9),
    new RegExp('a\0'),
    { toBSON: () => undefined },
    { toBSON: () => () => 1 },
    { toBSON: () => ({ $inner: 1 }) },
    { _bsontype: 'Int32', value: 1 },
    circle,
  );
};

const troubled = (): fc.Arbitrary<npm.Document> =>
  fc
    .tuple(documents(), troubles(), fc.constantFrom('top', 'inside', 'list', 'map', 'scope', 'nowhere'))
    .map(([document, trouble, where]) => {
      const places = {
        top: { trouble },
        inside: { x: { y: { trouble } } },
        list: { x: [1, [trouble], trouble] },
        map: new Map([...Object.entries(document), ['trouble', trouble]]),
        scope: { x: new npm.Code('f', { trouble }) },
        nowhere: {},
      };
      return where === 'map' ? places.map : { ...document, ...places[where] };
    });

describe('encode', () => {
  test('encode writes the same bytes as npm bson under every set of options', { timeout: patience }, () => {
    const encodeOptions = fc.record(
      { ignoreUndefined: fc.boolean(), serializeFunctions: fc.boolean(), checkKeys: fc.boolean() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(troubled(), encodeOptions, (document, options) => {
        const expected = theirs(() => hex(npm.serialize(document, { ignoreUndefined: false, ...options })));
        deepStrictEqual(
          ours(() => hex(encode(document, options))),
          expected,
        );
        const shape = bson.shape(options);
        for (let i = 0; i < 2; i++)
          deepStrictEqual(
            ours(() => hex(encode(document, shape))),
            expected,
          );
      }),
      { numRuns: 600 },
    );
  });

  test('encode accepts documents over 17 MiB, for which npm bson needs a larger buffer', () => {
    const document = { text: 'x'.repeat(18 * 1024 * 1024) };
    const expected = npm.serialize(document, { minInternalBufferSize: 19 * 1024 * 1024 } as npm.SerializeOptions);
    expect(Buffer.compare(encode(document), expected)).toBe(0);
  });
});

/** The intended differences: npm bson silently changes or drops these values. */
describe('values that npm bson accepts and this package rejects', () => {
  test.each<[string, unknown, unknown]>([
    ['an invalid Date, which npm bson makes 1970', { a: new Date(NaN) }, { a: new Date(0) }],
    ['a bigint of more than 64 bits, which npm bson cuts', { a: 2n ** 64n + 1n }, { a: 1 }],
    ['a Symbol, which npm bson leaves out', { a: Symbol('s') }, {}],
    ['null for a document, which npm bson makes an empty one', null, {}],
  ])('%s', (_, document, bent) => {
    expect(npm.deserialize(npm.serialize(document as npm.Document))).toEqual(bent);
    expect(ours(() => encode(document as npm.Document))).toBe('refused');
  });
});
