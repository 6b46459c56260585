/** Rectangles of coordinates in which shapes lie. Geospatial indexes look for documents by them. */
import type { Vector } from './crossings.js';
import type { Point, Polygon, Shape } from './shape.js';
import type { Area } from './sphere.js';
import { isInside, onSphere, peaksOf } from './sphere.js';

/** A rectangle of longitudes and latitudes, or of a plane. Longitudes are from -180 to 180. */
export interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** The rectangles in which every shape has a part that satisfies a condition. */
export interface Extent {
  readonly boxes: readonly Box[];
  /** The kinds of indexes that can answer the condition. */
  readonly kinds: readonly ('2d' | '2dsphere')[];
}

const degrees = (radians: number): number => (radians * 180) / Math.PI;

/** A margin in degrees, larger than the tolerance of the relations of shapes. */
const margin = 1e-6;

/** Divides a range of longitudes that may cross the antimeridian. */
const boxesFrom = (west: number, east: number, south: number, north: number): readonly Box[] => {
  if (east - west >= 360 || south <= -90 || north >= 90) return [{ west: -180, east: 180, south, north }];
  const turn = 360 * Math.floor((west + 180) / 360);
  const [from, to] = [west - turn, east - turn];
  if (to < 180) {
    const box: Box = { west: from, east: to, south, north };
    // Both names of the antimeridian are the same place.
    return from === -180 ? [box, { west: 180, east: 180, south, north }] : [box];
  }
  return [
    { west: from, east: 180, south, north },
    { west: -180, east: to - 360, south, north },
  ];
};

const widened = ({ west, east, south, north }: Box): readonly Box[] => {
  const farthest = Math.min(90, Math.max(Math.abs(south), Math.abs(north)) + margin);
  const aside = margin / Math.max(1e-12, Math.cos((farthest * Math.PI) / 180));
  return boxesFrom(west - aside, east + aside, south - margin, north + margin);
};

/** Returns the rectangles of the shortest arcs between points. Longitudes continue across the antimeridian. */
const alongArcs = (line: readonly Point[]): Box => {
  let [longitude, south] = line[0]!;
  let [west, east, north] = [longitude, longitude, south];
  for (let i = 1; i < line.length; i++) {
    const [from, to] = [line[i - 1]!, line[i]!];
    const step = ((((to[0] - from[0]) % 360) + 540) % 360) - 180;
    // An arc over a pole has no direction.
    if (Math.abs(Math.abs(step) - 180) < 1e-9) [west, east] = [-180, 180];
    longitude += step;
    west = Math.min(west, longitude);
    east = Math.max(east, longitude);
    north = Math.max(north, to[1]);
    south = Math.min(south, to[1]);
    for (const peak of peaksOf(from, to)) {
      north = Math.max(north, degrees(peak));
      south = Math.min(south, degrees(peak));
    }
  }
  return { west, east, south, north };
};

const northPole: Vector = [0, 0, 1];
const southPole: Vector = [0, 0, -1];

const ofPolygon = ([outline]: Polygon, { rings: [ring] }: Area): Box => {
  const box = alongArcs(outline!);
  const [hasNorth, hasSouth] = [isInside(ring!, northPole), isInside(ring!, southPole)];
  if (!hasNorth && !hasSouth) return box;
  return { west: -180, east: 180, south: hasSouth ? -90 : box.south, north: hasNorth ? 90 : box.north };
};

const onGlobe = ({ points, lines, polygons }: Shape, areas: readonly Area[]): readonly Box[] => [
  ...points.map(([x, y]): Box => ({ west: x, east: x, south: y, north: y })),
  ...lines.map(alongArcs),
  ...polygons.map((polygon, i) => ofPolygon(polygon, areas[i]!)),
];

/** Returns the rectangles of a stored shape on the globe. */
export const globeBoxes = (shape: Shape): readonly Box[] =>
  onGlobe(shape, onSphere(shape).areas).flatMap(({ west, east, south, north }) => boxesFrom(west, east, south, north));

/** Returns the extent of a region of the globe, whose polygons are the areas. */
export const globeExtent = (region: Shape, areas: readonly Area[]): Extent => ({
  boxes: onGlobe(region, areas).flatMap(widened),
  kinds: ['2dsphere'],
});

/** Returns the rectangle around points of a plane. */
export const planeBox = (points: readonly Point[]): Box => {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return { west: Math.min(...xs), east: Math.max(...xs), south: Math.min(...ys), north: Math.max(...ys) };
};

export const planeExtent = (points: readonly Point[]): Extent => ({
  boxes: [planeBox(points)],
  kinds: ['2d'],
});

/** Returns the extent of a circle on the globe. @param angle its radius in radians */
export const capExtent = ([longitude, latitude]: Point, angle: number): Extent => {
  const reach = degrees(Math.min(angle, Math.PI));
  const [south, north] = [latitude - reach, latitude + reach];
  const isWhole = south <= -90 || north >= 90;
  const narrow = Math.sin(angle) / Math.cos((latitude * Math.PI) / 180);
  const aside = isWhole || narrow >= 1 ? 180 : degrees(Math.asin(narrow));
  const box = { west: longitude - aside, east: longitude + aside, south, north };
  return { boxes: widened(box), kinds: ['2d', '2dsphere'] };
};

/** Returns the extent of a circle on a plane. */
export const circleExtent = ([x, y]: Point, radius: number): Extent => {
  const reach = radius * (1 + 1e-12) + 4 * Number.EPSILON * Math.max(Math.abs(x), Math.abs(y));
  return planeExtent([
    [x - reach, y - reach],
    [x + reach, y + reach],
  ]);
};
