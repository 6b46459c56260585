import fc from 'fast-check';
import { Decimal } from '../../src/value/decimal.js';
import { Doc } from '../../src/value/doc.js';
import type { NumberValue, Value } from '../../src/value/value.js';
import {
  BinaryValue,
  CodeValue,
  DateValue,
  DBPointerValue,
  Double,
  MAX_KEY,
  MIN_KEY,
  ObjectIdValue,
  RegexValue,
  SymbolValue,
  TimestampValue,
  UNDEFINED,
} from '../../src/value/value.js';

const int32: fc.Arbitrary<number> = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer());

/** Numbers of all four types, many of them equal to a number of another type. */
export const anyNumber: fc.Arbitrary<NumberValue> = fc.oneof(
  int32,
  fc.oneof(fc.bigInt({ min: -3n, max: 3n }), fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n })),
  fc.oneof(int32, fc.double(), fc.constantFrom(0.1, -0, 2 ** 53, 2 ** 63, NaN, Infinity)).map(n => new Double(n)),
  fc
    .tuple(
      fc.boolean(),
      fc.oneof(fc.bigInt({ min: 0n, max: 30n }), fc.bigInt({ min: 0n, max: 10n ** 34n - 1n })),
      fc.oneof(fc.integer({ min: -2, max: 2 }), fc.integer({ min: -6176, max: 6111 })),
    )
    .map(([negative, coefficient, exponent]) => Decimal.of(negative, coefficient, exponent)),
  fc.constantFrom(Decimal.NAN, Decimal.INFINITY, Decimal.NEGATIVE_INFINITY, Decimal.parse('0.1')!),
);

// Lone surrogates cannot be encoded as UTF-8.
const text: fc.Arbitrary<string> = fc.oneof(
  fc.string({ maxLength: 4 }),
  fc.string({ unit: 'binary', maxLength: 40 }).map(s => s.toWellFormed()),
);
const name: fc.Arbitrary<string> = text.map(s => s.replaceAll('\0', ''));
const bytes = (length: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ minLength: length, maxLength: length });
const id: fc.Arbitrary<ObjectIdValue> = bytes(12).map(b => new ObjectIdValue(b));

/** Values of every type, and documents with duplicate, empty and integer-like keys. */
export const anyValue: fc.Arbitrary<Value> = fc.letrec<{ value: Value; doc: Doc }>(tie => ({
  doc: fc
    .array(fc.tuple(fc.oneof(fc.constantFrom('a', 'b', '0', '1', '', '__proto__'), name), tie('value')), {
      maxLength: 4,
    })
    .map(entries => Doc.of(entries)),
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    anyNumber,
    text,
    fc.boolean(),
    fc.constantFrom<Value>(null, UNDEFINED, MIN_KEY, MAX_KEY),
    id,
    fc.integer().map(ms => new DateValue(ms)),
    fc.tuple(fc.nat(0xffffffff), fc.nat(0xffffffff)).map(([t, i]) => new TimestampValue(t, i)),
    fc.tuple(fc.nat(255), fc.uint8Array({ maxLength: 5 })).map(([subtype, b]) => new BinaryValue(subtype, b)),
    fc.tuple(name, fc.constantFrom('', 'i', 'im')).map(([pattern, options]) => new RegexValue(pattern, options)),
    text.map(code => new CodeValue(code)),
    fc.tuple(text, tie('doc')).map(([code, scope]) => new CodeValue(code, scope)),
    text.map(s => new SymbolValue(s)),
    fc.tuple(text, id).map(([namespace, pointee]) => new DBPointerValue(namespace, pointee)),
    tie('doc'),
    fc.array(tie('value'), { maxLength: 4 }),
  ),
})).value;

export const anyDoc: fc.Arbitrary<Doc> = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom('a', 'b', '0', '_id'), name), anyValue), { maxLength: 5 })
  .map(entries => Doc.of(entries));
