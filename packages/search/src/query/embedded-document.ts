import type { Fields } from '../fields.js';
import type { Level } from '../index/level.js';
import type { ParseOperator } from './compound.js';
import type { Hits, Query } from './query.js';
import { noMarks } from './query.js';
import { readScoring } from './score.js';

const combine: Readonly<Record<string, (scores: readonly number[]) => number>> = {
  sum: scores => scores.reduce((sum, score) => sum + score, 0),
  maximum: scores => Math.max(...scores),
  minimum: scores => Math.min(...scores),
  mean: scores => scores.reduce((sum, score) => sum + score, 0) / scores.length,
};

/** Returns the level of embedded documents at a path, and the levels above it. */
const levelsTo = (level: Level, path: string): readonly Level[] => {
  const direct = level.below.get(path);
  if (direct !== undefined) return [direct];
  for (const [prefix, below] of level.below) {
    if (!path.startsWith(`${prefix}.`)) continue;
    const rest = levelsTo(below, path);
    if (rest.length > 0) return [below, ...rest];
  }
  return [];
};

/** Parses `embeddedDocument`. @throws SearchError */
export const parseEmbeddedDocument = (fields: Fields, parse: ParseOperator): Query => {
  fields.allow('path', 'operator', 'score');
  const path = fields.string('path');
  const query = parse(fields.child('operator'));
  const score = fields.optionalChild('score');
  const embedded = score?.optionalChild('embedded')?.allow('aggregate', 'outerScore');
  const aggregate = combine[embedded?.oneOf('aggregate', Object.keys(combine), 'sum') ?? 'sum']!;
  const outer = embedded === undefined ? score : embedded.optionalChild('outerScore');
  const scoring = outer && readScoring(outer);
  return {
    run: level => {
      const levels = levelsTo(level, path);
      const at = levels.at(-1);
      if (at === undefined) return new Map();
      const scores = new Map<number, number[]>();
      for (const [unit, found] of query.run(at)) {
        let root = unit;
        for (const each of levels.toReversed()) root = each.parentOf(root);
        scores.set(root, [...(scores.get(root) ?? []), found]);
      }
      const hits: Hits = new Map();
      for (const [unit, found] of scores) hits.set(unit, aggregate(found));
      return scoring === undefined ? hits : scoring(hits, level);
    },
    marks: noMarks,
  };
};
