import { deepStrictEqual } from 'node:assert';
import * as npm from 'bson';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BsonOptions } from '@tessera/contracts';
import { bson, decode, encode } from '@tessera/bson';
import { documents, similar } from './values.js';

const patience = 60_000;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Without a prototype: npm bson takes a field called `constructor` for one of any other object's members. */
const named = (...names: readonly string[]): Record<string, boolean> =>
  Object.assign(Object.create(null) as Record<string, boolean>, Object.fromEntries(names.map(name => [name, true])));

test(
  'encode writes the bytes that npm bson writes with the options of the official driver',
  { timeout: patience },
  () => {
    const shape = bson.shape();
    fc.assert(
      fc.property(documents(), document => {
        const theirs = hex(npm.serialize(document, { ignoreUndefined: false }));
        expect(hex(encode(document))).toBe(theirs);
        expect(hex(encode(document, shape))).toBe(theirs);
      }),
    );
  },
);

test('encode honours ignoreUndefined, serializeFunctions and checkKeys as npm bson does', { timeout: patience }, () => {
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

test('decode reads the values that npm bson reads', { timeout: patience }, () => {
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

test('decode honours every option as npm bson does', { timeout: patience }, () => {
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
  'a shape that has learned the documents of a collection reads and writes them all the same',
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

test('keepTypes: every document is written back as the same bytes', { timeout: patience }, () => {
  fc.assert(
    fc.property(documents(), document => {
      const bytes = npm.serialize(document, { ignoreUndefined: false });
      expect(hex(encode(decode(bytes, { keepTypes: true })))).toBe(hex(bytes));
    }),
  );
});

test('the options of a RegExp stand in the order of npm bson, those of a BSONRegExp in that of the alphabet', () => {
  const document = { a: /x/gim, b: new npm.BSONRegExp('x', 'smi') };
  expect(hex(encode(document))).toBe(hex(npm.serialize(document)));
});
