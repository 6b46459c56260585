/** Relations of shapes on a plane. */
import type { Point, Polygon, Shape } from './shape.js';

export type Edge = readonly [Point, Point];

const edgesOf = (line: readonly Point[]): readonly Edge[] => line.slice(1).map((to, i): Edge => [line[i]!, to]);

/** Returns a positive number if c is to the left of the line from a to b. */
const side = (a: Point, b: Point, c: Point): number => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);

const isOn = ([a, b]: Edge, p: Point): boolean =>
  side(a, b, p) === 0 &&
  p[0] >= Math.min(a[0], b[0]) &&
  p[0] <= Math.max(a[0], b[0]) &&
  p[1] >= Math.min(a[1], b[1]) &&
  p[1] <= Math.max(a[1], b[1]);

/** Returns whether two edges cross each other in their interiors. */
const cross = ([a, b]: Edge, [c, d]: Edge): boolean =>
  side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;

const isInRing = (ring: readonly Point[], [x, y]: Point): boolean => {
  let inside = false;
  for (const [a, b] of edgesOf(ring)) {
    if (a[1] > y !== b[1] > y && x < ((b[0] - a[0]) * (y - a[1])) / (b[1] - a[1]) + a[0]) inside = !inside;
  }
  return inside;
};

const borderOf = (polygon: Polygon): readonly Edge[] => polygon.flatMap(edgesOf);

/** Returns whether a point is in a polygon or on its border. */
export const isInPolygon = (polygon: Polygon, p: Point): boolean => {
  if (borderOf(polygon).some(edge => isOn(edge, p))) return true;
  const [outline, ...holes] = polygon;
  return isInRing(outline!, p) && !holes.some(hole => isInRing(hole, p));
};

export const linesOf = ({ lines, polygons }: Shape): readonly Edge[] => [
  ...lines.flatMap(edgesOf),
  ...polygons.flatMap(borderOf),
];

/** Returns a point of each piece into which a border's vertices divide an edge. */
const piecesOf = ([a, b]: Edge, border: readonly Edge[]): readonly Point[] => {
  const span = Math.hypot(b[0] - a[0], b[1] - a[1]);
  const cuts = border
    .filter(([corner]) => isOn([a, b], corner))
    .map(([c]) => Math.hypot(c[0] - a[0], c[1] - a[1]) / span);
  const ends = [0, ...cuts.sort((one, other) => one - other), 1];
  return ends.slice(1).map((end, i): Point => {
    const t = (ends[i]! + end) / 2;
    return [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])];
  });
};

/** Returns whether every part of a shape is in one of the polygons. */
export const isWithin = (shape: Shape, polygons: readonly Polygon[]): boolean => {
  const isInOne = (points: readonly Point[], edges: readonly Edge[]): boolean =>
    polygons.some(polygon => {
      const border = borderOf(polygon);
      return (
        points.every(p => isInPolygon(polygon, p)) &&
        !edges.some(edge => border.some(other => cross(edge, other))) &&
        edges.every(edge => piecesOf(edge, border).every(p => isInPolygon(polygon, p)))
      );
    });
  return (
    shape.points.every(p => isInOne([p], [])) &&
    shape.lines.every(line => isInOne(line, edgesOf(line))) &&
    shape.polygons.every(polygon => isInOne(polygon.flat(), borderOf(polygon)))
  );
};
