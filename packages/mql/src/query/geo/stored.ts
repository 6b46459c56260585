import { showDoc, show } from '../../value/show.js';
import type { Value } from '../../value/value.js';
import type { Doc } from '../../value/doc.js';
import { fail } from '../../errors.js';
import { toDouble } from '../../value/numbers.js';
import { isArray, isDoc, isNumber, typeName } from '../../value/value.js';
import type { Point, Polygon, Shape } from './shape.js';
import { crsOf, geoJsonKinds, geoJsonOf, legacyPoint, onEarth, strictWinding, someVertex } from './shape.js';
import { spend } from '../../work/meter.js';
import type { Area } from './sphere.js';
import { flawOf, onSphere } from './sphere.js';

/** Explains why a value is not a shape. */
const reasonOf = (value: Value, name: string): string => {
  if (!isDoc(value)) {
    return isArray(value)
      ? 'Point must only contain numeric elements'
      : `geo element must be an array or object: ${name}: ${show(value)}`;
  }
  const type = value.get('type');
  if (typeof type !== 'string' || !geoJsonKinds.has(type)) return `unknown GeoJSON type: ${showDoc(value)}`;
  if (type !== 'Point') return 'GeoJSON coordinates must be an array';
  const coordinates = value.get('coordinates');
  return isArray(coordinates) || isDoc(coordinates)
    ? 'Point must only contain numeric elements'
    : `Point must be an array or object, instead got type ${coordinates === undefined ? 'missing' : typeName(coordinates)}`;
};

const systems: ReadonlySet<Value | undefined> = new Set<Value | undefined>([
  undefined,
  'urn:ogc:def:crs:OGC:1.3:CRS84',
  'EPSG:4326',
  strictWinding,
]);

const print = (name: Value | undefined): string => (typeof name === 'string' ? name : show(name ?? null));

const isSame = ([x, y]: Point, [u, v]: Point): boolean => x === u && y === v;

/** Returns why a polygon is invalid: rings that are not closed, cross each other or do not lie within the outline. */
const polygonFlaw = (polygon: Polygon, area: Area, isStrict: boolean): string | undefined =>
  polygon.every(ring => isSame(ring[0]!, ring.at(-1)!)) ? flawOf(area, isStrict) : 'Loop is not closed';

/** The maximum number of points of polygons. Checking more would keep other commands waiting. */
const mostPoints = 20_000;

/** The steps for checking one point of a geometry. */
const stepsPerPoint = 16;

/** The maximum size of polygons in bytes. Reading more would keep other commands waiting. */
const mostBytes = 2 ** 21;

const largest = `Polygons may have at most ${mostPoints} points and 2 MB on this server`;

const polygonal: ReadonlySet<Value> = new Set<Value>(['Polygon', 'MultiPolygon', 'GeometryCollection']);

/** Returns why a value is too large for polygons, or undefined. */
export const sizeFlaw = (value: Value | undefined): string | undefined =>
  isDoc(value) && value.byteLength > mostBytes && polygonal.has(value.get('type') ?? null)
    ? `${largest}, but this geometry has ${value.byteLength} bytes`
    : undefined;

/**
 * Returns why a shape that was read from GeoJSON is invalid, or undefined.
 * @param areasOf returns the shape's polygons on the globe
 */
export const geoJsonFlaw = (
  value: Value,
  shape: Shape,
  areasOf: () => readonly Area[] = () => onSphere(shape).areas,
): string | undefined => {
  const { points, lines, polygons, isStrict = false } = shape;
  const count = polygons.flat().reduce((sum, ring) => sum + ring.length, 0);
  if (count > mostPoints) return `${largest}, but this geometry has ${count} points`;
  spend(stepsPerPoint * count);
  const away = someVertex(shape, point => !onEarth(point));
  if (away !== undefined) return `longitude/latitude is out of bounds, lng: ${away[0]} lat: ${away[1]}`;
  if (!isDoc(value) || !shape.isGeoJson) return undefined;
  const crs = crsOf(value);
  if (!systems.has(crs)) return crs === null ? 'GeoJSON CRS must have a name' : `Unknown CRS name: ${print(crs)}`;
  if (isStrict && value.get('type') !== 'Polygon') return 'Strict winding order is only supported by polygon';
  if (points.length + lines.length + polygons.length === 0)
    return `${print(value.get('type'))} coordinates must have at least 1 element`;
  if (lines.some(line => !line.some(point => !isSame(point, line[0]!))))
    return 'GeoJSON LineString must have at least 2 vertices';
  const areas = areasOf();
  return polygons.map((polygon, i) => polygonFlaw(polygon, areas[i]!, isStrict)).find(flaw => flaw !== undefined);
};

/**
 * Checks that a value can be an entry of a 2dsphere index.
 * @param name the name of the field
 * @throws the error that `refusal` returns
 */
export const requireGeometry = (value: Value, name: string, refusal: (why: string) => Error): void => {
  const excess = sizeFlaw(value);
  if (excess !== undefined) throw refusal(excess);
  const shape = geoJsonOf(value) ?? legacyPoint(value);
  if (shape === undefined) throw refusal(reasonOf(value, name));
  const flaw = shape.isStrict === true ? "can't index geometry with strict winding order" : geoJsonFlaw(value, shape);
  if (flaw !== undefined) throw refusal(flaw);
};

const boundOf = (spec: Doc, name: string, standard: number): number => {
  const bound = spec.get(name);
  return isNumber(bound) ? toDouble(bound) : standard;
};

const itemsOf = (value: Value): readonly Value[] | undefined => {
  if (isArray(value)) return value;
  return isDoc(value) ? value.entries().map(([, item]) => item) : undefined;
};

/**
 * Checks that a value can be an entry of a 2d index: a pair of numbers, or several of them. Values that are neither
 * arrays nor documents have no entry.
 * @param spec the specification of the index, for its bounds
 * @param doc the document of the value
 * @throws CommandError 13026, 13027, 13068, 16804
 */
export const requirePair = (value: Value, spec: Doc, doc: Doc): void => {
  const items = itemsOf(value);
  if (items === undefined || items.length === 0) return;
  const cause = ` :: caused by :: ${showDoc(doc)}`;
  const [min, max] = [boundOf(spec, 'min', -180), boundOf(spec, 'max', 180)];
  for (const pair of isNumber(items[0]) ? [items] : items.map(itemsOf)) {
    if (pair === undefined) throw fail(16804, 'location object expected, location array not in correct format');
    const [x, y] = pair;
    if (x === undefined) continue;
    if (y === undefined) throw fail(13068, 'geo field only has 1 element');
    if (!isNumber(x) || !isNumber(y))
      throw fail(13026, `geo values must be 'legacy coordinate pairs' for 2d indexes${cause}`);
    if ([x, y].some(one => !(toDouble(one) >= min && toDouble(one) <= max)))
      throw fail(13027, `point not in interval of [ ${min}, ${max} ]${cause}`);
  }
};
