/** Relations of shapes on the globe. Edges are the shortest arcs between their ends, as in mongod, which uses S2. */
import { spend } from '../../work/meter.js';
import type { Arc, Vector } from './crossings.js';
import { haveCrossing } from './crossings.js';
import type { Point, Polygon, Shape } from './shape.js';

/** The largest distance, in radians, of points that count as the same. */
const tolerance = 1e-14;

/** The largest distance, in radians, of a point that counts as on an arc: 6 mm, about the size of S2's smallest cells. */
const nearby = 1e-9;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

export const vectorOf = ([longitude, latitude]: Point): Vector => {
  const [phi, theta] = [radians(latitude), radians(longitude)];
  return [Math.cos(phi) * Math.cos(theta), Math.cos(phi) * Math.sin(theta), Math.sin(phi)];
};

const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

const unit = (v: Vector): Vector => {
  const length = Math.hypot(...v);
  return [v[0] / length, v[1] / length, v[2] / length];
};

const sum = (a: Vector, b: Vector): Vector => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];

export const angleBetween = (a: Vector, b: Vector): number => Math.atan2(Math.hypot(...cross(a, b)), dot(a, b));

/** A difference of coordinates beyond which points are farther apart than the tolerance. */
const clear = 100 * tolerance;

const same = (a: Vector, b: Vector): boolean =>
  Math.abs(a[0] - b[0]) < clear &&
  Math.abs(a[1] - b[1]) < clear &&
  Math.abs(a[2] - b[2]) < clear &&
  angleBetween(a, b) <= tolerance;

const isOn = ([a, b]: Arc, p: Vector): boolean => {
  if (same(a, p) || same(b, p)) return true;
  const normal = cross(a, b);
  const length = Math.sqrt(dot(normal, normal));
  if (length === 0 || Math.abs(dot(normal, p)) > nearby * length) return false;
  return dot(cross(a, p), normal) > 0 && dot(cross(p, b), normal) > 0;
};

/** Returns whether two arcs cross each other in their interiors. */
export const doCross = ([a, b]: Arc, [c, d]: Arc): boolean => {
  const ab = cross(a, b);
  const [toC, toD] = [-dot(ab, c), dot(ab, d)];
  if (toC * toD <= 0) return false;
  const cd = cross(c, d);
  if (-toC * dot(cd, b) <= 0 || toC * dot(cd, a) <= 0) return false;
  return ![c, d].some(p => isOn([a, b], p)) && ![a, b].some(p => isOn([c, d], p));
};

/** Returns a positive number if a great circle leads north at a point, and a negative one if it leads south. */
const climbs = (normal: Vector, at: Vector): number => normal[0] * at[1] - normal[1] * at[0];

/**
 * Returns the latitudes, in radians, at which the shortest arc between two points turns north or south. An arc to the
 * opposite point, which has no direction, may turn at either pole.
 */
export const peaksOf = (from: Point, to: Point): readonly number[] => {
  const [a, b] = [vectorOf(from), vectorOf(to)];
  const normal = cross(a, b);
  const length = Math.sqrt(dot(normal, normal));
  // Whether the arc leads north where it starts and where it ends.
  if (length > 1e-12 && climbs(normal, a) * climbs(normal, b) > 0) return [];
  if (length < 1e-12) return dot(a, b) < 0 ? [Math.PI / 2, -Math.PI / 2] : [];
  const [x, y, z] = [normal[0] / length, normal[1] / length, normal[2] / length];
  const top = unit([-z * x, -z * y, 1 - z * z]);
  const bottom: Vector = [-top[0], -top[1], -top[2]];
  return [top, bottom]
    .filter(peak => dot(cross(a, peak), normal) > 0 && dot(cross(peak, b), normal) > 0)
    .map(peak => Math.asin(peak[2]));
};

const arcsOf = (line: readonly Vector[]): readonly Arc[] => line.slice(1).map((to, i): Arc => [line[i]!, to]);

/** A ring with its interior to the left of its arcs. */
interface Ring {
  readonly arcs: readonly Arc[];
  /** Points in the interior, close to an arc. */
  readonly inner: readonly Vector[];
}

/** Returns the area to the left of a ring, from 0 to 4π. */
const areaOf = (ring: readonly Vector[]): number => {
  const origin = ring[0]!;
  let area = 0;
  for (let i = 1; i < ring.length - 2; i++) {
    const [b, c] = [ring[i]!, ring[i + 1]!];
    area += 2 * Math.atan2(dot(origin, cross(b, c)), 1 + dot(origin, b) + dot(b, c) + dot(c, origin));
  }
  return area < 0 ? area + 4 * Math.PI : area;
};

