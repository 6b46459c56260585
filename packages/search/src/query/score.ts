import type { Fields } from '../fields.js';
import type { Level } from '../index/level.js';
import type { Hits, Query } from './query.js';

/** Changes the scores of an operator. */
export type Scoring = (hits: Hits, level: Level) => Hits;

/** Computes a score; undefined: it cannot be computed. */
type Expression = (relevance: number, level: Level, unit: number) => number | undefined;

const valueAt = (level: Level, path: string, unit: number): number | undefined =>
  level.scalars(path).get('number')?.column.of(unit)[0]?.value.value as number | undefined;

const pathExpression = (fields: Fields): Expression => {
  if (typeof fields.get('path') === 'string') {
    const path = fields.string('path');
    return (_relevance, level, unit) => valueAt(level, path, unit) ?? 0;
  }
  const options = fields.child('path').allow('value', 'undefined');
  const path = options.string('value');
  const fallback = options.optionalNumber('undefined', 0);
  return (_relevance, level, unit) => valueAt(level, path, unit) ?? fallback;
};

const gauss = (fields: Fields): Expression => {
  fields.allow('path', 'origin', 'scale', 'offset', 'decay');
  const value = pathExpression(fields);
  const origin = fields.number('origin');
  const scale = fields.positive('scale');
  const offset = fields.optionalNumber('offset', 0);
  const decay = fields.optionalNumber('decay', 0.5);
  if (decay <= 0 || decay >= 1) throw fields.problem('decay', 'must be between 0 and 1');
  const variance = -(scale ** 2) / (2 * Math.log(decay));
  return (relevance, level, unit) => {
    const distance = Math.max(0, Math.abs(value(relevance, level, unit)! - origin) - offset);
    return Math.exp(-(distance ** 2) / (2 * variance));
  };
};

const arithmetic = (fields: Fields, name: string, combine: (a: number, b: number) => number): Expression => {
  const parts = fields.children(name).map(expressionOf);
  if (parts.length < 2) throw fields.problem(name, 'must have at least two expressions');
  return (relevance, level, unit) =>
    parts
      .map(part => part(relevance, level, unit))
      .reduce((a, b) => (a === undefined || b === undefined ? undefined : combine(a, b)));
};

const logarithm = (fields: Fields, name: string, added: number): Expression => {
  const argument = expressionOf(fields.child(name));
  return (relevance, level, unit) => {
    const value = argument(relevance, level, unit);
    return value === undefined || value + added <= 0 ? undefined : Math.log10(value + added);
  };
};

const expressions: ReadonlyMap<string, (fields: Fields) => Expression> = new Map<
  string,
  (fields: Fields) => Expression
>([
  ['add', fields => arithmetic(fields, 'add', (a, b) => a + b)],
  [
    'constant',
    fields => {
      const value = fields.number('constant');
      return () => value;
    },
  ],
  ['gauss', fields => gauss(fields.child('gauss'))],
  ['log', fields => logarithm(fields, 'log', 0)],
  ['log1p', fields => logarithm(fields, 'log1p', 1)],
  ['multiply', fields => arithmetic(fields, 'multiply', (a, b) => a * b)],
  ['path', pathExpression],
  [
    'score',
    fields => {
      fields.oneOf('score', ['relevance']);
      return relevance => relevance;
    },
  ],
]);

const only = (fields: Fields, names: readonly string[]): string => {
  fields.allow(...names);
  const given = names.filter(name => fields.has(name));
  if (given.length === 1) return given[0]!;
  const [problem] = given.length === 0 ? ['one of'] : ['only one of'];
  throw fields.problem(
    given[0] ?? names[0]!,
    `is one choice of several: ${problem} [${names.join(', ')}] must be present`,
  );
};

const expressionOf = (fields: Fields): Expression => {
  const name = only(fields, [...expressions.keys()]);
  return expressions.get(name)!(fields);
};

const each =
  (change: (score: number, level: Level, unit: number) => number): Scoring =>
  (hits, level) => {
    for (const [unit, score] of hits) hits.set(unit, change(score, level, unit));
    return hits;
  };

const boost = (fields: Fields): Scoring => {
  fields.allow('value', 'path', 'undefined');
  if (fields.has('value') === fields.has('path'))
    throw fields.problem('value', 'and "path" exclude each other: exactly one of [value, path] must be present');
  if (fields.has('value')) {
    const factor = fields.positive('value');
    return each(score => score * factor);
  }
  const path = fields.string('path');
  const fallback = fields.optionalNumber('undefined', 0);
  return each((score, level, unit) => score * (valueAt(level, path, unit) ?? fallback));
};

const constant = (fields: Fields): Scoring => {
  const value = fields.allow('value').number('value');
  if (value < 0) throw fields.problem('value', 'cannot be negative');
  return each(() => value);
};

const computed = (fields: Fields): Scoring => {
  const expression = expressionOf(fields);
  return each((score, level, unit) => Math.max(0, expression(score, level, unit) ?? 0));
};

const makers: Readonly<Record<string, (fields: Fields) => Scoring>> = { boost, constant, function: computed };

/** Parses the value of `score`. @throws SearchError */
export const readScoring = (score: Fields): Scoring => {
  const name = only(score, Object.keys(makers));
  return makers[name]!(score.child(name));
};

/** Returns the operator with the scores that its option `score` requests. @throws SearchError */
export const withScore = (query: Query, operator: Fields): Query => {
  const score = operator.optionalChild('score');
  if (score === undefined) return query;
  const scoring = readScoring(score);
  return { ...query, run: level => scoring(query.run(level), level) };
};
