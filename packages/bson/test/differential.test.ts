import { deepStrictEqual } from 'node:assert';
import * as npm from 'bson';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BsonOptions } from '@tessera/contracts';
import { bson, decode, encode } from '@tessera/bson';
import { documents, similar } from './values.js';

const patience = 60_000;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/**
 * The object has no prototype, because npm bson would otherwise mistake a field named `constructor` for an inherited
 * member.
 */
const named = (...names: readonly string[]): Record<string, boolean> =>
  Object.assign(Object.create(null) as Record<string, boolean>, Object.fromEntries(names.map(name => [name, true])));

test('encode writes the same bytes as npm bson with the options of the official driver', { timeout: patience }, () => {
  const shape = bson.shape();
  fc.assert(
    fc.property(documents(), document => {
      const theirs = hex(npm.serialize(document, { ignoreUndefined: false }));
      expect(hex(encode(document))).toBe(theirs);
      expect(hex(encode(document, shape))).toBe(theirs);
    }),
  );
});

test('encode supports ignoreUndefined, serializeFunctions and checkKeys like npm bson', { timeout: patience }, () => {
  const options = fc.record({
    ignoreUndefined: fc.boolean(),
    serializeFunctions: fc.boolean(),
    checkKeys: fc.boolean(),
  });
  fc.assert(
    fc.property(documents(), options, (document, chosen) => {
      const asked = { ...document, f: () => 1, inner: [() => 2, { f: () => 3, u: undefined }] };
      let theirs: string;
      try {
        theirs = hex(npm.serialize(asked, chosen));
      } catch {
        expect(() => encode(asked, chosen)).toThrow(/checkKeys/);
        return;
      }
      expect(hex(encode(asked, chosen))).toBe(theirs);
    }),
  );
});

test('decode reads the same values as npm bson', { timeout: patience }, () => {
  const shape = bson.shape();
  fc.assert(
    fc.property(documents(), document => {
      const bytes = npm.serialize(document);
      const theirs = npm.deserialize(bytes);
      deepStrictEqual(decode(bytes), theirs);
      deepStrictEqual(decode(bytes, shape), theirs);
    }),
  );
});

test('decode supports every option like npm bson', { timeout: patience }, () => {
  const options: fc.Arbitrary<BsonOptions> = fc.record({
    promoteLongs: fc.boolean(),
    promoteValues: fc.boolean(),
    promoteBuffers: fc.boolean(),
    bsonRegExp: fc.boolean(),
    raw: fc.boolean(),
    fieldsAsRaw: fc.constantFrom(named(), named('a'), named('_id', 'name')),
    enableUtf8Validation: fc.boolean(),
  });
  fc.assert(
    fc.property(documents(), options, fc.boolean(), (document, chosen, big) => {
      const useBigInt64 = big && chosen.promoteLongs === true && chosen.promoteValues === true;
      const bytes = npm.serialize(document);
      const { enableUtf8Validation = true, ...rest } = chosen;
      deepStrictEqual(
        decode(bytes, { ...chosen, useBigInt64 }),
        npm.deserialize(bytes, { ...rest, useBigInt64, validation: { utf8: enableUtf8Validation } }),
      );
    }),
  );
});

test(
  "a shape that has learned a collection's documents still reads and writes them correctly",
  { timeout: patience },
  () => {
    fc.assert(
      fc.property(similar(), collection => {
        const shape = bson.shape();
        for (const document of collection) {
          const bytes = npm.serialize(document, { ignoreUndefined: false });
          deepStrictEqual(decode(bytes, shape), npm.deserialize(bytes));
          expect(hex(encode(document, shape))).toBe(hex(bytes));
        }
      }),
      { numRuns: 6 },
    );
  },
);

test('with keepTypes, every document is written back as the same bytes', { timeout: patience }, () => {
  fc.assert(
    fc.property(documents(), document => {
      const bytes = npm.serialize(document, { ignoreUndefined: false });
      expect(hex(encode(decode(bytes, { keepTypes: true })))).toBe(hex(bytes));
    }),
  );
});

test('orders the options of a RegExp like npm bson, and those of a BSONRegExp alphabetically', () => {
  const document = { a: /x/gim, b: new npm.BSONRegExp('x', 'smi') };
  expect(hex(encode(document))).toBe(hex(npm.serialize(document)));
});
