import { toDouble } from '../../value/numbers.js';
import type { Doc } from '../../value/doc.js';
import type { Value } from '../../value/value.js';
import { isArray, isDoc, isNumber } from '../../value/value.js';

/** Longitude and latitude, or two coordinates of a plane. */
export type Point = readonly [x: number, y: number];

/** The first ring is the outline, the others are holes. The last point of a ring equals its first. */
export type Polygon = readonly (readonly Point[])[];

/** The parts of a GeoJSON object. */
export interface Shape {
  readonly points: readonly Point[];
  readonly lines: readonly (readonly Point[])[];
  readonly polygons: readonly Polygon[];
  /** Whether the shape was given as GeoJSON. Its distances are in meters. */
  readonly isGeoJson: boolean;
  /** Whether the order of a polygon's points decides its interior. Otherwise it is the smaller part of the globe. */
  readonly isStrict?: boolean;
}

const none: Shape = { points: [], lines: [], polygons: [], isGeoJson: true };

const pointAt = (value: Value | undefined): Point | undefined => {
  const [x, y] = isArray(value) ? value : isDoc(value) ? value.entries().map(([, item]) => item) : [];
  return isNumber(x) && isNumber(y) ? [toDouble(x), toDouble(y)] : undefined;
};

const every = <T>(value: Value | undefined, read: (item: Value) => T | undefined): readonly T[] | undefined => {
  if (!isArray(value)) return undefined;
  const items = value.map(read);
  return items.every(item => item !== undefined) ? items : undefined;
};

const lineAt = (value: Value | undefined): readonly Point[] | undefined => every(value, pointAt);

const polygonAt = (value: Value | undefined): Polygon | undefined => {
  const rings = every(value, lineAt);
  return rings?.length !== 0 && rings?.every(ring => ring.length >= 4) === true ? rings : undefined;
};

/** Returns whether the coordinates are valid degrees of longitude and latitude. */
export const onEarth = ([x, y]: Point): boolean => Math.abs(x) <= 180 && Math.abs(y) <= 90;

type Read = (coordinates: Value | undefined) => Partial<Shape> | undefined;

const reading =
  <T>(read: (coordinates: Value | undefined) => T | undefined, make: (found: T) => Partial<Shape>): Read =>
  coordinates => {
    const found = read(coordinates);
    return found === undefined ? undefined : make(found);
  };

const kinds: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['Point', reading(pointAt, point => ({ points: [point] }))],
  ['MultiPoint', reading(lineAt, points => ({ points }))],
  ['LineString', reading(lineAt, line => ({ lines: [line] }))],
  [
    'MultiLineString',
    reading(
      value => every(value, lineAt),
      lines => ({ lines }),
    ),
  ],
  ['Polygon', reading(polygonAt, polygon => ({ polygons: [polygon] }))],
  [
    'MultiPolygon',
    reading(
      value => every(value, polygonAt),
      polygons => ({ polygons }),
    ),
  ],
]);

const together = (shapes: readonly Shape[]): Shape => ({
  points: shapes.flatMap(({ points }) => points),
  lines: shapes.flatMap(({ lines }) => lines),
  polygons: shapes.flatMap(({ polygons }) => polygons),
  isGeoJson: true,
});

/** The names of GeoJSON's types. */
export const geoJsonKinds: ReadonlySet<string> = new Set([...kinds.keys(), 'GeometryCollection']);

/** The name of the reference system in which the order of a polygon's points decides its interior. */
export const strictWinding = 'urn:x-mongodb:crs:strictwinding:EPSG:4326';

/** Returns the name of the reference system of GeoJSON, or undefined if it has none. */
export const crsOf = (geoJson: Doc): Value | undefined => {
  const crs = geoJson.get('crs');
  const properties = isDoc(crs) ? crs.get('properties') : undefined;
  return crs === undefined ? undefined : isDoc(properties) ? (properties.get('name') ?? null) : null;
};

/** Reads GeoJSON with any coordinates. Returns undefined if the value is not GeoJSON. */
export const geoJsonOf = (value: Value | undefined): Shape | undefined => {
  if (!isDoc(value)) return undefined;
  const type = value.get('type');
  if (type === 'GeometryCollection') {
    const parts = every(value.get('geometries'), item =>
      isDoc(item) && item.get('type') === type ? undefined : geoJsonOf(item),
    );
    return parts === undefined ? undefined : together(parts);
  }
  const parts = typeof type === 'string' ? kinds.get(type)?.(value.get('coordinates')) : undefined;
  return parts === undefined ? undefined : { ...none, ...parts, isStrict: crsOf(value) === strictWinding };
};

/** Reads GeoJSON. Returns undefined if the value is not GeoJSON, or if its coordinates are not on earth. */
export const geoJsonShape = (value: Value | undefined): Shape | undefined => {
  const shape = geoJsonOf(value);
  return shape === undefined || someVertex(shape, point => !onEarth(point)) !== undefined ? undefined : shape;
};

/** Reads a pair of coordinates: an array, or the first two fields of a document. */
export const legacyPoint = (value: Value | undefined): Shape | undefined => {
  const point = pointAt(value);
  return point === undefined ? undefined : { ...none, points: [point], isGeoJson: false };
};

/** Returns the shapes in a field: a single shape, or several in an array. */
export const shapesIn = (value: Value | undefined): readonly Shape[] => {
  const one = geoJsonShape(value) ?? legacyPoint(value);
  if (one !== undefined) return [one];
  return isArray(value) ? value.flatMap(item => shapesIn(item)) : [];
};

export const verticesOf = ({ points, lines, polygons }: Shape): readonly Point[] => [
  ...points,
  ...lines.flat(),
  ...polygons.flat(2),
];

const firstIn = (lines: readonly (readonly Point[])[], test: (point: Point) => boolean): Point | undefined => {
  for (const line of lines) {
    const found = line.find(test);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** Returns the first vertex of a shape that passes a test, like `verticesOf(shape).find(test)` without a copy. */
export const someVertex = (shape: Shape, test: (point: Point) => boolean): Point | undefined =>
  shape.points.find(test) ?? firstIn(shape.lines, test) ?? firstIn(shape.polygons.flat(), test);
