import { fail } from '../../errors.js';
import type { Doc } from '../../value/doc.js';
import { toDouble } from '../../value/numbers.js';
import { show, showDoc } from '../../value/show.js';
import type { Value } from '../../value/value.js';
import { isArray, isDoc, isNumber } from '../../value/value.js';
import { spend } from '../../work/meter.js';
import type { Shape } from './shape.js';
import { beyondEarth, storedShape } from './shape.js';
import type { OnSphere } from './sphere.js';
import { flawOf, onSphere } from './sphere.js';

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

/** Returns a shape with its points as vectors, or why it is not a shape of the globe. */
export const soundOnSphere = (shape: Shape): OnSphere | string => {
  const count = shape.polygons.flat().reduce((sum, ring) => sum + ring.length, 0);
  if (count > mostPoints) return `${largest}, but this geometry has ${count} points`;
  spend(stepsPerPoint * count);
  const away = beyondEarth(shape);
  if (away !== undefined) return away;
  const place = onSphere(shape);
  return place.areas.map(area => flawOf(area, shape.isStrict)).find(flaw => flaw !== undefined) ?? place;
};

/** The types of GeoJSON in an index of version 1. */
const ofVersion1: ReadonlySet<string | undefined> = new Set([undefined, 'Point', 'LineString', 'Polygon']);

/**
 * Checks that a value can be an entry of a 2dsphere index.
 * @param spec the specification of the index, for its version
 * @param name the name of the field
 * @throws the error that `refusal` returns
 */
export const requireGeometry = (value: Value, spec: Doc, name: string, refusal: (why: string) => Error): void => {
  if (!isArray(value) && !isDoc(value))
    throw refusal(`geo element must be an array or object: ${name}: ${show(value)}`);
  const excess = sizeFlaw(value);
  if (excess !== undefined) throw refusal(excess);
  const shape = storedShape(value);
  if (typeof shape === 'string') throw refusal(shape);
  if (shape.isStrict) throw refusal("can't index geometry with strict winding order");
  const version = spec.get('2dsphereIndexVersion');
  if (isNumber(version) && toDouble(version) === 1 && !ofVersion1.has(shape.type))
    throw refusal(`an index of version 1 does not support the type ${shape.type}`);
  const place = soundOnSphere(shape);
  if (typeof place === 'string') throw refusal(place);
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
