/** Rule: Unified Test Format, "Evaluating Matches". */
import type { Document } from '@tessera/contracts';
import { EJSON } from 'bson';
import { Unsupported } from './unsupported.js';

/** Where in the expectation we are, for messages; and whether a document may have more than is expected. */
interface Place {
  readonly path: string;
  readonly isRoot: boolean;
}

/** A document as it is told in a log, or any other value. */
type Value = unknown;

const isDocument = (value: Value): value is Document =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !('_bsontype' in value) &&
  !(value instanceof Date);

const shown = (value: Value): string => (value === undefined ? 'nothing' : EJSON.stringify(value));

const differ = ({ path }: Place, expected: string, actual: Value): never => {
  throw new Error(`${path}: expected ${expected}, not ${shown(actual)}`);
};

const under = (place: Place, key: string | number): Place => ({ path: `${place.path}.${key}`, isRoot: false });

/** A number of JavaScript stands for each type that can hold it. */
const wholes = ['int', 'long', 'double', 'number'];
const typesOf = (value: Value): readonly string[] => {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  if (value instanceof Date) return ['date'];
  if (value instanceof Uint8Array) return ['binData'];
  switch (typeof value) {
    case 'string':
      return ['string'];
    case 'boolean':
      return ['bool'];
    case 'bigint':
      return ['long', 'number'];
    case 'number':
      return Number.isInteger(value) ? wholes : ['double', 'number'];
    default: {
      const names: Readonly<Record<string, readonly string[]>> = {
        Binary: ['binData'],
        Decimal128: ['decimal', 'number'],
        Double: ['double', 'number'],
        Int32: ['int', 'number'],
        Long: ['long', 'number'],
        ObjectId: ['objectId'],
        Timestamp: ['timestamp'],
      };
      return names[(value as { readonly _bsontype?: string })._bsontype ?? ''] ?? ['object'];
    }
  }
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
  $$matchAsDocument(operand, actual, place) {
    if (typeof actual !== 'string') return differ(place, 'Extended JSON', actual);
    match(operand, EJSON.parse(actual) as Value, { ...place, isRoot: false });
  },
  $$matchAsRoot(operand, actual, place) {
    match(operand, actual, { ...place, isRoot: true });
  },
  $$lte(operand, actual, place) {
    if (!(Number(actual) <= Number(operand))) differ(place, `at most ${shown(operand)}`, actual);
  },
};

const matchDocument = (expected: Document, actual: Value, place: Place): void => {
  if (!isDocument(actual)) return differ(place, 'a document', actual);
  for (const [key, value] of Object.entries(expected)) match(value, actual[key] as Value, under(place, key));
  const more = Object.keys(actual).find(key => !(key in expected));
  if (!place.isRoot && more !== undefined) differ(under(place, more), 'nothing', actual[more]);
};

const numeric = (value: Value): bigint | number | undefined => {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (!['Int32', 'Double', 'Long'].includes((value as { readonly _bsontype?: string } | null)?._bsontype ?? ''))
    return undefined;
  return Number(String(value));
};

/** @throws Error that says where and in what the value is not what is expected; Unsupported for operators that are not run. */
export const match = (expected: Value, actual: Value, place: Place): void => {
  if (isDocument(expected)) {
    const [operator = '', ...others] = Object.keys(expected);
    if (!operator.startsWith('$$') || others.length > 0) return matchDocument(expected, actual, place);
    const evaluate = special[operator];
    if (evaluate === undefined) throw new Unsupported(`the operator ${operator}`);
    return evaluate(expected[operator], actual, place);
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length)
      return differ(place, `a list of ${expected.length}`, actual);
    // The documents of a result may each have more than is expected.
    for (const [index, item] of expected.entries())
      match(item, actual[index], { ...under(place, index), isRoot: place.isRoot });
    return;
  }
  const number = numeric(expected);
  // Types of numbers may differ, their values may not: so the comparison is the loose one.
  const isSame = number === undefined ? shown(expected) === shown(actual) : Number(number) === Number(numeric(actual));
  if (!isSame) differ(place, shown(expected), actual);
};

export const root = (path: string): Place => ({ path, isRoot: true });
