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
import type { TextIndex } from './text.js';
import { parseText } from './text.js';
import { isTruthy } from './truth.js';

/** What a filter needs from outside. */
export interface QueryContext {
  /** Compiles an aggregation expression, for `$expr`. Without it `$expr` and `$text` are not allowed at all. */
  expression?: ((spec: Value) => (doc: Doc) => Value | undefined) | undefined;
  /** Compiles a script, for `$where`; without it that is not allowed. */
  where?: ((argument: Value) => (doc: Doc) => boolean) | undefined;
  /** What `$text` looks up by: the text index of the collection, if it has one. */
  text?: TextIndex | undefined;
  /** What `$near` looks up by: the geospatial indexes of the collection. Without it `$near` is not allowed. */
  geo?: GeoIndexes | undefined;
  /** How strings are compared and found equal; by their bytes if absent. */
  collation?: Collation | undefined;
}

/**
 * A filter compiled. `matches` is pure and makes nothing on simple paths. `predicates` are what the top level's conjunction
 * (`$and`s included) lets an index look for; each holds for every document that matches. Of several predicates about one path
 * that runs through an array each may be met by another element. `complete`: documents found by all predicates match.
 * `position` of a document that matches: what the positional `$` means in it, undefined where no array took part.
 */
export type Matcher = Condition;

/** Where in a filter the parser is: some operators stand at the root only. */
interface Level {
  readonly context: QueryContext;
  readonly root: boolean;
}

const rootOnly = (name: string, { root }: Level): void => {
  if (!root) throw fail('BadValue', `${name} can only be applied to the top-level document`);
};

/** Filters about elements of arrays, in updates, have no expressions and nothing else that needs a whole collection. */
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
  const { expression } = level.context;
  rootOnly('$expr', level);
  if (expression === undefined) throw fail(224, '$expr is not allowed in this context');
  const evaluate = expression(argument);
  return opaque(doc => isTruthy(evaluate(doc)));
};

const parseWhere = (argument: Value, level: Level, name: string): Condition => {
  const { where } = level.context;
  rootOnly(name, level);
  if (where === undefined) throw fail('BadValue', `${name} is not allowed in this context`);
  return opaque(where(argument));
};

/** So many of the documents, by chance. */
const parseSampleRate = (argument: Value, level: Level, name: string): Condition => {
  requireWholeQuery(name, level);
  if (!isNumber(argument)) throw fail('BadValue', 'argument to $sampleRate must be a numeric type');
  const rate = toDouble(argument);
  if (!(rate >= 0 && rate <= 1)) throw fail('BadValue', 'numeric argument to $sampleRate must be in [0, 1]');
  return parseExpr(Doc.of([['$lt', [Doc.of([['$rand', Doc.EMPTY]]), argument]]]), level);
};

const parseConstant = (name: string, argument: Value, condition: Condition): Condition => {
  if (argument !== 1) throw fail('FailedToParse', `${name} must be an integer value of 1`);
  return condition;
};

type TopLevelOperator = (argument: Value, level: Level, name: string) => Condition;

const topLevel: ReadonlyMap<string, TopLevelOperator> = new Map<string, TopLevelOperator>([
  ['$and', (argument, level, name) => all(parseList(name, argument, level))],
  ['$or', (argument, level, name) => any(parseList(name, argument, level))],
  ['$nor', (argument, level, name) => not(any(parseList(name, argument, level)))],
  ['$expr', parseExpr],
  ['$comment', () => always],
  ['$jsonSchema', argument => parseJsonSchema(argument)],
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

/** Of the operators that stand beside fields. */
export const topLevelNames: readonly string[] = [...topLevel.keys()];

const unknownTopLevel = (name: string): Error =>
  fail(
    'BadValue',
    name === '$not'
      ? 'unknown top level operator: $not. If you are trying to negate an entire expression, use $nor.'
      : `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
  );

const parseField = (path: string, value: Value, { context, root }: Level): Condition => {
  if (isOperators(value)) {
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

/** In documents within arrays these are the fields of a DBRef. */
const dbRefNames: ReadonlySet<string> = new Set(['$ref', '$id', '$db']);

const parseEntry = ([name, value]: Entry, level: Level): Condition => {
  if (!name.startsWith('$') || (!level.root && dbRefNames.has(name))) return parseField(name, value, level);
  const operator = topLevel.get(name);
  if (operator === undefined) throw unknownTopLevel(name);
  return operator(value, level, name);
};

const parseDoc = (filter: Doc, level: Level): Condition => {
  const entries = filter.entries();
  return entries.length === 1 ? parseEntry(entries[0]!, level) : all(entries.map(entry => parseEntry(entry, level)));
};

/**
 * Compiles a filter of the query language, in MongoDB 8's meaning: null no longer equals the deprecated undefined.
 * @throws CommandError with MongoDB's code and message for what is unknown or malformed
 */
export const parseQuery = (filter: Doc, context: QueryContext = {}): Matcher =>
  parseDoc(filter, { context, root: true });

/** Compiles a filter of documents within an array, as in `$elemMatch`: what needs a whole query has no place in it. @throws CommandError */
export const parseElementQuery = (filter: Doc, context: QueryContext = {}): Matcher =>
  parseDoc(filter, { context, root: false });
