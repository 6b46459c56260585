import { dbRefNames } from '../agg/field-path.js';
import { fail } from '../errors.js';
import type { Collation } from '../value/compare.js';
import { Doc } from '../value/doc.js';
import { showDoc } from '../value/show.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc, RegexValue, UndefinedValue } from '../value/value.js';
import { spend } from '../work/meter.js';
import type { BitsOperator } from './bits-test.js';
import { bitsTest } from './bits-test.js';
import type { RangeOperator } from './compare-tests.js';
import { equalTest, inTest, isExactKey, rangeTest } from './compare-tests.js';
import type { Condition, Predicate, Test } from './condition.js';
import type { Expectation } from './expectation.js';
import { elementImplications, expect, ofOne } from './expectation.js';
import type { PlaceTest } from './geo/region.js';
import { intersectsTest, withinTest } from './geo/region.js';
import { readNonNegativeInt } from './integer-argument.js';
import { modTest } from './mod-test.js';
import { regexTest } from './regex.js';
import { isTruthy } from './truth.js';
import { readTypes, typeTest } from './type-test.js';

/** The context of the operators at a path. */
export interface OperatorParser {
  readonly path: string;
  readonly collation: Collation | undefined;
  /** Compiles a filter for documents in arrays. */
  subdocument(filter: Doc): Condition;
}

/**
 * Returns whether a value is a document of operators, such as `{ $gt: 1 }`, rather than a value to compare with. A
 * DBRef is a value.
 */
export const isOperators = (value: Value | undefined): value is Doc => {
  if (!isDoc(value)) return false;
  const [first] = value.entries();
  return first !== undefined && first[0].startsWith('$') && !(value.has('$ref') && value.has('$id'));
};

const refuseUndefined = (value: Value): void => {
  if (value instanceof UndefinedValue) throw fail('BadValue', 'cannot compare to undefined');
};

export const equality = (value: Value, collation: Collation | undefined): Expectation => {
  refuseUndefined(value);
  return expect(equalTest(value, collation), { op: 'eq', value, exact: isExactKey(value) });
};

export const regex = (value: RegexValue): Expectation => expect(regexTest(value), { op: 'regex', value, exact: false });

const not = (of: Expectation): Expectation => ({ kind: 'not', of });

const range =
  (op: RangeOperator) =>
  (value: Value, { path, collation }: OperatorParser): Expectation => {
    if (value instanceof RegexValue) {
      throw fail('BadValue', `Can't have RegEx as arg to predicate over field '${path}'.`);
    }
    refuseUndefined(value);
    return expect(rangeTest(op, value, collation), { op, value, exact: isExactKey(value) });
  };

const parseNotEqual = (value: Value, { collation }: OperatorParser): Expectation => {
  if (value instanceof RegexValue) throw fail('BadValue', "Can't have regex as arg to $ne.");
  return not(equality(value, collation));
};

const parseIn = (argument: Value, { collation }: OperatorParser, name: string): Expectation => {
  if (!isArray(argument)) throw fail('BadValue', `${name} needs an array`);
  for (const item of argument) {
    if (isOperators(item)) throw fail('BadValue', `cannot nest $ under ${name === '$nin' ? '$nin' : '$in'}`);
    if (item instanceof UndefinedValue) throw fail('BadValue', 'InMatchExpression equality cannot be undefined');
  }
  const exact = argument.every(item => isExactKey(item) && !(item instanceof RegexValue));
  return expect(inTest(argument, collation), { op: 'in', value: argument, exact });
};

const parseExists = (argument: Value): Expectation => {
  const exists = expect(value => value !== undefined, { op: 'exists', value: true, exact: false });
  return isTruthy(argument)
    ? exists
    : { kind: 'not', of: exists, implies: [{ op: 'exists', value: false, exact: false }] };
};

const parseNot = (argument: Value, parser: OperatorParser): Expectation => {
  if (argument instanceof RegexValue) return not(regex(argument));
  if (!isDoc(argument)) throw fail('BadValue', '$not needs a regex or a document');
  if (argument.size === 0) throw fail('BadValue', '$not cannot be empty');
  return not(parseOperators(argument, parser));
};

