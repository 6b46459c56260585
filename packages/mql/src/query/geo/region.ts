import { fail } from '../../errors.js';
import { toDouble } from '../../value/numbers.js';
import { showDoc } from '../../value/show.js';
import type { NumberValue, Value } from '../../value/value.js';
import { isArray, isDoc, isNumber } from '../../value/value.js';
import type { Test } from '../condition.js';
import { arcBetween, planeBetween } from './distance.js';
import type { Extent } from './extent.js';
import { capExtent, circleExtent, globeExtent, planeExtent } from './extent.js';
import { isWithin } from './plane.js';
import type { Point, Shape } from './shape.js';
import { geoJsonShape, legacyPoint, onEarth, shapesIn, someVertex, verticesOf } from './shape.js';
import type { OnSphere } from './sphere.js';
import { angleTo, doMeet, isWithinSphere, onSphere, vectorOf } from './sphere.js';
import { geoJsonFlaw, sizeFlaw } from './stored.js';

const bad = (message: string): Error => fail('BadValue', message);

const pointsOf = (value: Value, name: string, least: number): readonly Point[] => {
  const points = (isArray(value) ? value : isDoc(value) ? value.entries().map(([, item]) => item) : []).map(
    item => legacyPoint(item)?.points[0],
  );
  if (points.length < least || !points.every(point => point !== undefined))
    throw bad(`${name} must be an array of at least ${least} points, each of two numbers`);
  return points;
};

const closed = (ring: readonly Point[]): readonly Point[] => [...ring, ring[0]!];

const box = (value: Value): readonly Point[] => {
  const [[x1, y1], [x2, y2]] = pointsOf(value, '$box', 2) as [Point, Point];
  return closed([
    [x1, y1],
    [x2, y1],
    [x2, y2],
    [x1, y2],
  ]);
};

/** A compiled region: whether a shape is within it, and where it lies. */
interface Region {
  readonly contains: (shape: Shape) => boolean;
  readonly extent: Extent;
}

const inCircle =
  (between: (a: Point, b: Point) => number, extentOf: (center: Point, radius: number) => Extent) =>
  (value: Value, name: string): Region => {
    const [center, radius] = isArray(value) ? value : [];
    const from = legacyPoint(center)?.points[0];
    if (from === undefined || !isNumber(radius) || !(toDouble(radius) >= 0))
      throw bad(`${name} must be an array of a point and a radius that is not negative`);
    const most = toDouble(radius);
    return {
      contains: shape => verticesOf(shape).every(vertex => between(from, vertex) <= most),
      extent: extentOf(from, most),
    };
  };

const cap = inCircle(arcBetween, capExtent);

/**
 * Returns a circle on the globe. Arcs between points in a circle larger than half of the globe can leave it, so they
 * must stay out of the circle around the opposite point.
 */
const inCap = (value: Value, name: string): Region => {
  const { contains, extent } = cap(value, name);
  const [center, radius] = (value as readonly Value[]).slice(0, 2);
  const most = toDouble(radius as NumberValue);
  if (most <= Math.PI / 2) return { contains, extent };
  const [x, y, z] = vectorOf(legacyPoint(center)!.points[0]!);
  const leaves = (shape: Shape): boolean => angleTo(onSphere(shape), [-x, -y, -z]) < Math.PI - most;
  const hasArcs = ({ lines, polygons }: Shape): boolean => lines.length > 0 || polygons.length > 0;
  return { contains: shape => contains(shape) && !(hasArcs(shape) && leaves(shape)), extent };
};

const inPolygon = (ring: readonly Point[]): Region => ({
  contains: shape => isWithin(shape, [[ring]]),
  extent: planeExtent(ring),
});

const requireSmall = (value: Value | undefined): void => {
  const flaw = sizeFlaw(value);
  if (flaw !== undefined) throw bad(flaw);
};

/** Returns a region with its points as vectors. */
const soundRegion = (value: Value, region: Shape): OnSphere => {
  let place: OnSphere | undefined;
  const flaw = geoJsonFlaw(value, region, () => (place = onSphere(region)).areas);
  if (flaw !== undefined) throw bad(flaw);
  return place ?? onSphere(region);
};

/** Whether a stored shape is one of the globe. A stored polygon whose winding decides its interior matches nothing. */
const isOnGlobe = (shape: Shape): boolean =>
  shape.isStrict !== true && someVertex(shape, point => !onEarth(point)) === undefined;

const inGeometry = (value: Value): Region => {
  requireSmall(value);
  const region = geoJsonShape(value);
  if (region === undefined) throw bad(`Unknown geo specification: ${isDoc(value) ? showDoc(value) : '$geometry'}`);
  const { areas } = soundRegion(value, region);
  if (region.polygons.length === 0)
    throw bad('$geoWithin not supported with provided geometry: it must be a Polygon or a MultiPolygon');
  return {
    contains: shape => isOnGlobe(shape) && isWithinSphere(onSphere(shape), areas),
    extent: globeExtent(region, areas),
  };
};

const regions: ReadonlyMap<string, (value: Value, name: string) => Region> = new Map<
  string,
  (value: Value, name: string) => Region
>([
  ['$geometry', inGeometry],
  ['$box', value => inPolygon(box(value))],
  ['$polygon', (value, name) => inPolygon(closed(pointsOf(value, name, 3)))],
  ['$center', inCircle(planeBetween, circleExtent)],
  ['$centerSphere', inCap],
]);

/** A test of stored values, and where the values that pass lie. */
export interface PlaceTest {
  readonly test: Test;
  readonly extent: Extent;
}

/**
 * Compiles the argument of `$geoWithin`.
 * @throws CommandError 2
 */
export const withinTest = (argument: Value): PlaceTest => {
  if (!isDoc(argument)) throw bad("geo query doesn't have any geometry");
  const [entry] = argument.entries().filter(([name]) => regions.has(name));
  if (entry === undefined) throw bad(`Unknown geo specification: ${showDoc(argument)}`);
  const { contains, extent } = regions.get(entry[0])!(entry[1], entry[0]);
  return { test: value => shapesIn(value).some(contains), extent };
};

/**
 * Compiles the argument of `$geoIntersects`.
 * @throws CommandError 2
 */
export const intersectsTest = (argument: Value): PlaceTest => {
  const given = isDoc(argument) ? argument.get('$geometry') : undefined;
  requireSmall(given);
  const region = geoJsonShape(given) ?? legacyPoint(given);
  if (region === undefined) throw bad('$geoIntersects needs a $geometry that is GeoJSON');
  const place = soundRegion(given!, region);
  return {
    test: value => shapesIn(value).some(shape => isOnGlobe(shape) && doMeet(onSphere(shape), place)),
    extent: globeExtent(region, place.areas),
  };
};
