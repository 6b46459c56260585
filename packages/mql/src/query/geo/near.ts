import { fail } from '../../errors.js';
import type { Doc, Entry } from '../../value/doc.js';
import { toDouble } from '../../value/numbers.js';
import { eachWholeValueAlong, splitPath } from '../../value/path.js';
import { show, showDoc } from '../../value/show.js';
import type { NumberValue, Value } from '../../value/value.js';
import { isArray, isDoc, isNumber } from '../../value/value.js';
import type { Condition } from '../condition.js';
import { opaque } from '../condition.js';
import { noteMetadata } from '../metadata.js';
import type { NearTarget, Unit } from './distance.js';
import { distanceFrom } from './distance.js';
import type { Box } from './extent.js';
import { globeBoxes, planeBox } from './extent.js';
import { isInCircle } from './plane.js';
import type { Shape } from './shape.js';
import { isPoint, onEarth, queryShape, shapesIn, storedShape, verticesOf } from './shape.js';

/** The kinds of the geospatial indexes of a collection by path. */
export interface GeoIndexes extends ReadonlyMap<string, '2d' | '2dsphere' | 'both'> {
  /** Whether a path leads to measurements, whose distances need no index. Only time series have it. */
  readonly isMeasured?: (path: string) => boolean;
}

/** The indexes of a collection that does not exist: `$near` finds nothing in it. */
export const missingCollection: GeoIndexes = new Map();

/** The measure of distances, and their limits. */
export interface Nearness extends NearTarget {
  readonly measure: (shape: Shape) => number | undefined;
  readonly least: number;
}

const bad = (message: string): Error => fail('BadValue', message);

/**
 * Returns the measure of distances. GeoJSON is measured in meters, coordinate pairs in radians or in the units of a
 * plane.
 */
export const measureFor = (place: Shape, spherical: boolean): Pick<Nearness, 'measure' | 'from' | 'unit'> => {
  const unit: Unit = place.type !== undefined ? 'meters' : spherical ? 'radians' : 'plane';
  const from = place.points[0]!;
  return { measure: distanceFrom(from, unit), from, unit };
};

/** The place of a query, and the distance that may follow a pair of coordinates. */
export interface NearPlace {
  readonly place: Shape;
  readonly most: number | undefined;
}

/** Reads a point: GeoJSON, a pair of coordinates, or a pair and a distance. Returns why the value is none of them. */
export const nearPlace = (value: Value | undefined): NearPlace | string => {
  const place = queryShape(value);
  if (typeof place !== 'string') return isPoint(place) ? { place, most: undefined } : 'the geometry must be a Point';
  const items = isArray(value) ? value : isDoc(value) ? value.entries().map(([, item]) => item) : [];
  const most = items[2];
  const pair = items.length === 3 && isNumber(most) ? queryShape(items.slice(0, 2)) : place;
  return typeof pair === 'string' ? pair : { place: pair, most: toDouble(most as NumberValue) };
};

/** Returns whether a place can be the center of distances on the globe. */
export const isCenter = ({ type, points }: Shape, spherical: boolean): boolean =>
  type !== undefined || !spherical || onEarth(points[0]!);

/**
 * Checks that a collection has an index for distances from a place.
 * @throws CommandError 291
 */
export const requireNearIndex = (indexes: GeoIndexes, path: string, place: Shape, spherical: boolean): void => {
  if (indexes.isMeasured?.(path) === true) return;
  const index = indexes.get(path);
  const needed = place.type !== undefined ? '2dsphere' : spherical ? index : '2d';
  if (index === undefined || (index !== needed && index !== 'both'))
    throw fail(
      'NoQueryExecutionPlans',
      'error processing query: planner returned error :: caused by :: unable to find index for $geoNear query',
    );
};

const names: ReadonlySet<string> = new Set(['$near', '$nearSphere', '$geoNear']);

export const isNear = (operators: Doc): boolean => operators.keys().some(name => names.has(name));

/** A condition on distances: of a point that is GeoJSON in meters, of another one in radians or the units of a plane. */
interface NearQuery {
  readonly place: Shape;
  readonly spherical: boolean;
  readonly least: number;
  readonly most: number;
}

/** The codes for distances beside the point that are no numbers, and for negative ones. */
const distanceCodes: ReadonlyMap<string, readonly [type: number, sign: number]> = new Map([
  ['$minDistance', [16893, 16894]],
  ['$maxDistance', [16895, 16896]],
]);

/** Reads a point with the distances beside it, as in `{ $near: [0, 0], $maxDistance: 1 }`. Returns undefined if there is none. */
const besidePoint = (operators: Doc): NearQuery | undefined => {
  let found: Pick<NearQuery, 'place' | 'spherical'> | undefined;
  const limits = new Map<string, number>();
  for (const [name, value] of operators.entries()) {
    const codes = distanceCodes.get(name);
    if (codes !== undefined) {
      if (!isNumber(value)) throw fail(codes[0], `${name} must be a number`);
      if (!(toDouble(value) >= 0)) throw fail(codes[1], `${name} must be non-negative`);
      limits.set(name, toDouble(value));
    } else if (names.has(name)) {
      if (!isArray(value) && !isDoc(value)) return undefined;
      const near = nearPlace(value);
      if (typeof near !== 'string') {
        if (near.most !== undefined) limits.set('$maxDistance', near.most);
        if (!((near.most ?? 0) >= 0)) throw fail(18522, 'max distance must be non-negative');
        found = { place: near.place, spherical: name === '$nearSphere' };
      } else if (isArray(value) || !value.has('$geometry')) {
        throw bad(`invalid point provided to geo near query: ${show(value)}`);
      }
    } else if (name !== '$uniqueDocs') throw fail(34413, `invalid argument in geo near query: ${name}`);
  }
  const [least = 0, most = Number.POSITIVE_INFINITY] = [limits.get('$minDistance'), limits.get('$maxDistance')];
  return found && { ...found, least, most };
};