const parseSize = (argument: Value): Expectation => {
  const integer = readNonNegativeInt('$size', argument);
  if ('refusal' in integer) throw fail('BadValue', `Failed to parse $size. ${integer.refusal}`);
  const size = Number(integer.value);
  return { kind: 'value', test: value => isArray(value) && value.length === size, atEnd: 'whole', implies: [] };
};

const someElement = (test: Test, implies: Expectation & { kind: 'value' }): Expectation => ({
  ...implies,
  test: value => {
    if (!isArray(value)) return false;
    spend(value.length);
    return value.some(test);
  },
  atEnd: 'whole',
  positionIn: value => (isArray(value) ? value.findIndex(test) : undefined),
});

/** The operators that are used like fields. They apply to a whole document. */
const wholeDocument: ReadonlySet<string> = new Set(
  '$and $or $nor $expr $where $text $jsonSchema $comment $sampleRate $alwaysTrue $alwaysFalse'.split(' '),
);

/**
 * Returns whether the argument of `$elemMatch` holds operators for the elements themselves. Otherwise, it is a filter
 * for elements that are documents, such as DBRefs.
 */
const hasValueOperators = (argument: Doc): boolean => {
  const [first] = argument.keys();
  if (first?.startsWith('$') !== true || wholeDocument.has(first)) return false;
  return !argument.keys().some(name => dbRefNames.has(name));
};

/** An array is read as a document whose field names are its indexes. */
const asDoc = (value: Value | undefined): Doc | undefined => {
  if (isDoc(value)) return value;
  return isArray(value) ? Doc.of(value.map((item, i) => [String(i), item] as const)) : undefined;
};

/**
 * Returns whether a predicate of `$elemMatch` also holds for the path through the array. Elements that are arrays are
 * matched by `$elemMatch` as documents, but paths do not run through them. Predicates on an index or on a missing field
 * can be satisfied by such elements only, so they are dropped.
 */
const holdsInDocuments = ({ path, op, value }: Predicate): boolean =>
  op !== 'exists' &&
  value !== null &&
  !(op === 'in' && (value as readonly Value[]).includes(null)) &&
  !/^\d/.test(path);

const parseElemMatch = (argument: Value, parser: OperatorParser): Expectation => {
  if (!isDoc(argument)) throw fail('BadValue', '$elemMatch needs an Object');
  const nothing = { kind: 'value', test: () => false, atEnd: 'whole', implies: [] } as const;
  if (hasValueOperators(argument)) {
    const expectation = parseOperators(argument, parser);
    const implies = elementImplications(expectation).filter(({ op }) => op !== 'exists');
    return someElement(ofOne(expectation), { ...nothing, implies });
  }
  const condition = parser.subdocument(argument);
  const implies = condition.predicates
    .filter(holdsInDocuments)
    .map(({ path, op, value }) => ({ below: path, op, value, exact: false }));
  const test = (value: Value | undefined): boolean => {
    const doc = asDoc(value);
    return doc !== undefined && condition.matches(doc);
  };
  return someElement(test, { ...nothing, implies });
};

const isElemMatch = (value: Value | undefined): value is Doc =>
  isDoc(value) && value.entries()[0]?.[0] === '$elemMatch';

const parseAll = (argument: Value, parser: OperatorParser): Expectation => {
  if (!isArray(argument)) throw fail('BadValue', '$all needs an array');
  if (argument.length === 0) return { kind: 'value', test: () => false, atEnd: 'whole', implies: [] };
  const elements = isElemMatch(argument[0]);
  const of = argument.map(item => {
    if (elements) {
      if (!isElemMatch(item)) throw fail('BadValue', '$all/$elemMatch has to be consistent');
      return parseElemMatch(item.entries()[0]![1], parser);
    }
    if (item instanceof RegexValue) return regex(item);
    if (startsWithOperator(item)) throw fail('BadValue', 'no $ expressions in $all');
    return equality(item, parser.collation);
  });
  return { kind: 'all', of };
};

const onValues =
  (test: (argument: Value, parser: OperatorParser, name: string) => Test) =>
  (argument: Value, parser: OperatorParser, name: string): Expectation =>
    expect(test(argument, parser, name));

