/** Reads shapes: GeoJSON, and pairs of coordinates as arrays or documents. */
import type { Doc } from '../../value/doc.js';
import { toDouble } from '../../value/numbers.js';
import { show, showDoc } from '../../value/show.js';
import type { Value } from '../../value/value.js';
import { isArray, isDoc, isNumber, typeName } from '../../value/value.js';

/** Longitude and latitude, or two coordinates of a plane. */
export type Point = readonly [x: number, y: number];

/** The first ring is the outline, the others are holes. The last point of a ring equals its first. */
export type Polygon = readonly (readonly Point[])[];

/** The parts of a GeoJSON object. */
export interface Shape {
  readonly points: readonly Point[];
  readonly lines: readonly (readonly Point[])[];
  readonly polygons: readonly Polygon[];
  /** The type of GeoJSON, or undefined for a pair of coordinates. Distances of GeoJSON are in meters. */
  readonly type: string | undefined;
  /** Whether the order of a polygon's points decides its interior. Otherwise it is the smaller part of the globe. */
  readonly isStrict: boolean;
}

/** A part of a shape, or why a value is not one. */
type Reading<T> = T | string;

/** Returns whether the coordinates are valid degrees of longitude and latitude. */
export const onEarth = ([x, y]: Point): boolean => Math.abs(x) <= 180 && Math.abs(y) <= 90;

const awayFromEarth = ([x, y]: Point): string => `longitude/latitude is out of bounds, lng: ${x} lat: ${y}`;

/** Reads two numbers from an array, or from the first fields of a document. @param more whether others may follow */
const pointAt = (value: Value | undefined, more: boolean): Reading<Point> => {
  if (!isArray(value) && !isDoc(value))
    return `Point must be an array or object, instead got type ${value === undefined ? 'missing' : typeName(value)}`;
  const items = isArray(value) ? value : value.entries().map(([, item]) => item);
  const [x, y] = items;
  if (!isNumber(x) || !isNumber(y)) return 'Point must only contain numeric elements';
  if (!more && items.length > 2) return 'Point must only contain two numeric elements';
  const point: Point = [toDouble(x), toDouble(y)];
  return Number.isFinite(point[0] + point[1]) ? point : 'Point coordinates must be finite numbers';
};

const placeAt = (value: Value | undefined): Reading<Point> => {
  const point = pointAt(value, true);
  return typeof point === 'string' || onEarth(point) ? point : awayFromEarth(point);
};

/** Reads the items of an array. @param name the name of the array in messages */
const itemsAt = <T>(
  value: Value | undefined,
  name: string,
  read: (item: Value, index: number) => Reading<T>,
): Reading<readonly T[]> => {
  if (!isArray(value)) return `${name} must be an array`;
  const items: T[] = [];
  for (const [i, item] of value.entries()) {
    const found = read(item, i);
    if (typeof found === 'string') return found;
    items.push(found);
  }
  return items;
};

const placesAt = (value: Value | undefined): Reading<readonly Point[]> =>
  itemsAt(value, 'GeoJSON coordinates', item =>
    isArray(item) ? placeAt(item) : 'GeoJSON coordinates must be an array',
  );

const isSame = ([x, y]: Point, [u, v]: Point): boolean => x === u && y === v;

const lineAt = (value: Value | undefined): Reading<readonly Point[]> => {
  const line = placesAt(value);
  if (typeof line === 'string' || line.some(point => !isSame(point, line[0]!))) return line;
  return 'GeoJSON LineString must have at least 2 vertices';
};

const ringAt = (value: Value): Reading<readonly Point[]> => {
  const ring = placesAt(value);
  if (typeof ring === 'string') return ring;
  if (ring.length === 0) return 'Loop has no vertices';
  return isSame(ring[0]!, ring.at(-1)!) ? ring : 'Loop is not closed';
};

const polygonAt = (value: Value | undefined): Reading<Polygon> => {
  const rings = itemsAt(value, 'Polygon coordinates', ringAt);
  return typeof rings === 'string' || rings.length > 0 ? rings : 'Polygon has no loops';
};

type Parts = Partial<Pick<Shape, 'points' | 'lines' | 'polygons'>>;

type Read = (coordinates: Value | undefined) => Reading<Parts>;

const reading =
  <T>(read: (coordinates: Value | undefined) => Reading<T>, make: (found: T) => Parts): Read =>
  coordinates => {
    const found = read(coordinates);
    return typeof found === 'string' ? found : make(found);
  };

const several = <T>(kind: string, read: (item: Value) => Reading<T>, make: (found: readonly T[]) => Parts): Read =>
  reading(value => {
    const items = itemsAt(value, `${kind} coordinates`, read);
    return typeof items === 'string' || items.length > 0 ? items : `${kind} coordinates must have at least 1 element`;
  }, make);

const kinds: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['Point', reading(placeAt, point => ({ points: [point] }))],
  [
    'MultiPoint',
    several(
      'MultiPoint',
      item => (isArray(item) ? placeAt(item) : 'GeoJSON coordinates must be an array'),
      points => ({ points }),
    ),
  ],
  ['LineString', reading(lineAt, line => ({ lines: [line] }))],
  ['MultiLineString', several('MultiLineString', lineAt, lines => ({ lines }))],
  ['Polygon', reading(polygonAt, polygon => ({ polygons: [polygon] }))],
  ['MultiPolygon', several('MultiPolygon', polygonAt, polygons => ({ polygons }))],
]);