/** Reads an argument such as `{ $geometry: { type: 'Point', … }, $maxDistance: 1 }`. */
const withGeometry = (operators: Doc): NearQuery => {
  const [[name, argument], other] = operators.entries() as [Entry, Entry?];
  if (other !== undefined)
    throw bad(`geo near accepts just one argument when querying for a GeoJSON point. Extra field found: ${other[0]}`);
  if (!isDoc(argument)) throw bad('geo near query argument is not an object');
  let place: Shape | undefined;
  const limits = new Map<string, number>();
  for (const [key, value] of argument.entries()) {
    if (key === '$geometry') {
      if (!isArray(value) && !isDoc(value)) continue;
      const shape = queryShape(value);
      if (typeof shape === 'string' || !isPoint(shape))
        throw bad(`invalid point in geo near query $geometry argument: ${show(value)}`);
      if (shape.type === undefined) throw bad(`${name} requires geojson point, given ${show(value)}`);
      place = shape;
    } else if (distanceCodes.has(key)) {
      if (!isNumber(value)) throw bad(`${key} must be a number`);
      const distance = toDouble(value);
      if (!(distance >= 0 && distance < Number.POSITIVE_INFINITY)) throw bad(`${key} must be non-negative`);
      limits.set(key, distance);
    } else throw bad(`invalid argument in geo near query: ${key}`);
  }
  if (place === undefined) throw bad('$geometry is required for geo near query');
  const [least = 0, most = Number.POSITIVE_INFINITY] = [limits.get('$minDistance'), limits.get('$maxDistance')];
  return { place, spherical: true, least, most };
};

/** A stored shape and its distance. */
export interface Place {
  readonly value: Value;
  readonly distance: number;
}

/**
 * Returns the nearest shape at a path, which may lead through arrays. Returns undefined if there is none or its distance
 * exceeds the limits.
 */
export const nearestIn = (
  doc: Doc,
  parts: readonly string[],
  { measure, from, unit, least, most }: Nearness,
): Place | undefined => {
  let nearest: Place | undefined;
  let isClose = false;
  const consider = (value: Value): void => {
    const shape = storedShape(value);
    if (typeof shape !== 'string') {
      const distance = measure(shape);
      if (distance === undefined || distance >= (nearest?.distance ?? Number.POSITIVE_INFINITY)) return;
      nearest = { value, distance };
      isClose = distance <= most || (unit === 'plane' && isInCircle(from, most, shape.points[0]!));
    } else if (isArray(value)) value.forEach(consider);
  };
  eachWholeValueAlong(doc, parts, consider);
  return isClose && nearest!.distance >= least ? nearest : undefined;
};

/**
 * Compiles `$near` and `$nearSphere`. The distance of a matching document is stored in its metadata; a query without
 * another sort order sorts by it.
 * @throws CommandError 2, 16893–16896, 18522, 34413, 291 without an index, 5626500 where no sort order is possible
 */
export const parseNear = (path: string, operators: Doc, indexes: GeoIndexes | undefined): Condition => {
  const [name, argument] = operators.entries()[0]!;
  if (!names.has(name) || (!isArray(argument) && !isDoc(argument)))
    throw bad(`near must be first in: ${showDoc(operators)}`);
  if (indexes === undefined)
    throw fail(
      5626500,
      '$geoNear, $near, and $nearSphere are not allowed in this context, as these operators require sorting geospatial data. If you do not need sort, consider using $geoWithin instead.',
    );
  const { place, spherical, least, most } = besidePoint(operators) ?? withGeometry(operators);
  if (!isCenter(place, spherical)) throw bad('Legacy point is out of bounds for spherical query');
  if (indexes === missingCollection) return opaque(() => false);
  requireNearIndex(indexes, path, place, spherical);
  return nearCondition(path, { ...measureFor(place, spherical), least, most });
};

/** Returns the condition that a shape at a path is within distances. It notes the distance of a matching document. */
export const nearCondition = (path: string, near: Nearness): Condition => {
  const parts = splitPath(path);
  const condition = opaque(doc => {
    const nearest = nearestIn(doc, parts, near);
    if (nearest === undefined) return false;
    noteMetadata(doc, { geoNearDistance: nearest.distance, geoNearPoint: nearest.value });
    return true;
  });
  return { ...condition, predicates: [{ path, op: 'near', value: null, exact: false, near }] };
};

/** Returns the rectangles of the shapes at a path, as an index contains them. */
export const boxesAt = (doc: Doc, parts: readonly string[], kind: '2d' | '2dsphere'): readonly Box[] => {
  const boxes: Box[] = [];
  eachWholeValueAlong(doc, parts, value => {
    for (const shape of shapesIn(value))
      boxes.push(...(kind === '2d' ? verticesOf(shape).map(vertex => planeBox([vertex])) : globeBoxes(shape)));
  });
  return boxes;
};

/** Returns whether the results of a filter are sorted by distance. */
export const usesNear = (filter: Doc): boolean =>
  filter.entries().some(([name, value]) => {
    if (name === '$and' || (name === '$or' && isArray(value) && value.length === 1))
      return isArray(value) && value.some(item => isDoc(item) && usesNear(item));
    return !name.startsWith('$') && isDoc(value) && isNear(value);
  });
