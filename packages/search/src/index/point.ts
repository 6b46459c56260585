import { isDocument, scalarOf } from '../values.js';

/** A point on the earth, in degrees. */
export interface Point {
  readonly longitude: number;
  readonly latitude: number;
}

const numberOf = (value: unknown): number | undefined => {
  const scalar = scalarOf(value);
  return scalar?.kind === 'number' ? (scalar.value as number) : undefined;
};

/** Returns a GeoJSON point, or undefined for any other value. */
export const pointOf = (value: unknown): Point | undefined => {
  if (!isDocument(value) || value['type'] !== 'Point') return undefined;
  const coordinates: unknown = value['coordinates'];
  if (!Array.isArray(coordinates)) return undefined;
  const [longitude, latitude] = [numberOf(coordinates[0]), numberOf(coordinates[1])];
  if (longitude === undefined || latitude === undefined) return undefined;
  return Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90 ? { longitude, latitude } : undefined;
};

const earthRadius = 6_371_008.8;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Returns the distance of two points on a sphere, in meters. */
export const distanceOf = (a: Point, b: Point): number => {
  const latitude = Math.sin(radians(b.latitude - a.latitude) / 2);
  const longitude = Math.sin(radians(b.longitude - a.longitude) / 2);
  const square = latitude ** 2 + Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * longitude ** 2;
  return 2 * earthRadius * Math.asin(Math.min(1, Math.sqrt(square)));
};