/** The name of the reference system in which the order of a polygon's points decides its interior. */
const strictWinding = 'urn:x-mongodb:crs:strictwinding:EPSG:4326';

/** Reads the reference system. Returns whether the order of a polygon's points decides its interior. */
const isStrictAt = (geoJson: Doc): Reading<boolean> => {
  const crs = geoJson.get('crs');
  if (crs === undefined) return false;
  if (!isDoc(crs)) return 'GeoJSON CRS must be an object';
  if (crs.get('type') !== 'name') return 'GeoJSON CRS must have field "type": "name"';
  const properties = crs.get('properties');
  if (!isDoc(properties)) return 'CRS must have field "properties" which is an object';
  const name = properties.get('name');
  if (typeof name !== 'string') return 'In CRS, "properties.name" must be a string';
  if (name === strictWinding)
    return geoJson.get('type') === 'Polygon' || 'Strict winding order is only supported by polygon';
  return name === 'EPSG:4326' || name === 'urn:ogc:def:crs:OGC:1.3:CRS84' ? false : `Unknown CRS name: ${name}`;
};

const none: Shape = { points: [], lines: [], polygons: [], type: undefined, isStrict: false };

const collection = 'GeometryCollection';

const collectionAt = (geometries: Value | undefined): Reading<Shape> => {
  const shapes = itemsAt(geometries, `${collection} geometries`, (item, i) => {
    if (!isDoc(item)) return `Element ${i} of "geometries" is not an object`;
    if (item.get('type') === collection) return `GeometryCollections cannot be nested: ${showDoc(item)}`;
    const shape = geoJsonAt(item);
    return typeof shape !== 'string' && shape.isStrict
      ? 'strict winding order CRS is only supported for a standalone Polygon'
      : shape;
  });
  if (typeof shapes === 'string') return shapes;
  if (shapes.length === 0) return `${collection} geometries must have at least 1 element`;
  return {
    points: shapes.flatMap(({ points }) => points),
    lines: shapes.flatMap(({ lines }) => lines),
    polygons: shapes.flatMap(({ polygons }) => polygons),
    type: collection,
    isStrict: false,
  };
};

const geoJsonAt = (geoJson: Doc): Reading<Shape> => {
  const type = geoJson.get('type');
  if (type === collection) return collectionAt(geoJson.get('geometries'));
  const read = typeof type === 'string' ? kinds.get(type) : undefined;
  if (read === undefined) return `unknown GeoJSON type: ${showDoc(geoJson)}`;
  const isStrict = isStrictAt(geoJson);
  if (typeof isStrict === 'string') return isStrict;
  const parts = read(geoJson.get('coordinates'));
  return typeof parts === 'string' ? parts : { ...none, ...parts, type: type as string, isStrict };
};

/**
 * Reads a shape: a pair of coordinates, which are the first fields if the value is a document, or else GeoJSON. Returns why
 * the value is not a shape if it is not.
 * @param more whether other items may follow the pair of coordinates
 */
const shapeAt = (value: Value | undefined, more: boolean): Shape | string => {
  if (!isArray(value) && !isDoc(value)) return `geo element must be an array or object: ${show(value ?? null)}`;
  const point = isArray(value) || isNumber(value.entries()[0]?.[1]) ? pointAt(value, more) : undefined;
  if (typeof point === 'object') return { ...none, points: [point] };
  return isDoc(value) ? geoJsonAt(value) : point!;
};

/** Reads a shape of a document. Returns why the value is not a shape if it is not. */
export const storedShape = (value: Value): Shape | string => shapeAt(value, true);

/** Reads a shape of a query. Returns why the value is not a shape if it is not. */
export const queryShape = (value: Value | undefined): Shape | string => shapeAt(value, false);

/** Reads a pair of coordinates of a query, which may be beyond the earth. */
export const flatPoint = (value: Value | undefined): Point | string => pointAt(value, false);

/** Returns whether the shape is a single point. Only such a shape can be within a region of a plane. */
export const isPoint = ({ type }: Shape): boolean => type === undefined || type === 'Point';

/** Returns why a pair of coordinates is not on the globe, or undefined. */
export const beyondEarth = ({ type, points }: Shape): string | undefined =>
  type === undefined && !onEarth(points[0]!) ? awayFromEarth(points[0]!) : undefined;

/** Returns the shapes in a field: a single shape, or several in an array. */
export const shapesIn = (value: Value | undefined): readonly Shape[] => {
  if (value === undefined) return [];
  const one = storedShape(value);
  if (typeof one !== 'string') return [one];
  return isArray(value) ? value.map(storedShape).filter(shape => typeof shape !== 'string') : [];
};

export const verticesOf = ({ points, lines, polygons }: Shape): readonly Point[] => [
  ...points,
  ...lines.flat(),
  ...polygons.flat(2),
];
