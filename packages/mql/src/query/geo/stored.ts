import { showDoc, show } from '../../value/show.js';
import type { Value } from '../../value/value.js';
import { isArray, isDoc, typeName } from '../../value/value.js';
import { geoJsonKinds, geoJsonOf, legacyPoint, onEarth, verticesOf } from './shape.js';

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

/**
 * Checks that a value can be an entry of a 2dsphere index.
 * @param name the name of the field
 * @throws the error that `refusal` returns
 */
export const requireGeometry = (value: Value, name: string, refusal: (why: string) => Error): void => {
  const shape = geoJsonOf(value) ?? legacyPoint(value);
  if (shape === undefined) throw refusal(reasonOf(value, name));
  const away = verticesOf(shape).find(point => !onEarth(point));
  if (away !== undefined) throw refusal(`longitude/latitude is out of bounds, lng: ${away[0]} lat: ${away[1]}`);
};
