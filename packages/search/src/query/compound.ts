import type { Fields } from '../fields.js';
import type { Level } from '../index/level.js';
import type { Hits, Query } from './query.js';
import { addScores, constantly } from './query.js';

/** Parses an operator in a document such as `{ text: { … } }`. */
export type ParseOperator = (fields: Fields) => Query;

const everyUnit = (level: Level): Hits => constantly(level.units, 0);

const keep = (hits: Hits, isKept: (unit: number) => boolean): void => {
  for (const unit of hits.keys()) if (!isKept(unit)) hits.delete(unit);
};

const names = ['must', 'mustNot', 'should', 'filter'] as const;

/** Parses `compound`. @throws SearchError */
export const parseCompound = (fields: Fields, parse: ParseOperator): Query => {
  fields.allow(...names, 'minimumShouldMatch', 'score', 'doesNotAffect');
  const clauses = (name: (typeof names)[number]): readonly Query[] => fields.children(name).map(parse);
  const must = clauses('must');
  const mustNot = clauses('mustNot');
  const should = clauses('should');
  const filter = clauses('filter');
  if (must.length + mustNot.length + should.length + filter.length === 0)
    throw fields.problem('must', `is missing: at least one of [${names.join(', ')}] must have a clause`);
  const most = should.length;
  if (fields.has('minimumShouldMatch') && most === 0)
    throw fields.problem('minimumShouldMatch', 'needs clauses in "should"');
  const given = fields.optionalInteger('minimumShouldMatch', { from: 0, to: most }, 0);
  const isOptional = must.length + filter.length > 0 || most === 0;
  const minimum = isOptional ? given : Math.max(1, given);
  const dismax = fields.optionalChild('score')?.optionalChild('dismax')?.allow('tieBreakerScore');
  const tieBreaker = dismax?.optionalNumber('tieBreakerScore', 0);
  if (dismax !== undefined && (most === 0 || must.length + mustNot.length + filter.length > 0))
    throw fields.problem('score', 'can be "dismax" only if all clauses are in "should"');

  const addShould = (hits: Hits, all: readonly Hits[]): void => {
    if (tieBreaker === undefined) {
      for (const each of all) addScores(hits, each);
      return;
    }
    for (const unit of new Set(all.flatMap(each => [...each.keys()]))) {
      const scores = all.map(each => each.get(unit) ?? 0);
      const best = Math.max(...scores);
      hits.set(unit, best + tieBreaker * (scores.reduce((sum, score) => sum + score, 0) - best));
    }
  };
  return {
    run: level => {
      const required = must.map(query => query.run(level));
      const filters = filter.map(query => query.run(level));
      const excluded = mustNot.map(query => query.run(level));
      const optional = should.map(query => query.run(level));
      const hits: Hits = isOptional ? everyUnit(level) : new Map();
      for (const each of required) addScores(hits, each);
      addShould(hits, optional);
      keep(
        hits,
        unit =>
          required.every(each => each.has(unit)) &&
          filters.every(each => each.has(unit)) &&
          !excluded.some(each => each.has(unit)) &&
          optional.filter(each => each.has(unit)).length >= minimum,
      );
      return hits;
    },
    marks: field => [...must, ...should, ...filter].flatMap(query => query.marks(field)),
  };
};
