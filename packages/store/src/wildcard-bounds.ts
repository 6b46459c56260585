/** The parts of wildcard indexes in which queries search. */
import type { Value } from '@tessera/mql/engine';
import { isArray, isDoc, isNullish, isPosition } from '@tessera/mql/engine';
import type { Bounds, Range } from './bounds.js';
import { boundsIn } from './bounds.js';
import type { Index } from './collection.js';
import type { IndexField } from './index-keys.js';
import type { Predicate } from './predicate.js';
import type { WildcardShape } from './wildcard-keys.js';
import { endOfPath } from './wildcard-keys.js';

/** Whether entries with the path of the predicate lead to every document that satisfies it. */
const isAnswered = ({ op, value }: Predicate): boolean => {
  if (op === 'exists') return value === true;
  const values = op === 'in' ? (value as readonly Value[]) : [value];
  // Null also matches documents without the field.
  return values.every(one => !isArray(one) && !isDoc(one) && !isNullish(one));
};

/** Returns the ranges of a path below the given prefixes, or undefined if the index does not answer the predicates. */
const rangesAt = (
  index: Index,
  wildcard: WildcardShape,
  path: string,
  predicates: readonly Predicate[],
): Bounds | undefined => {
  const parts = path.split('.');
  if (parts.some(isPosition) || !wildcard.contains(path)) return undefined;
  const usable = predicates.filter(one => one.path === path && isAnswered(one));
  const field: IndexField = { path, parts, direction: wildcard.direction };
  const bounds = boundsIn({ ...index, definition: { ...index.definition, fields: [field], unique: false } }, usable);
  const within = ({ from, to }: Range): Range => ({ from: path + endOfPath + from, to: path + endOfPath + to });
  if (bounds !== undefined) return { ...bounds, ranges: bounds.ranges.map(within) };
  if (!wildcard.isWhole || !usable.some(({ op }) => op === 'exists')) return undefined;
  return {
    ranges: [
      { from: path + endOfPath, to: `${path}\u0001` },
      { from: `${path}.`, to: `${path}/` },
    ],
    points: 0,
    ranged: true,
    single: 0,
  };
};

/**
 * Returns the ranges of an index with the documents that can match the predicates, or undefined if the index is not
 * useful. Fields behind the wildcard are not used.
 */
export const wildcardBoundsIn = (
  index: Index,
  wildcard: WildcardShape,
  predicates: readonly Predicate[],
): Bounds | undefined => {
  const { definition } = index;
  let before: Bounds | undefined;
  if (wildcard.at > 0) {
    const fields = definition.fields.slice(0, wildcard.at);
    before = boundsIn({ ...index, definition: { ...definition, fields } }, predicates);
    if (before === undefined || before.ranged || before.points < wildcard.at) return before;
  }
  let best: Bounds | undefined;
  for (const path of new Set(predicates.map(predicate => predicate.path))) {
    const bounds = rangesAt(index, wildcard, path, predicates);
    if (bounds !== undefined && (best === undefined || bounds.points > best.points)) best = bounds;
  }
  if (best === undefined || before === undefined) return best ?? before;
  const { ranges, points, ranged } = best;
  return {
    ranges: before.ranges.flatMap(({ from: prefix }) =>
      ranges.map(({ from, to }) => ({ from: prefix + from, to: prefix + to })),
    ),
    points: before.points + points,
    ranged,
    single: before.single,
  };
};
