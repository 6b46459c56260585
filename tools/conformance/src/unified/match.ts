/** Matches actual values with expected ones. Rule: Unified Test Format, "Evaluating Matches". */
import type { Document } from '@tessera/contracts';
import { EJSON } from 'bson';

/** The entities of a test that special operators refer to. */
export interface EntityLookup {
  /** @throws Error if there is no such value */
  value(name: string): unknown;
  /** @throws Error if there is no such session */
  lsid(name: string): Document;
}

const none = (name: string): never => {
  throw new Error(`There is no entity "${name}".`);
};

export const noEntities: EntityLookup = { value: none, lsid: none };

/** The context of a comparison. */
export interface Place {
  /** The path of the compared value, for messages. */
  readonly path: string;
  /** Whether the actual document may have extra fields. */
  readonly isRoot: boolean;
  readonly entities: EntityLookup;
}

/** A context in which the actual document may have extra fields. */
export const root = (path: string, entities: EntityLookup): Place => ({ path, isRoot: true, entities });

/** A context in which no document may have extra fields. */
export const nested = (path: string, entities: EntityLookup): Place => ({ path, isRoot: false, entities });

type Value = unknown;

const isDocument = (value: Value): value is Document =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !('_bsontype' in value) &&
  !(value instanceof Date) &&
  !(value instanceof Uint8Array);

export const shown = (value: Value): string => (value === undefined ? 'nothing' : EJSON.stringify(value));

const differ = ({ path }: Place, expected: string, actual: Value): never => {
  throw new Error(`${path}: expected ${expected}, not ${shown(actual)}`);
};

const under = ({ path, entities }: Place, key: string | number): Place => nested(`${path}.${key}`, entities);

const bsonType = (value: Value): string => (value as { readonly _bsontype?: string } | null)?._bsontype ?? '';

/** The types of an integer in JavaScript: it matches each BSON type that can hold it. */
const wholes = ['int', 'long', 'double', 'number'];
const byClass: Readonly<Record<string, readonly string[]>> = {
  Binary: ['binData'],
  BSONRegExp: ['regex'],
  Code: ['javascript', 'javascriptWithScope'],
  DBRef: ['object', 'dbPointer'],
  Decimal128: ['decimal', 'number'],
  Double: ['double', 'number'],
  Int32: ['int', 'number'],
  Long: ['long', 'number'],
  MaxKey: ['maxKey'],
  MinKey: ['minKey'],
  ObjectId: ['objectId'],
  BSONSymbol: ['symbol'],
  Timestamp: ['timestamp'],
};

const typesOf = (value: Value): readonly string[] => {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  if (value instanceof Date) return ['date'];
  if (value instanceof RegExp) return ['regex'];
  if (value instanceof Uint8Array) return ['binData'];
  switch (typeof value) {
    case 'undefined':
      return [];
    case 'string':
      return ['string'];
    case 'boolean':
      return ['bool'];
    case 'bigint':
      return ['long', 'number'];
    case 'number':
      return Number.isInteger(value) ? wholes : ['double', 'number'];
    default:
      return byClass[bsonType(value)] ?? ['object'];
  }
};

const hexBytes = (digits: Value): Buffer => {
  if (typeof digits !== 'string' || !/^(?:[\da-f]{2})*$/i.test(digits))
    throw new Error(`${shown(digits)} is not an even number of hexadecimal digits.`);
  return Buffer.from(digits, 'hex');
};

/** Returns the bytes of `{ $$hexBytes: … }`. @throws Error if the document has another form */
export const bytesOf = (source: Value): Buffer => {
  if (!isDocument(source) || Object.keys(source).join() !== '$$hexBytes')
    throw new Error(`Expected { $$hexBytes: … }, not ${shown(source)}.`);
  return hexBytes(source['$$hexBytes']);
};

const numeric = (value: Value): number | undefined => {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  return ['Int32', 'Double', 'Long'].includes(bsonType(value)) ? Number(String(value)) : undefined;
};

