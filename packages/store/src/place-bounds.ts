/** The parts of indexes of places in which queries search. */
import type { Extent, NearTarget } from '@tessera/mql/engine';
import { distanceOf, extentAround, fail, farthest } from '@tessera/mql/engine';
import type { Range } from './bounds.js';
import { boundsIn } from './bounds.js';
import { cellsAround, cellsOf, rangesOfCells } from './cells.js';
import type { Index } from './collection.js';
import type { PlaceShape } from './place-keys.js';
import type { Predicate } from './predicate.js';

/** The most cells of a search. */
const most = 64;

const rangesIn = (prefixes: readonly string[], { square }: PlaceShape, extent: Extent): readonly Range[] => {
  const ranges = rangesOfCells(cellsOf(extent.boxes, square, most));
  return prefixes.flatMap(prefix => ranges.map(({ from, to }) => ({ from: prefix + from, to: prefix + to })));
};

/** Returns the keys of the fields before the place, or undefined if the predicates do not pin all of them. */
const prefixesIn = (
  index: Index,
  place: PlaceShape,
  predicates: readonly Predicate[],
): readonly string[] | undefined => {
  if (place.at === 0) return [''];
  const { definition } = index;
  const fields = definition.fields.slice(0, place.at);
  const bounds = boundsIn({ ...index, definition: { ...definition, fields } }, predicates);
  if (bounds === undefined || bounds.ranged || bounds.points < place.at) return undefined;
  return bounds.ranges.map(({ from }) => from);
};

/** A search for the documents nearest to a point. */
export interface NearSearch {
  readonly target: NearTarget;
  /** A distance within which there are a few documents. */
  readonly start: number;
  /** The distance within which all documents are that can match. */
  readonly end: number;
  /** Returns the ranges with the documents within a distance. */
  readonly rangesWithin: (distance: number) => readonly Range[];
}

export interface PlaceBounds {
  readonly ranges: readonly Range[];
  readonly near: NearSearch | undefined;
}

const few = 4;

/** Returns a distance within which there are a few documents: the size of the smallest cell with that many. */
const startOf = ({ entries }: Index, { square }: PlaceShape, prefix: string, { from, unit }: NearTarget): number => {
  let size = square.high - square.low;
  for (const cell of cellsAround(from, square)) {
    const walk = entries.walk(prefix + cell, `${prefix}${cell}~`);
    let found = 0;
    while (found < few && walk.next()) found += 1;
    if (found < few) break;
    size /= 4;
  }
  return distanceOf(size, unit);
};

/**
 * Returns where to find the documents that can match the predicates, or undefined if the index is not useful.
 * @throws CommandError 16433 for distances from a point that the index cannot contain
 */
export const placeBoundsIn = (
  index: Index,
  place: PlaceShape,
  predicates: readonly Predicate[],
): PlaceBounds | undefined => {
  const here = predicates.filter(({ path }) => path === place.field.path);
  const prefixes = here.length === 0 ? undefined : prefixesIn(index, place, predicates);
  if (prefixes === undefined) return undefined;
  const target = here.find(({ near }) => near !== undefined)?.near;
  if (target !== undefined) {
    const { low, high } = place.square;
    if (target.unit === 'plane' && target.from.some(n => !(n >= low && n <= high)))
      throw fail(16433, `point not in interval of [ ${low}, ${high} ]`);
    const end = Math.min(target.most, farthest(target, low, high));
    const rangesWithin = (distance: number): readonly Range[] =>
      rangesIn(prefixes, place, extentAround(target, distance));
    const near = { target, start: startOf(index, place, prefixes[0] ?? '', target), end, rangesWithin };
    return { ranges: rangesWithin(end), near };
  }
  const extents = here.flatMap(({ extent }) => (extent?.kinds.includes(place.kind) === true ? [extent] : []));
  const choices = extents.map(extent => rangesIn(prefixes, place, extent));
  const areaOf = ({ boxes }: Extent): number =>
    boxes.reduce((sum, { west, east, south, north }) => sum + (east - west) * (north - south), 0);
  const smallest = extents.reduce((best, extent, i) => (areaOf(extent) < areaOf(extents[best]!) ? i : best), 0);
  return extents.length === 0 ? undefined : { ranges: choices[smallest]!, near: undefined };
};
