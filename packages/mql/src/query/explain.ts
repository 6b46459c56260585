import { CommandError } from '../errors.js';
import type { Entry } from '../value/doc.js';
import { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc, RegexValue, typeName } from '../value/value.js';
import { explainJsonSchema } from './explain-schema.js';
import { isOver } from '../work/meter.js';
import type { Condition } from './condition.js';
import { isOperators } from './operators.js';
import type { QueryContext } from './parse.js';
import { parseQuery } from './parse.js';
import { createWalk } from './walk.js';

/**
 * The reason why an operator did not pass, and the reason when it passed, which is the failure within `$not` and
 * `$nor`.
 */
const reasons: Readonly<Record<string, readonly [failed: string, passed: string]>> = {
  $in: ['no matching value found in array', 'matching value found in array'],
  $exists: ['path does not exist', 'path does exist'],
  $type: ['type did not match', 'type did match'],
  $regex: ['regular expression did not match', 'regular expression did match'],
  $mod: ['$mod did not evaluate to expected remainder', '$mod did evaluate to expected remainder'],
  $size: ['array length was not equal to given size', 'array length was equal to given size'],
  $elemMatch: ['array did not satisfy the child predicate', 'array did satisfy the child predicate'],
  $bitsAllSet: ['bitwise operator failed to match', 'bitwise operator matched successfully'],
  $bitsAnySet: ['bitwise operator failed to match', 'bitwise operator matched successfully'],
  $bitsAllClear: ['bitwise operator failed to match', 'bitwise operator matched successfully'],
  $bitsAnyClear: ['bitwise operator failed to match', 'bitwise operator matched successfully'],
};
const comparison = ['comparison failed', 'comparison succeeded'] as const;

/** A clause of a filter: `{ a: { $gt: 1 } }` or `{ $or: […] }`. */
interface Clause {
  readonly name: string;
  readonly argument: Value;
  readonly path: string | undefined;
  readonly filter: Doc;
}

const clausesAt = (path: string, value: Value): readonly Clause[] => {
  if (!isOperators(value)) {
    const name = value instanceof RegexValue ? '$regex' : '$eq';
    return [{ name, argument: value, path, filter: Doc.of([[path, value]]) }];
  }
  const options = value.get('$options');
  return value
    .entries()
    .filter(([name]) => name !== '$options')
    .map(([name, argument]) => {
      const own: Entry[] = [[name, argument]];
      if (name === '$regex' && options !== undefined) own.push(['$options', options]);
      return { name, argument, path, filter: Doc.of([[path, Doc.of(own)]]) };
    });
};

const clausesOf = (filter: Doc): readonly Clause[] =>
  filter
    .entries()
    .filter(([name]) => name !== '$comment')
    .flatMap(([name, value]) =>
      name.startsWith('$')
        ? [{ name, argument: value, path: undefined, filter: Doc.of([[name, value]]) }]
        : clausesAt(name, value),
    );

const valuesAt = (path: string, doc: Doc): readonly Value[] => {
  const values: Value[] = [];
  const collect = (value: Value | undefined): boolean => {
    if (value !== undefined) values.push(value);
    return false;
  };
  createWalk(path, collect, 'whole').any(doc);
  return values;
};

const consideredIn = (name: string, values: readonly Value[]): readonly Entry[] => {
  const [first] = values;
  if (first === undefined || name === '$exists') return [];
  const one = values.length === 1;
  const entries: Entry[] = [one ? ['consideredValue', first] : ['consideredValues', values]];
  if (name !== '$type') return entries;
  const types = [...new Set(values.map(typeName))];
  return [...entries, one ? ['consideredType', types[0]!] : ['consideredTypes', types]];
};

const isFailure = (error: unknown): error is CommandError => error instanceof CommandError && !isOver(error);

/** Returns whether a document matches, or undefined if an expression fails. */
const unlessFailed = (condition: Condition, doc: Doc): boolean | undefined => {
  try {
    return condition.matches(doc);
  } catch (error) {
    if (isFailure(error)) return undefined;
    throw error;
  }
};