/** Returns a point to the left of the middle of an arc. */
const besides = ([a, b]: Arc): Vector => {
  const middle = unit(sum(a, b));
  const normal = unit(cross(a, b));
  const offset = angleBetween(a, b) * 1e-4;
  return unit(sum(middle, [normal[0] * offset, normal[1] * offset, normal[2] * offset]));
};

/** @param strict whether the order of the points decides the interior; otherwise it is the smaller part of the globe */
const ringOf = (points: readonly Point[], strict: boolean): Ring => {
  const given = points.map(vectorOf).filter((p, i, all) => i === 0 || !same(p, all[i - 1]!));
  const turned = !strict && areaOf(given) > 2 * Math.PI ? given.reverse() : given;
  const arcs = arcsOf(turned);
  return { arcs, inner: arcs.slice(0, 3).map(besides) };
};

/** Returns whether a point that is not on the ring is in its interior. */
export const isInside = ({ arcs, inner }: Ring, p: Vector): boolean => {
  const start = inner.find(one => {
    const line: Arc = [one, p];
    return angleBetween(one, p) < 3 && !arcs.some(([a]) => isOn(line, a)) && !arcs.some(arc => isOn(arc, one));
  });
  const from = start ?? inner[0]!;
  const way: Arc = [from, p];
  let crossings = 0;
  for (const arc of arcs) if (doCross(arc, way)) crossings += 1;
  return crossings % 2 === 0;
};

export interface Area {
  readonly rings: readonly Ring[];
  readonly border: readonly Arc[];
  /** Points outside, close to the border of each hole, and of an outline that may be larger than half of the globe. */
  readonly outside: readonly Vector[];
}

/** A shape with its points as vectors. */
export interface OnSphere {
  readonly points: readonly Vector[];
  readonly lines: readonly (readonly Arc[])[];
  readonly areas: readonly Area[];
}

const areaFrom = (polygon: Polygon, strict: boolean): Area => {
  const rings = polygon.map(ring => ringOf(ring, strict));
  const outside = strict
    ? rings.flatMap(({ arcs }) => arcs.slice(0, 3).map(([a, b]) => besides([b, a])))
    : rings.slice(1).flatMap(({ inner }) => inner);
  return { rings, border: rings.flatMap(ring => ring.arcs), outside };
};

export const onSphere = ({ points, lines, polygons, isStrict }: Shape): OnSphere => ({
  points: points.map(vectorOf),
  lines: lines.map(line => arcsOf(line.map(vectorOf))),
  areas: polygons.map(polygon => areaFrom(polygon, isStrict)),
});

/** Returns whether a point is in an area. @param bordered whether the border belongs to the area */
const isInArea = ({ rings: [outline, ...holes], border }: Area, p: Vector, bordered = true): boolean => {
  spend(border.length);
  if (border.some(arc => isOn(arc, p))) return bordered;
  return isInside(outline!, p) && !holes.some(hole => isInside(hole, p));
};

const arcsIn = ({ lines, areas }: OnSphere): readonly Arc[] => [...lines.flat(), ...areas.flatMap(area => area.border)];

/** Returns a point of each piece into which a border's corners divide an arc. */
const piecesOf = ([a, b]: Arc, border: readonly Arc[]): readonly Vector[] => {
  const cuts = border.filter(([corner]) => isOn([a, b], corner)).map(([corner]) => corner);
  const ends = [a, ...cuts.sort((c, d) => angleBetween(a, c) - angleBetween(a, d)), b];
  return ends.slice(1).map((end, i) => unit(sum(ends[i]!, end)));
};

/** Returns whether every part of a shape is in one of the areas. */
export const isWithinSphere = (shape: OnSphere, areas: readonly Area[]): boolean => {
  const isInOne = (points: readonly Vector[], arcs: readonly Arc[], own?: Area): boolean =>
    areas.some(area => {
      spend(arcs.length * area.border.length);
      return (
        !(own !== undefined && area.outside.some(p => isInArea(own, p))) &&
        points.every(p => isInArea(area, p)) &&
        !arcs.some(arc => area.border.some(other => doCross(arc, other))) &&
        arcs.every(arc => piecesOf(arc, area.border).every(p => isInArea(area, p)))
      );
    });
  return (
    shape.points.every(p => isInOne([p], [])) &&
    shape.lines.every(line => isInOne(line.flat(), line)) &&
    shape.areas.every(area => isInOne([...area.border.flat(), ...area.rings[0]!.inner], area.border, area))
  );
};

