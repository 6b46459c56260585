import { dbRefNames } from '../agg/field-path.js';
import { fail } from '../errors.js';
import type { Collation } from '../value/compare.js';
import type { Entry } from '../value/doc.js';
import { Doc } from '../value/doc.js';
import { toDouble } from '../value/numbers.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc, isNumber, RegexValue } from '../value/value.js';
import type { Condition } from './condition.js';
import { all, always, any, never, not, opaque } from './condition.js';
import { at } from './expectation.js';
import type { GeoIndexes } from './geo/near.js';
import { isNear, parseNear } from './geo/near.js';
import { parseJsonSchema } from './json-schema.js';
import { equality, isOperators, parseOperators, regex } from './operators.js';
import type { TextIndex } from './text-index.js';
import { requireTextPlaces, usesText } from './text-place.js';
import { parseText } from './text.js';
import { isTruthy } from './truth.js';

/** Dependencies of a filter. */
export interface QueryContext {
  /** Compiles an aggregation expression for `$expr`. If undefined, `$expr` and `$text` are rejected. */
  expression?: ((spec: Value) => (doc: Doc) => Value | undefined) | undefined;
  /** Compiles a script for `$where`. If undefined, `$where` is rejected. */
  where?: ((argument: Value) => (doc: Doc) => boolean) | undefined;
  /** The collection's text index, which `$text` needs. */
  text?: TextIndex | undefined;
  /** The collection's geospatial indexes, which `$near` needs. If undefined, `$near` is rejected. */
  geo?: GeoIndexes | undefined;
  /** The order of strings; by bytes if undefined. */
  collation?: Collation | undefined;
  /** Returns random numbers from 0 to 1, for sorts by `{ $meta: 'randVal' }`. */
  random?: (() => number) | undefined;
  /** The use of the filter. Parts of updates and projections reject `$jsonSchema`, and the query of an upsert rejects `$expr`. */
  role?: 'part of an update' | 'query of an upsert' | '$elemMatch of a projection' | undefined;
}

/**
 * A compiled filter.
 * - `matches` is pure and does not allocate on simple paths.
 * - `predicates` are the parts of the top-level conjunction (including `$and`) that an index can answer. Each holds for
 *   every matching document. If a path runs through an array, different elements may satisfy different predicates.
 * - `complete` means that a document which satisfies all predicates matches.
 * - `position` returns the index that the positional `$` stands for in a matching document, or undefined if no array
 *   was involved.
 */
export type Matcher = Condition;

/** The parser's position in a filter: some operators are only allowed at the root. */
interface Level {
  readonly context: QueryContext;
  readonly root: boolean;
  /** Whether the parser is inside `$or` or `$nor`, which cannot sort by distance. */
  readonly alternative?: boolean;
}

const rootOnly = (name: string, { root }: Level): void => {
  if (!root) throw fail('BadValue', `${name} can only be applied to the top-level document`);
};

/** Filters for array elements in updates must not contain expressions or operators that need a collection. */
const requireWholeQuery = (name: string, level: Level): void => {
  rootOnly(name, level);
  if (level.context.expression === undefined) throw fail('BadValue', `${name} is not allowed in this context`);
};

const parseList = (name: string, argument: Value, level: Level): readonly Condition[] => {
  if (!isArray(argument)) throw fail('BadValue', `${name} must be an array`);
  if (argument.length === 0) throw fail('BadValue', '$and/$or/$nor must be a nonempty array');
  return argument.map(item => {
    if (!isDoc(item)) throw fail('BadValue', '$or/$and/$nor entries need to be full objects');
    return parseDoc(item, level);
  });
};

const parseExpr = (argument: Value, level: Level): Condition => {
  const { expression, role } = level.context;
  rootOnly('$expr', level);
  if (expression === undefined) throw fail(224, '$expr is not allowed in this context');
  if (role === 'query of an upsert') throw fail(224, '$expr is not allowed in the query predicate for an upsert');
  const evaluate = expression(argument);
  return opaque(doc => isTruthy(evaluate(doc)));
};

const parseWhere = (argument: Value, level: Level, name: string): Condition => {
  const { where } = level.context;
  rootOnly(name, level);
  if (where === undefined) throw fail('BadValue', `${name} is not allowed in this context`);
  return opaque(where(argument));
};

/** Compiles `$sampleRate`, which matches documents at random. */
const parseSampleRate = (argument: Value, level: Level, name: string): Condition => {
  requireWholeQuery(name, level);
  if (!isNumber(argument)) throw fail('BadValue', 'argument to $sampleRate must be a numeric type');
  const rate = toDouble(argument);
  if (!(rate >= 0 && rate <= 1)) throw fail('BadValue', 'numeric argument to $sampleRate must be in [0, 1]');
  const evaluate = level.context.expression!(Doc.of([['$lt', [Doc.of([['$rand', Doc.EMPTY]]), argument]]]));
  return opaque(doc => isTruthy(evaluate(doc)));
};