/** Creates a function that explains why a document does not match a filter. */
const createExplanation = (doc: Doc, context: QueryContext) => {
  const matches = (filter: Doc): boolean | undefined => unlessFailed(parseQuery(filter, context), doc);

  const leaf = ({ name, path, filter }: Clause, passed: boolean): Doc => {
    const values = valuesAt(path!, doc);
    const [whyNot, why] = reasons[name] ?? comparison;
    const reason = passed ? why : values.length === 0 && name !== '$exists' ? 'field was missing' : whyNot;
    return Doc.of([['operatorName', name], ['specifiedAs', filter], ['reason', reason], ...consideredIn(name, values)]);
  };

  /** Explains an expression by its value or its error. */
  const computed = (argument: Value, passed: boolean): readonly Entry[] => {
    try {
      const value = context.expression!(argument)(doc);
      const result: readonly Entry[] = value === undefined ? [] : [['expressionResult', value]];
      return [['reason', passed ? 'expression did match' : 'expression did not match'], ...result];
    } catch (error) {
      if (!isFailure(error)) throw error;
      const { code, codeName, message } = error;
      return [
        ['reason', 'failed to evaluate aggregation expression'],
        [
          'details',
          Doc.of([
            ['code', code],
            ['codeName', codeName],
            ['errmsg', message],
          ]),
        ],
      ];
    }
  };

  /** Explains the clauses of a list that caused the result, with their indexes. */
  const listed = (name: string, key: string, filters: readonly Doc[], passed: boolean): Doc => {
    const blamed = filters.flatMap((filter, index) =>
      (matches(filter) ?? passed) === passed
        ? [
            Doc.of([
              ['index', index],
              ['details', all(filter, passed)],
            ]),
          ]
        : [],
    );
    return Doc.of([
      ['operatorName', name],
      [key, blamed],
    ]);
  };

  const atPath = (clause: Clause, passed: boolean): Doc => {
    if (clause.name !== '$not') return leaf(clause, passed);
    return Doc.of([
      ['operatorName', '$not'],
      ['details', all(Doc.of([[clause.path!, clause.argument]]), !passed)],
    ]);
  };

  const clauseOf = (clause: Clause, passed: boolean): Doc => {
    const { name, argument, path, filter } = clause;
    if (path !== undefined) return atPath(clause, passed);
    const filters = isArray(argument) ? argument.filter(isDoc) : [];
    const key = passed ? 'clausesSatisfied' : 'clausesNotSatisfied';
    if (name === '$and' || name === '$or') return listed(name, key, filters, passed);
    if (name === '$nor') return listed(name, passed ? 'clausesNotSatisfied' : 'clausesSatisfied', filters, !passed);
    if (name === '$jsonSchema' && !passed) return explainJsonSchema(argument as Doc, doc);
    return Doc.of([
      ['operatorName', name],
      ['specifiedAs', filter],
      ...(name === '$expr' ? computed(argument, passed) : []),
    ]);
  };

  const all = (filter: Doc, passed: boolean): Doc => {
    const clauses = clausesOf(filter);
    if (clauses.length === 1) return clauseOf(clauses[0]!, passed);
    return listed(
      '$and',
      passed ? 'clausesSatisfied' : 'clausesNotSatisfied',
      clauses.map(clause => clause.filter),
      passed,
    );
  };
  return all;
};

/**
 * Explains why a document does not match a filter, as `errInfo.details` of a failed validation:
 * `{ operatorName, specifiedAs, reason, consideredValue }`, with `clausesNotSatisfied` for `$and` and `$or`, and
 * `schemaRulesNotSatisfied` for `$jsonSchema`. The document must not match the filter.
 * @throws CommandError if the filter is malformed
 */
export const explainMismatch = (filter: Doc, doc: Doc, context: QueryContext = {}): Doc =>
  createExplanation(doc, context)(filter, false);

/** The filter with which a collection checks its documents. */
export interface Validation {
  /** Returns whether a document is valid. Documents for which an expression fails are invalid. */
  readonly matches: (doc: Doc) => boolean;
  /** Returns {@link explainMismatch} for an invalid document. */
  readonly explain: (doc: Doc) => Doc;
}

/** Compiles the validator of a collection. @throws CommandError if the filter is malformed */
export const parseValidator = (filter: Doc, context: QueryContext): Validation => {
  const condition = parseQuery(filter, context);
  return {
    matches: doc => unlessFailed(condition, doc) ?? false,
    explain: doc => explainMismatch(filter, doc, context),
  };
};
