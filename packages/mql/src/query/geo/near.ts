import { fail } from '../../errors.js';
import type { Doc } from '../../value/doc.js';
import { toDouble } from '../../value/numbers.js';
import { eachWholeValueAlong, splitPath } from '../../value/path.js';
import type { Value } from '../../value/value.js';
import { isArray, isDoc, isNumber } from '../../value/value.js';
import type { Condition } from '../condition.js';
import { opaque } from '../condition.js';
import { noteMetadata } from '../metadata.js';
import type { NearTarget, Unit } from './distance.js';
import { distanceFrom } from './distance.js';
import type { Box } from './extent.js';
import { globeBoxes, planeBox } from './extent.js';
import type { Shape } from './shape.js';
import { geoJsonShape, legacyPoint, shapesIn, verticesOf } from './shape.js';

/** The kinds of the geospatial indexes of a collection by path. */
export type GeoIndexes = ReadonlyMap<string, '2d' | '2dsphere' | 'both'>;

/** The indexes of a collection that does not exist: `$near` finds nothing in it. */
export const missingCollection: GeoIndexes = new Map();

/** The measure of distances, and their limits. */
export interface Nearness extends NearTarget {
  readonly measure: (shape: Shape) => number;
  readonly least: number;
}

const bad = (message: string): Error => fail('BadValue', message);

const limitOf = (value: Value | undefined, name: string, standard: number): number => {
  if (value === undefined) return standard;
  const n = isNumber(value) ? toDouble(value) : Number.NaN;
  if (n >= 0) return n;
  throw bad(`${name} must be non-negative`);
};

/**
 * Returns the measure of distances. GeoJSON is measured in meters, coordinate pairs in radians or in the units of a
 * plane.
 */
export const measureFor = (place: Shape, spherical: boolean): Pick<Nearness, 'measure' | 'from' | 'unit'> => {
  const unit: Unit = place.isGeoJson ? 'meters' : spherical ? 'radians' : 'plane';
  const from = place.points[0]!;
  return { measure: distanceFrom(from, unit), from, unit };
};

const placeOf = (argument: Value): Shape | undefined => {
  const geometry = isDoc(argument) ? argument.get('$geometry') : undefined;
  if (geometry === undefined) return legacyPoint(argument) ?? geoJsonShape(argument);
  return geoJsonShape(geometry) ?? legacyPoint(geometry);
};

const names: ReadonlySet<string> = new Set(['$near', '$nearSphere', '$geoNear']);

export const isNear = (operators: Doc): boolean => operators.keys().some(name => names.has(name));

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
  { measure, least, most }: Nearness,
): Place | undefined => {
  const places: Place[] = [];
  const consider = (value: Value): void => {
    const shape = geoJsonShape(value) ?? legacyPoint(value);
    if (shape !== undefined) places.push({ value, distance: measure(shape) });
    else if (isArray(value)) value.forEach(consider);
  };
  eachWholeValueAlong(doc, parts, consider);
  let nearest = places[0];
  for (const place of places) if (place.distance < nearest!.distance) nearest = place;
  return nearest !== undefined && nearest.distance >= least && nearest.distance <= most ? nearest : undefined;
};

/**
 * Compiles `$near` and `$nearSphere`. The distance of a matching document is stored in its metadata; a query without
 * another sort order sorts by it.
 * @throws CommandError 2, 291 without an index, 5626500 where no sort order is possible
 */
export const parseNear = (path: string, operators: Doc, indexes: GeoIndexes | undefined): Condition => {
  if (indexes === undefined)
    throw fail(
      5626500,
      '$geoNear, $near, and $nearSphere are not allowed in this context, as these operators require sorting geospatial data. If you do not need sort, consider using $geoWithin instead.',
    );
  const [name, argument] = operators.entries().find(([key]) => names.has(key))!;
  const place = placeOf(argument);
  if (place?.points.length !== 1) throw bad(`invalid argument in geo near query: ${name}`);
  if (indexes === missingCollection) return opaque(() => false);
  const index = indexes.get(path);
  const isPlane = !place.isGeoJson && name !== '$nearSphere' && !(isDoc(argument) && argument.has('$geometry'));
  if (index === undefined || (isPlane ? index === '2dsphere' : place.isGeoJson && index === '2d'))
    throw fail(
      'NoQueryExecutionPlans',
      'error processing query: planner returned error :: caused by :: unable to find index for $geoNear query',
    );
  const limits = isDoc(argument) && argument.has('$geometry') ? argument : operators;
  const other = limits === argument ? operators.keys().find(key => key !== name) : undefined;
  if (other !== undefined)
    throw bad(`geo near accepts just one argument when querying for a GeoJSON point. Extra field found: ${other}`);
  const near: Nearness = {
    ...measureFor(place, !isPlane),
    least: limitOf(limits.get('$minDistance'), '$minDistance', 0),
    most: limitOf(limits.get('$maxDistance'), '$maxDistance', Number.POSITIVE_INFINITY),
  };
  return nearCondition(path, near);
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
    if (name === '$and') return isArray(value) && value.some(item => isDoc(item) && usesNear(item));
    return !name.startsWith('$') && isDoc(value) && isNear(value);
  });
