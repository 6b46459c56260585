import type { Value } from '@tessera/mql/engine';
import { BinaryValue, DateValue, Doc, Double, ObjectIdValue, double, isArray, isDoc } from '@tessera/mql/engine';

/** A value in the form that `@tessera/search` reads: like one of npm `bson`, with the value that it stands for. */
interface Tagged {
  readonly _bsontype: string;
  readonly original: Value;
}

const tagged = (type: string, original: Value, fields: object): Tagged => ({ _bsontype: type, original, ...fields });

/** Converts a value to JavaScript. Fields named `_bsontype` are omitted, because they mark converted values. */
export const plainOf = (value: Value): unknown => {
  if (isArray(value)) return value.map(plainOf);
  if (isDoc(value)) return plainDocument(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Double)
    return Number.isInteger(value.value) ? tagged('Double', value, { value: value.value }) : value.value;
  if (value instanceof DateValue) return new Date(value.ms);
  if (value instanceof ObjectIdValue) return tagged('ObjectId', value, { id: value.bytes });
  if (value instanceof BinaryValue) {
    const { subtype, bytes } = value;
    return tagged('Binary', value, { sub_type: subtype, buffer: bytes, position: bytes.length });
  }
  return tagged('other', value, {});
};

export const plainDocument = (doc: Doc): Record<string, unknown> =>
  Object.fromEntries(
    doc
      .entries()
      .filter(([name]) => name !== '_bsontype')
      .map(([name, value]) => [name, plainOf(value)]),
  );

/** Converts a result back: the reverse of {@link plainOf}. Numbers with a fraction become doubles. */
export const valueOfPlain = (plain: unknown): Value => {
  if (typeof plain === 'number') return Number.isInteger(plain) ? plain : double(plain);
  if (typeof plain !== 'object' || plain === null) return plain as Value;
  if (Array.isArray(plain)) return plain.map(valueOfPlain);
  if (plain instanceof Date) return new DateValue(plain.getTime());
  return 'original' in plain && '_bsontype' in plain ? (plain as Tagged).original : docOfPlain(plain);
};

export const docOfPlain = (plain: object): Doc =>
  Doc.of(
    Object.entries(plain)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, valueOfPlain(value)]),
  );
