import { deepStrictEqual, strictEqual } from 'node:assert';
import { inspect } from 'node:util';
import { MongoError, type Batch, type View } from '@tessera/contracts';
import * as npm from 'bson';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bson, decode, stringifyExtendedJson } from '@tessera/bson';
import { documents, keys, similar } from './values.js';

const patience = 60_000;

/** The bytes with some of them changed, removed or repeated. */
const damagedBytes = (bytes: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> =>
  fc
    .tuple(
      bytes,
      fc.array(fc.tuple(fc.nat(), fc.oneof(fc.nat({ max: 255 }), fc.constantFrom(0, 1, 2, 3, 4, 5, 0x7f, 0xff))), {
        maxLength: 4,
      }),
      fc.option(fc.tuple(fc.nat(), fc.nat({ max: 20 }), fc.boolean()), { freq: 3 }),
    )
    .map(([original, changes, cut]) => {
      let changed = Uint8Array.from(original);
      for (const [at, byte] of changes) changed[at % changed.length] = byte;
      if (cut !== null) {
        const [at, length, double] = [cut[0] % changed.length, cut[1], cut[2]];
        const rest = changed.subarray(double ? at : at + length);
        changed = Uint8Array.from([...changed.subarray(0, double ? at + length : at), ...rest]);
        if (changed.length > 4) new DataView(changed.buffer).setInt32(0, changed.length, true);
      }
      return changed;
    });

/**
 * Returns the value that the bytes are read as, or "refused". A rejection must be a `protocol` error with the byte
 * offset.
 */
const attempt = <T>(read: () => T): { readonly value: T } | 'refused' => {
  try {
    return { value: read() };
  } catch (error) {
    if (!MongoError.is(error) || error.kind !== 'protocol') throw error;
    expect(error.message).toMatch(/at byte \d+ of the document/);
    return 'refused';
  }
};

const npmAttempt = (bytes: Uint8Array): { readonly value: unknown } | 'refused' => {
  try {
    return { value: npm.deserialize(bytes) };
  } catch {
    return 'refused';
  }
};

/** Calls every read method of a view. */
const readAll = (view: View, names: readonly string[]): void => {
  for (const name of names) {
    for (const read of ['has', 'int', 'long', 'text', 'bytes', 'value'] as const) attempt(() => view[read](name));
    attempt(() => {
      const inner = view.view(name);
      if (inner !== undefined) readAll(inner, ['0', 'a', 'nobody']);
    });
    attempt(() => {
      const batch = view.batch(name);
      if (batch !== undefined) readBatch(batch);
    });
  }
  attempt(() => view.document());
};

const readBatch = (batch: Batch): void => {
  attempt(() => batch.length);
  attempt(() => {
    const kept = batch.keep();
    while (kept.next() !== undefined);
  });
};

/** Compares as text, because an invalid date does not equal another invalid date. */
const shown = (value: unknown): string =>
  inspect(value, { depth: Infinity, maxStringLength: Infinity, maxArrayLength: Infinity });

const intact = (): fc.Arbitrary<Uint8Array> => documents().map(document => npm.serialize(document));

describe('decode rejects damaged bytes with the byte offset, or reads them as npm bson does', () => {
  // The one difference: a regular expression that JavaScript cannot compile is a BSONRegExp here, and an error in npm
  // bson.
  const compare = (bytes: Uint8Array, read: () => unknown): void => {
    const ours = attempt(read);
    const theirs = npmAttempt(bytes);
    if (theirs === 'refused' && ours !== 'refused' && stringifyExtendedJson(bytes).includes('$regularExpression'))
      return;
    strictEqual(shown(ours), shown(theirs));
  };

  test('with a few bytes changed', { timeout: patience }, () => {
    fc.assert(
      fc.property(damagedBytes(intact()), bytes => {
        compare(bytes, () => decode(bytes));
        attempt(() => decode(bytes, { keepTypes: true }));
        attempt(() => stringifyExtendedJson(bytes));
      }),
      { numRuns: 400 },
    );
  });

  test('in a collection whose documents are learned', { timeout: patience }, () => {
    fc.assert(
      fc.property(similar(), fc.infiniteStream(fc.nat()), (collection, numbers) => {
        const shape = bson.shape();
        const encoded = collection.map(document => npm.serialize(document));
        for (const bytes of encoded) decode(bytes, shape);
        for (const bytes of encoded) {
          const changed = Uint8Array.from(bytes);
          changed[numbers.next().value % changed.length] = numbers.next().value & 255;
          compare(changed, () => decode(changed, shape));
        }
      }),
      { numRuns: 6 },
    );
  });

  test('random bytes', { timeout: patience }, () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), fc.boolean(), (bytes, framed) => {
        if (framed && bytes.length > 4) {
          new DataView(bytes.buffer, bytes.byteOffset).setInt32(0, bytes.length, true);
          bytes[bytes.length - 1] = 0;
        }
        compare(bytes, () => decode(bytes));
      }),
      { numRuns: 2000 },
    );
  });
});

test(
  'views and batches of damaged bytes never read outside of them, and throw only MongoErrors',
  { timeout: patience },
  () => {
    fc.assert(
      fc.property(damagedBytes(intact()), fc.array(keys(), { maxLength: 3 }), (bytes, names) => {
        // The document lies in the middle of other memory, which must never be read: each of its bytes would be a type
        // and a length.
        const memory = new Uint8Array(bytes.length + 64).fill(3);
        memory.set(bytes, 32);
        const view = attempt(() => bson.read(memory, 32, 32 + bytes.length));
        if (view !== 'refused') readAll(view.value, ['_id', 'a', 'name', '0', ...names]);
      }),
      { numRuns: 300 },
    );
  },
);

test('a wrong length does not cause an allocation', () => {
  const bytes = npm.serialize({ a: new npm.Binary(Buffer.from('abc')), s: 'text' });
  for (const at of [7, 18]) {
    const lying = Uint8Array.from(bytes);
    new DataView(lying.buffer).setInt32(at, 0x7fffffff, true);
    expect(attempt(() => decode(lying))).toBe('refused');
  }
});

describe('nested documents', () => {
  const nested = (levels: number): Uint8Array => {
    const bytes = new Uint8Array(levels * 8 + 5);
    const numbers = new DataView(bytes.buffer);
    for (let level = 0, at = 0; level <= levels; level++, at += 7) {
      numbers.setInt32(at, bytes.length - at - level, true);
      if (level < levels) bytes.set([3, 97, 0], at + 4);
    }
    return bytes;
  };

  test('reads 300 levels', () => {
    const bytes = nested(300);
    deepStrictEqual(decode(bytes), npm.deserialize(bytes));
  });

  test('rejects two million levels in 16 MB without following them', () => {
    const bytes = nested(2_000_000);
    expect(() => decode(bytes)).toThrow(/nested more than 400 levels deep at byte \d+/);
    expect(() => bson.read(bytes).document()).toThrow(/nested more than 400 levels deep/);
    expect(() => stringifyExtendedJson(bytes)).toThrow(/nested more than 400 levels deep/);
    expect(bson.read(bytes).has('b')).toBe(false);
  });
});
