import type { Extent } from './extent.js';
import { capExtent, circleExtent } from './extent.js';
import { planeBetween } from './plane.js';
import type { Point, Shape } from './shape.js';
import { beyondEarth, isPoint } from './shape.js';
import { angleTo, onSphere, vectorOf } from './sphere.js';

/** Meters, as in mongod. */
const earthRadius = 6_378_100;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Returns the distance between two points on the globe, in radians. */
export const arcBetween = ([x1, y1]: Point, [x2, y2]: Point): number => {
  const [lat1, lat2] = [radians(y1), radians(y2)];
  const h = Math.sin((lat2 - lat1) / 2) ** 2 + Math.cos(lat1) * Math.cos(lat2) * Math.sin(radians(x2 - x1) / 2) ** 2;
  return 2 * Math.asin(Math.min(1, Math.sqrt(h)));
};

/** The unit of distances: meters or radians on the globe, or the unit of the coordinates of a plane. */
export type Unit = 'meters' | 'radians' | 'plane';

/** Distances from a point, and their limits. */
export interface NearTarget {
  readonly from: Point;
  readonly unit: Unit;
  readonly most: number;
}

/** Returns the extent of the places within a distance. */
export const extentAround = ({ from, unit }: Pick<NearTarget, 'from' | 'unit'>, distance: number): Extent =>
  unit === 'plane'
    ? circleExtent(from, distance)
    : capExtent(from, unit === 'meters' ? distance / earthRadius : distance);

/** Returns the distance within which all places are, for a plane that extends from `low` to `high` in both directions. */
export const farthest = ({ from: [x, y], unit }: NearTarget, low: number, high: number): number => {
  if (unit !== 'plane') return Math.PI * (unit === 'meters' ? earthRadius : 1);
  const reach = (at: number): number => Math.max(Math.abs(at - low), Math.abs(at - high));
  return Math.hypot(reach(x), reach(y));
};

/** Returns the distance that a difference of coordinates means. */
export const distanceOf = (difference: number, unit: Unit): number =>
  unit === 'plane' ? difference : radians(difference) * (unit === 'meters' ? earthRadius : 1);

/**
 * Returns a function that measures the distance from a point to the nearest point of a shape. It returns undefined for a
 * shape that is not on the globe, and on a plane for a shape that is not a point.
 */
export const distanceFrom = (from: Point, unit: Unit): ((shape: Shape) => number | undefined) => {
  if (unit === 'plane') return shape => (isPoint(shape) ? planeBetween(from, shape.points[0]!) : undefined);
  const origin = vectorOf(from);
  const radius = unit === 'meters' ? earthRadius : 1;
  return shape =>
    !shape.isStrict && beyondEarth(shape) === undefined ? radius * angleTo(onSphere(shape), origin) : undefined;
};
