import { deepStrictEqual } from 'node:assert';
import * as npm from 'bson';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decode, encode } from '@tessera/bson';
import { documents } from './values.js';

test('encode writes the bytes that npm bson writes with the options of the official driver', () => {
  fc.assert(
    fc.property(documents(), fc.boolean(), (document, ignoreUndefined) => {
      const theirs = npm.serialize(document, { ignoreUndefined });
      expect(hex(encode(document, { ignoreUndefined }))).toBe(hex(theirs));
    }),
  );
});

test('decode reads the values that npm bson reads', () => {
  fc.assert(
    fc.property(documents(), document => {
      const bytes = npm.serialize(document);
      deepStrictEqual(decode(bytes), npm.deserialize(bytes));
    }),
  );
});

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
