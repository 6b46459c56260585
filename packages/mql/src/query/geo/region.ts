import { fail } from '../../errors.js';
import { toDouble } from '../../value/numbers.js';
import { show, showDoc } from '../../value/show.js';
import type { Value } from '../../value/value.js';
import { isArray, isDoc, isNumber } from '../../value/value.js';
import type { Test } from '../condition.js';
import { arcBetween } from './distance.js';
import type { Extent } from './extent.js';
import { capExtent, circleExtent, globeExtent, planeExtent } from './extent.js';
import { isInBox, isInCircle, isInPolygon } from './plane.js';
import type { Point, Shape } from './shape.js';
import { beyondEarth, flatPoint, isPoint, onEarth, queryShape, shapesIn, verticesOf } from './shape.js';
import type { OnSphere, Area } from './sphere.js';
import { angleTo, doMeet, isWithinSphere, onSphere, vectorOf } from './sphere.js';
import { sizeFlaw, soundOnSphere } from './stored.js';

const bad = (message: string): Error => fail('BadValue', message);

/** Returns a part of a query that could be read. @throws CommandError 2 with the reason if it could not */
const readable = <T>(read: T | string): T => {
  if (typeof read === 'string') throw bad(read);
  return read;
};

const itemsOf = (value: Value): readonly Value[] =>
  isArray(value) ? value : isDoc(value) ? value.entries().map(([, item]) => item) : [];

/** A compiled region. */
interface Region {
  /** Whether a shape is within it. If undefined, it is not an area. */
  readonly contains: ((shape: Shape) => boolean) | undefined;
  /** Whether a shape has a point in common with it. If undefined, it is not a region of the globe. */
  readonly meets: ((shape: Shape) => boolean) | undefined;
  readonly extent: Extent;
}

const onPlane = (contains: (point: Point) => boolean, extent: Extent): Region => ({
  contains: shape => isPoint(shape) && contains(shape.points[0]!),
  meets: undefined,
  extent,
});

const box = (value: Value): Region => {
  const [a, b] = itemsOf(value);
  const corners = [readable(flatPoint(a)), readable(flatPoint(b))] as const;
  return onPlane(point => isInBox(...corners, point), planeExtent(corners));
};

const polygon = (value: Value): Region => {
  const points = itemsOf(value).map(item => readable(flatPoint(item)));
  if (points.length < 3) throw bad('Polygon must have at least 3 points');
  const ring = [...points, points[0]!];
  return onPlane(point => isInPolygon(ring, point), planeExtent(ring));
};

const circleAt = (value: Value): readonly [center: Point, radius: number] => {
  const [center, radius, ...others] = itemsOf(value);
  const point = readable(flatPoint(center));
  if (!isNumber(radius) || !(toDouble(radius) >= 0)) throw bad('radius must be a non-negative number');
  if (others.length > 0) throw bad('Only 2 fields allowed for circular region');
  return [point, toDouble(radius)];
};

const circle = (value: Value): Region => {
  const [center, radius] = circleAt(value);
  return onPlane(point => isInCircle(center, radius, point), circleExtent(center, radius));
};

/** Whether a stored shape is one of the globe. A stored polygon whose winding decides its interior matches nothing. */
const isOnGlobe = (shape: Shape): boolean => !shape.isStrict && beyondEarth(shape) === undefined;

/** The angle by which points may be farther away than the radius of a circle. */
const tolerance = 1e-12;

/**
 * Returns a circle on the globe. Arcs between points in a circle larger than half of the globe can leave it, so they
 * must stay out of the circle around the opposite point.
 */
const cap = (value: Value): Region => {
  const [center, radius] = circleAt(value);
  if (!onEarth(center)) throw bad(`longitude/latitude is out of bounds, lng: ${center[0]} lat: ${center[1]}`);
  const has = (point: Point): boolean => arcBetween(center, point) <= radius + tolerance;
  const [x, y, z] = vectorOf(center);
  const leaves = (shape: Shape): boolean =>
    radius > Math.PI / 2 &&
    shape.lines.length + shape.polygons.length > 0 &&
    angleTo(onSphere(shape), [-x, -y, -z]) < Math.PI - radius;
  return {
    contains: shape => isOnGlobe(shape) && verticesOf(shape).every(has) && !leaves(shape),
    meets: shape => isOnGlobe(shape) && shape.points.some(has),
    extent: capExtent(center, radius),
  };
};

/** Returns a stored shape with its points as vectors, or undefined if it is not one of the globe. */
const placeOf = (shape: Shape): OnSphere | undefined => {
  const place = shape.isStrict ? undefined : soundOnSphere(shape);
  return typeof place === 'string' ? undefined : place;
};

const geometry = (value: Value): Region => {
  const excess = sizeFlaw(value);
  if (excess !== undefined) throw bad(excess);
  const shape = readable(queryShape(value));
  const place = readable(soundOnSphere(shape));
  const areas: readonly Area[] = place.areas;
  const onSphereAnd = (test: (own: OnSphere) => boolean) => (stored: Shape) => {
    const own = placeOf(stored);
    return own !== undefined && test(own);
  };
  return {
    contains: areas.length === 0 ? undefined : onSphereAnd(own => isWithinSphere(own, areas)),
    meets: onSphereAnd(own => doMeet(own, place)),
    extent: globeExtent(shape, areas),
  };
};

const regions: ReadonlyMap<string, (value: Value) => Region> = new Map<string, (value: Value) => Region>([
  ['$geometry', geometry],
  ['$box', box],
  ['$polygon', polygon],
  ['$center', circle],
  ['$centerSphere', cap],
]);

/** Compiles the region of an operator. If there are several, the last one counts; `$geoWithin` rejects them. */
const regionIn = (argument: Value, operator: string): Region => {
  if (!isDoc(argument)) throw bad('geometry must be an object');
  let region: Region | undefined;
  for (const [name, value] of argument.entries()) {
    if (region !== undefined && operator === '$geoWithin')
      throw bad(`$geoWithin doesn't accept multiple shapes ${operator}: ${showDoc(argument)}`);
    if (name === '$uniqueDocs') continue;
    const read = isArray(value) || isDoc(value) ? regions.get(name) : undefined;
    if (read === undefined) throw bad(`unknown geo specifier: ${name}: ${show(value)}`);
    region = read(value);
  }
  if (region === undefined) throw bad("geo query doesn't have any geometry");
  return region;
};

/** A test of stored values, and where the values that pass lie. */
export interface PlaceTest {
  readonly test: Test;
  readonly extent: Extent;
}

const placeTest = (argument: Value, name: string, relation: 'contains' | 'meets', refusal: string): PlaceTest => {
  const region = regionIn(argument, name);
  const test = region[relation];
  if (test === undefined) throw bad(`${refusal} not supported with provided geometry: ${show(argument)}`);
  return { test: value => shapesIn(value).some(test), extent: region.extent };
};

/**
 * Compiles the argument of `$geoWithin` or `$within`.
 * @throws CommandError 2
 */
export const withinTest = (argument: Value, name: string): PlaceTest =>
  placeTest(argument, name, 'contains', '$within');

/**
 * Compiles the argument of `$geoIntersects`.
 * @throws CommandError 2
 */
export const intersectsTest = (argument: Value, name: string): PlaceTest =>
  placeTest(argument, name, 'meets', '$geoIntersect');
