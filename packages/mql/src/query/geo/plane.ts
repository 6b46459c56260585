/** Relations of points and regions of a plane. */
import type { Point } from './shape.js';

export const planeBetween = ([x1, y1]: Point, [x2, y2]: Point): number => Math.sqrt((x2 - x1) ** 2 + (y2 - y1) ** 2);

const isNear = (a: number, b: number, reach: number): boolean => Math.max(a, b) - (Math.min(a, b) + reach) <= 0;

/** Returns whether a point is in a circle. Along the axes, sums are compared instead of differences, as in mongod. */
export const isInCircle = (center: Point, radius: number, p: Point): boolean => {
  if (center[0] === p[0]) return isNear(center[1], p[1], radius);
  if (center[1] === p[1]) return isNear(center[0], p[0], radius);
  return planeBetween(center, p) <= radius;
};

export const isInBox = ([x1, y1]: Point, [x2, y2]: Point, [x, y]: Point): boolean =>
  x >= Math.min(x1, x2) && x <= Math.max(x1, x2) && y >= Math.min(y1, y2) && y <= Math.max(y1, y2);

/**
 * Returns whether a point is in a polygon. Its corners and its horizontal and vertical edges belong to it. Other edges
 * belong to it only if they are to the right of the interior, as in mongod.
 * @param ring its last point equals its first
 */
export const isInPolygon = (ring: readonly Point[], p: Point): boolean => {
  const [x, y] = p;
  let inside = false;
  for (let i = 1; i < ring.length; i++) {
    const [a, b] = [ring[i - 1]!, ring[i]!];
    if ((a[0] === b[0] || a[1] === b[1]) && isInBox(a, b, p)) return true;
    if ((x === a[0] && y === a[1]) || (x === b[0] && y === b[1])) return true;
    if (y <= Math.min(a[1], b[1]) || y > Math.max(a[1], b[1]) || x > Math.max(a[0], b[0])) continue;
    if (a[0] === b[0] || x <= ((y - a[1]) * (b[0] - a[0])) / (b[1] - a[1]) + a[0]) inside = !inside;
  }
  return inside;
};