const bits = onValues((argument, { path }, name) => bitsTest(name as BitsOperator, path, argument));

const placed = ({ test, extent }: PlaceTest): Expectation => ({
  ...expect(test, { op: 'geo', value: null, exact: false, extent }),
  atEnd: 'whole',
});
const within = (argument: Value, _parser: OperatorParser, name: string): Expectation =>
  placed(withinTest(argument, name));
const intersects = (argument: Value, _parser: OperatorParser, name: string): Expectation =>
  placed(intersectsTest(argument, name));

/** The parser of the top level compiles `$near`; anywhere else it is invalid. */
const near = (): never => {
  throw fail('BadValue', 'geoNear must be top-level expr');
};

type Operator = (argument: Value, parser: OperatorParser, name: string) => Expectation;

const operators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['$eq', (value, { collation }) => equality(value, collation)],
  ['$ne', parseNotEqual],
  ['$gt', range('gt')],
  ['$gte', range('gte')],
  ['$lt', range('lt')],
  ['$lte', range('lte')],
  ['$in', parseIn],
  ['$nin', (argument, parser, name) => not(parseIn(argument, parser, name))],
  ['$not', parseNot],
  ['$exists', parseExists],
  ['$type', onValues((argument, { path }) => typeTest(readTypes(path, argument)))],
  ['$mod', onValues(modTest)],
  ['$size', parseSize],
  ['$all', parseAll],
  ['$elemMatch', parseElemMatch],
  ['$bitsAllSet', bits],
  ['$bitsAllClear', bits],
  ['$bitsAnySet', bits],
  ['$bitsAnyClear', bits],
  ['$near', near],
  ['$nearSphere', near],
  ['$geoNear', near],
  ['$geoWithin', within],
  ['$geoIntersects', intersects],
  ['$within', within],
]);

/** The names of the operators that apply to the values at a path. */
export const valueOperatorNames: readonly string[] = [...operators.keys(), '$regex', '$options'];

/** Returns whether the first field of a value is an operator that a path accepts. `$not` is none of them. */
export const startsWithOperator = (value: Value): value is Doc => {
  const first = isDoc(value) ? value.keys()[0] : undefined;
  return first !== undefined && first !== '$not' && valueOperatorNames.includes(first);
};

/** Reads `$regex` and `$options` together, in the order in which they appear. */
const parseRegex = (doc: Doc): Expectation => {
  let pattern: string | undefined;
  let options = '';
  for (const [name, value] of doc) {
    if (name === '$regex') {
      if (typeof value !== 'string' && !(value instanceof RegexValue)) {
        throw fail('BadValue', '$regex has to be a string');
      }
      pattern = typeof value === 'string' ? value : value.pattern;
      const own = typeof value === 'string' ? '' : value.options;
      if (own !== '' && options !== '') throw fail(51074, 'options set in both $regex and $options');
      if (own !== '') options = own;
    } else if (name === '$options') {
      if (typeof value !== 'string') throw fail('BadValue', '$options has to be a string');
      if (options !== '') throw fail(51075, 'options set in both $regex and $options');
      options = value;
    }
  }
  if (pattern === undefined) throw fail('BadValue', '$options needs a $regex');
  return regex(new RegexValue(pattern, options));
};

/**
 * Compiles a document of operators. A value must satisfy all of them; in an array, different elements may satisfy
 * different operators.
 */
export const parseOperators = (doc: Doc, parser: OperatorParser): Expectation => {
  const of: Expectation[] = [];
  let regexDone = false;
  for (const [name, argument] of doc) {
    if (name === '$regex' || name === '$options') {
      if (!regexDone) of.push(parseRegex(doc));
      regexDone = true;
      continue;
    }
    const operator = operators.get(name);
    if (operator === undefined) throw fail('BadValue', `unknown operator: ${name}`);
    if (doc.size > 1 && (operator === within || operator === intersects))
      throw fail('BadValue', `can't parse extra field beside ${name}: ${showDoc(doc)}`);
    of.push(operator(argument, parser, name));
  }
  return of.length === 1 ? of[0]! : { kind: 'all', of };
};