const special: Readonly<Record<string, (operand: Value, actual: Value, place: Place) => void>> = {
  $$exists(operand, actual, place) {
    if ((actual !== undefined) !== operand) differ(place, operand === true ? 'something' : 'nothing', actual);
  },
  $$type(operand, actual, place) {
    const wanted = [operand].flat() as readonly string[];
    if (!typesOf(actual).some(type => wanted.includes(type))) differ(place, `a value of ${wanted.join(', ')}`, actual);
  },
  $$unsetOrMatches(operand, actual, place) {
    if (actual !== undefined) match(operand, actual, place);
  },
  $$matchesEntity(operand, actual, place) {
    match(place.entities.value(operand as string), actual, place);
  },
  $$matchesHexBytes(operand, actual, place) {
    const expected = hexBytes(operand);
    if (!(actual instanceof Uint8Array) || !expected.equals(actual)) differ(place, expected.toString('hex'), actual);
  },
  $$sessionLsid(operand, actual, place) {
    match(place.entities.lsid(operand as string), actual, { ...place, isRoot: false });
  },
  $$matchAsDocument(operand, actual, place) {
    if (typeof actual !== 'string') return differ(place, 'Extended JSON', actual);
    match(operand, EJSON.parse(actual) as Value, { ...place, isRoot: false });
  },
  $$matchAsRoot(operand, actual, place) {
    if (!isDocument(actual)) return differ(place, 'a document', actual);
    match(operand, actual, { ...place, isRoot: true });
  },
  $$gte(operand, actual, place) {
    const [least, value] = [numeric(operand), numeric(actual)];
    if (least === undefined || value === undefined || value < least)
      differ(place, `at least ${shown(operand)}`, actual);
  },
  $$lte(operand, actual, place) {
    const [most, value] = [numeric(operand), numeric(actual)];
    if (most === undefined || value === undefined || value > most) differ(place, `at most ${shown(operand)}`, actual);
  },
};

const matchDocument = (expected: Document, actual: Value, place: Place): void => {
  if (!isDocument(actual)) return differ(place, 'a document', actual);
  for (const [key, value] of Object.entries(expected)) match(value, actual[key] as Value, under(place, key));
  const more = Object.keys(actual).find(key => actual[key] !== undefined && !Object.hasOwn(expected, key));
  if (!place.isRoot && more !== undefined) differ(under(place, more), 'nothing', actual[more]);
};

const matchNumber = (expected: number, actual: Value): boolean => {
  const number = numeric(actual);
  return number !== undefined && (number === expected || (Number.isNaN(number) && Number.isNaN(expected)));
};

/** Matches a value. @throws Error that describes the first difference and its path, or names an unknown operator. */
export const match = (expected: Value, actual: Value, place: Place): void => {
  if (isDocument(expected)) {
    const [operator = '', ...others] = Object.keys(expected);
    if (!operator.startsWith('$$') || others.length > 0) return matchDocument(expected, actual, place);
    if (!Object.hasOwn(special, operator)) throw new Error(`Unknown operator: ${operator}.`);
    return special[operator]!(expected[operator], actual, place);
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length)
      return differ(place, `a list of ${expected.length}`, actual);
    for (const [index, item] of expected.entries()) match(item, actual[index], under(place, index));
    return;
  }
  const number = numeric(expected);
  // Numbers match by value; their types may differ.
  const isSame =
    number === undefined ? actual !== undefined && shown(expected) === shown(actual) : matchNumber(number, actual);
  if (!isSame) differ(place, shown(expected), actual);
};

/**
 * Matches the documents of an iterable, each of which may have extra fields. Rule: "Allowing Extra Fields in Root-level
 * Documents".
 */
export const matchAll = (expected: readonly Value[], actual: Value, path: string, entities: EntityLookup): void => {
  if (!Array.isArray(actual) || actual.length !== expected.length)
    return differ(root(path, entities), `a list of ${expected.length}`, actual);
  for (const [index, item] of expected.entries()) match(item, actual[index], root(`${path}.${index}`, entities));
};
