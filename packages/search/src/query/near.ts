import type { Fields } from '../fields.js';
import type { Point } from '../index/point.js';
import { distanceOf, pointOf } from '../index/point.js';
import type { Scalar } from '../values.js';
import { scalarOf } from '../values.js';
import type { Hits, Query } from './query.js';
import { addScores, constantly, noMarks } from './query.js';
import { scoredByDistance } from './scalar-queries.js';

/** Parses `near`. @throws SearchError */
export const parseNear = (fields: Fields): Query => {
  fields.allow('path', 'origin', 'pivot', 'score');
  const paths = fields.strings('path');
  const pivot = fields.positive('pivot');
  const origin = fields.required('origin');
  const point = pointOf(origin);
  const scalar = scalarOf(origin);
  if (point === undefined && scalar?.kind !== 'number' && scalar?.kind !== 'date')
    throw fields.problem('origin', 'must be a number, a date or a GeoJSON point');
  const distance = (value: Scalar): number => Math.abs((value.value as number) - (scalar!.value as number));
  return {
    run: level => {
      const hits: Hits = new Map();
      for (const path of paths) {
        const found =
          point === undefined
            ? scoredByDistance(level.scalars(path).get(scalar!.kind)?.column.entries() ?? [], pivot, distance)
            : scoredByDistance(level.points.get(path)?.entries() ?? [], pivot, value => distanceOf(value, point));
        addScores(hits, found);
      }
      return hits;
    },
    marks: noMarks,
  };
};

type Shape = (point: Point) => boolean;

const requiredPoint = (fields: Fields, field: string): Point => {
  const point = pointOf(fields.required(field));
  if (point === undefined) throw fields.problem(field, 'must be a GeoJSON point');
  return point;
};

const box = (fields: Fields): Shape => {
  fields.allow('bottomLeft', 'topRight');
  const from = requiredPoint(fields, 'bottomLeft');
  const to = requiredPoint(fields, 'topRight');
  return ({ longitude, latitude }) => {
    const isWithin =
      from.longitude <= to.longitude
        ? longitude >= from.longitude && longitude <= to.longitude
        : longitude >= from.longitude || longitude <= to.longitude;
    return isWithin && latitude >= from.latitude && latitude <= to.latitude;
  };
};

const circle = (fields: Fields): Shape => {
  fields.allow('center', 'radius');
  const center = requiredPoint(fields, 'center');
  const radius = fields.optionalNumber('radius', 0);
  if (radius < 0) throw fields.problem('radius', 'cannot be negative');
  return point => distanceOf(point, center) <= radius;
};

/** Returns whether a point is within a ring, whose edges are straight in longitude and latitude. */
const isInside = ({ longitude, latitude }: Point, ring: readonly (readonly [number, number])[]): boolean => {
  let inside = false;
  for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) {
    const [x, y] = ring[i]!;
    const [x2, y2] = ring[j]!;
    if (y > latitude !== y2 > latitude && longitude < ((x2 - x) * (latitude - y)) / (y2 - y) + x) inside = !inside;
  }
  return inside;
};

type Polygon = readonly (readonly (readonly [number, number])[])[];

const isPolygon = (value: unknown): value is Polygon =>
  Array.isArray(value) &&
  value.every(
    ring =>
      Array.isArray(ring) &&
      ring.every(pair => Array.isArray(pair) && typeof pair[0] === 'number' && typeof pair[1] === 'number'),
  );

const geometry = (fields: Fields): Shape => {
  const type = fields.oneOf('type', ['Polygon', 'MultiPolygon']);
  const coordinates = fields.required('coordinates');
  const polygons: readonly unknown[] = type === 'Polygon' ? [coordinates] : (coordinates as readonly unknown[]);
  if (!Array.isArray(polygons) || !polygons.every(isPolygon))
    throw fields.problem('coordinates', `must be the coordinates of a ${type}`);
  return point =>
    polygons.some(
      ([outer, ...holes]) =>
        outer !== undefined && isInside(point, outer) && !holes.some(hole => isInside(point, hole)),
    );
};

const shapes: Readonly<Record<string, (fields: Fields) => Shape>> = { box, circle, geometry };

/** Parses `geoWithin`. @throws SearchError */
export const parseGeoWithin = (fields: Fields): Query => {
  fields.allow('path', 'score', ...Object.keys(shapes));
  const paths = fields.strings('path');
  const given = Object.keys(shapes).filter(name => fields.has(name));
  if (given.length !== 1) throw fields.problem('path', `needs exactly one of [${Object.keys(shapes).join(', ')}]`);
  const contains = shapes[given[0]!]!(fields.child(given[0]!));
  return {
    run: level =>
      constantly(
        paths.flatMap(path =>
          [...(level.points.get(path)?.entries() ?? [])]
            .filter(([, values]) => values.some(({ value }) => contains(value)))
            .map(([unit]) => unit),
        ),
      ),
    marks: noMarks,
  };
};