/** Returns whether two shapes have a point in common. Points on the border of an area belong to it. */
const doTouch = (a: OnSphere, b: OnSphere): boolean => {
  const [own, others] = [arcsIn(a), arcsIn(b)];
  spend(own.length * others.length);
  if (own.some(arc => others.some(other => doCross(arc, other)))) return true;
  const touches = (p: Vector, shape: OnSphere, arcs: readonly Arc[]): boolean =>
    shape.points.some(q => same(p, q)) || arcs.some(arc => isOn(arc, p)) || shape.areas.some(area => isInArea(area, p));
  const corners = (shape: OnSphere, arcs: readonly Arc[]): readonly Vector[] => [...shape.points, ...arcs.flat()];
  return corners(a, own).some(p => touches(p, b, others)) || corners(b, others).some(p => touches(p, a, own));
};

/** Returns whether the interiors of two areas have a point in common. */
const doOverlap = (a: Area, b: Area): boolean => {
  spend(a.border.length * b.border.length);
  if (a.border.some(arc => b.border.some(other => doCross(arc, other)))) return true;
  const reaches = (one: Area, other: Area): boolean =>
    one.border.some(([corner]) => isInArea(other, corner, false)) ||
    one.rings[0]!.inner.some(p => isInArea(one, p, false) && isInArea(other, p, false)) ||
    one.border.some(arc => piecesOf(arc, other.border).some(p => isInArea(other, p, false)));
  return reaches(a, b) || reaches(b, a);
};

/** Returns whether two shapes intersect. Areas do not intersect if they only share a part of their borders. */
export const doMeet = (a: OnSphere, b: OnSphere): boolean =>
  doTouch({ ...a, areas: [] }, b) ||
  doTouch({ points: [], lines: [], areas: a.areas }, { ...b, areas: [] }) ||
  a.areas.some(one => b.areas.some(other => doOverlap(one, other)));

const angleToArc = ([a, b]: Arc, p: Vector): number => {
  const normal = cross(a, b);
  const between = dot(cross(normal, a), p) > 0 && dot(cross(b, normal), p) > 0;
  const length = Math.hypot(...normal);
  if (between && length > 0) return Math.abs(Math.asin(Math.min(1, Math.max(-1, dot(normal, p) / length))));
  return Math.min(angleBetween(a, p), angleBetween(b, p));
};

/** Returns the angle from a point to the nearest point of a shape. It is 0 inside a polygon. */
export const angleTo = (shape: OnSphere, from: Vector): number => {
  if (shape.areas.some(area => isInArea(area, from))) return 0;
  let angle = Infinity;
  for (const point of shape.points) angle = Math.min(angle, angleBetween(from, point));
  for (const arc of arcsIn(shape)) angle = Math.min(angle, angleToArc(arc, from));
  return angle;
};

/** Factors that give different corners different sums. */
const [first, second] = [Math.SQRT2, Math.E];

/** Returns whether two arcs of a ring start at the same corner. */
const hasDuplicates = (arcs: readonly Arc[]): boolean => {
  const sums = Float64Array.from(arcs, ([[x, y, z]]) => x + first * y + second * z).sort();
  if (sums.every((one, i) => one !== sums[i + 1])) return false;
  // Different corners may have equal sums.
  return new Set(arcs.map(([corner]) => corner.join())).size < arcs.length;
};

/** The number of arcs of a polygon above which its holes are not compared with each other. */
const mostChecked = 2000;

/** Whether all corners of a ring are in the interior of another. */
const isAround = (ring: Ring, { arcs }: Ring): boolean =>
  arcs.every(([corner]) => !ring.arcs.some(arc => isOn(arc, corner)) && isInside(ring, corner));

/** Returns why a polygon is invalid, or undefined. */
export const flawOf = ({ rings, border }: Area, strict: boolean): string | undefined => {
  for (const { arcs } of rings) {
    if (arcs.length < 3) return 'Loop must have at least 3 different vertices';
    if (hasDuplicates(arcs)) return 'Loop is not valid: duplicate vertices';
    if (haveCrossing(arcs, doCross)) return 'Loop is not valid: edges cross';
  }
  const [outline, ...holes] = rings;
  const shell: Area = { rings: [outline!], border: outline!.arcs, outside: [] };
  for (const { arcs, inner } of holes) {
    if (strict) return 'Only one simple loop is allowed in a big polygon';
    if (![...arcs.map(([corner]) => corner), ...inner].every(p => isInArea(shell, p)))
      return 'Secondary loops not contained by first exterior loop - secondary loops must be holes';
    if (arcs.filter(([a]) => outline!.arcs.some(([b]) => same(a, b))).length > 1)
      return 'Polygon is not valid: a hole shares more than one vertex with the outline';
  }
  if (border.length <= mostChecked && holes.some(hole => holes.some(other => other !== hole && isAround(other, hole))))
    return 'Polygon is not valid: a hole is in another hole';
  return holes.length > 0 && haveCrossing(border, doCross) ? 'Polygon is not valid: loops cross' : undefined;
};