const parseConstant = (name: string, argument: Value, condition: Condition): Condition => {
  if (argument !== 1) throw fail('FailedToParse', `${name} must be an integer value of 1`);
  return condition;
};

type TopLevelOperator = (argument: Value, level: Level, name: string) => Condition;

const alternatives = (level: Level): Level => ({ ...level, alternative: true });

/** Whether an `$or` has only one clause, so that the clause can replace it. */
const isSingle = (argument: Value): boolean => isArray(argument) && argument.length === 1;

const topLevel: ReadonlyMap<string, TopLevelOperator> = new Map<string, TopLevelOperator>([
  ['$and', (argument, level, name) => all(parseList(name, argument, level))],
  ['$or', (argument, level, name) => any(parseList(name, argument, isSingle(argument) ? level : alternatives(level)))],
  ['$nor', (argument, level, name) => not(any(parseList(name, argument, alternatives(level))))],
  ['$expr', parseExpr],
  ['$comment', () => always],
  [
    '$jsonSchema',
    (argument, { context }) => {
      if (context.role === 'part of an update' || context.role === '$elemMatch of a projection')
        throw fail(224, '$jsonSchema is not allowed in this context');
      return parseJsonSchema(argument);
    },
  ],
  ['$alwaysTrue', (argument, _level, name) => parseConstant(name, argument, always)],
  ['$alwaysFalse', (argument, _level, name) => parseConstant(name, argument, never)],
  ['$where', parseWhere],
  [
    '$text',
    (argument, level, name) => {
      requireWholeQuery(name, level);
      return parseText(argument, level.context.text);
    },
  ],
  ['$sampleRate', parseSampleRate],
]);

/** The names of the operators that are used like fields, such as `$and`. */
export const topLevelNames: readonly string[] = [...topLevel.keys()];

const unknownTopLevel = (name: string): Error =>
  fail(
    'BadValue',
    name === '$not'
      ? 'unknown top level operator: $not. If you are trying to negate an entire expression, use $nor.'
      : `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
  );

const parseField = (path: string, value: Value, { context, root, alternative }: Level): Condition => {
  if (isOperators(value)) {
    if (isNear(value) && alternative === true) throw fail('BadValue', 'geo $near must be top-level expr');
    if (isNear(value)) return parseNear(path, value, root ? context.geo : undefined);
    const parser = {
      path,
      collation: context.collation,
      subdocument: (doc: Doc): Condition => parseDoc(doc, { context, root: false }),
    };
    return at(path, parseOperators(value, parser));
  }
  if (value instanceof RegexValue) return at(path, regex(value));
  return at(path, equality(value, context.collation));
};

/**
 * Compiles a field of a DBRef. Its value is compared as it is, so it holds no operators. `$ref` and `$db` are compared by
 * bytes, which an index with a collation cannot answer.
 */
const parseDbRefField = (name: string, value: Value, { context: { collation } }: Level): Condition => {
  if (name === '$id' || collation === undefined) return at(name, equality(value, collation));
  return opaque(at(name, equality(value, undefined)).matches);
};

const parseEntry = ([name, value]: Entry, level: Level): Condition => {
  if (!name.startsWith('$')) return parseField(name, value, level);
  if (dbRefNames.has(name)) return parseDbRefField(name, value, level);
  const operator = topLevel.get(name);
  if (operator === undefined) throw unknownTopLevel(name);
  return operator(value, level, name);
};

const parseDoc = (filter: Doc, level: Level): Condition => {
  const entries = filter.entries();
  return entries.length === 1 ? parseEntry(entries[0]!, level) : all(entries.map(entry => parseEntry(entry, level)));
};

/** @throws CommandError 2 for several searches for the nearest places, or for one beside a search for texts */
const requireOneSearch = (filter: Doc, { predicates }: Condition): void => {
  const count = predicates.filter(({ near }) => near !== undefined).length;
  if (count > 1) throw fail('BadValue', 'Too many geoNear expressions');
  if (count === 1 && usesText(filter)) throw fail('BadValue', 'text and geoNear not allowed in same query');
};

/**
 * Compiles a filter with the semantics of MongoDB 8: null does not equal the deprecated undefined.
 * @throws CommandError with MongoDB's code and message if the filter is invalid
 */
export const parseQuery = (filter: Doc, context: QueryContext = {}): Matcher => {
  const matcher = parseDoc(filter, { context, root: true });
  if (context.text !== undefined) requireTextPlaces(filter, context.text);
  if (context.geo !== undefined && context.geo.size > 0) requireOneSearch(filter, matcher);
  return matcher;
};
