import { describe, expect, test } from 'vitest';
import type { GeoIndexes } from '../src/query/geo/near.js';
import { parseQuery } from '../src/query/parse.js';
import type { Fields } from './query-cases.js';
import { asDoc } from './query-cases.js';
import { refusal } from './shorthand.js';

const square = [[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]; // prettier-ignore
const named = (name: unknown, type: unknown = 'name'): unknown => ({ type, properties: { name } });
const strict = named('urn:x-mongodb:crs:strictwinding:EPSG:4326');

const malformed: readonly (readonly [shape: unknown, why: RegExp])[] = [
  [{}, /unknown GeoJSON type/],
  [{ type: 1, coordinates: [0, 0] }, /unknown GeoJSON type/],
  [{ type: 'point', coordinates: [0, 0] }, /unknown GeoJSON type/],
  [{ type: 'Point' }, /Point must be an array or object, instead got type missing/],
  [{ type: 'Point', coordinates: 'x' }, /Point must be an array or object, instead got type string/],
  [{ type: 'Point', coordinates: [] }, /Point must only contain numeric elements/],
  [{ type: 'Point', coordinates: [1] }, /Point must only contain numeric elements/],
  [{ type: 'Point', coordinates: ['1', 2] }, /Point must only contain numeric elements/],
  [{ type: 'Point', coordinates: [Number.NaN, 0] }, /Point coordinates must be finite numbers/],
  [{ type: 'Point', coordinates: [0, Number.POSITIVE_INFINITY] }, /Point coordinates must be finite numbers/],
  [{ type: 'Point', coordinates: [181, 0] }, /longitude\/latitude is out of bounds, lng: 181 lat: 0/],
  [{ type: 'Point', coordinates: [0, -90.5] }, /longitude\/latitude is out of bounds, lng: 0 lat: -90.5/],
  [{ type: 'MultiPoint', coordinates: 1 }, /MultiPoint coordinates must be an array/],
  [{ type: 'MultiPoint', coordinates: [] }, /MultiPoint coordinates must have at least 1 element/],
  [{ type: 'MultiPoint', coordinates: [{ x: 1, y: 1 }] }, /GeoJSON coordinates must be an array/],
  [{ type: 'LineString', coordinates: { a: [0, 0], b: [1, 1] } }, /GeoJSON coordinates must be an array/],
  [{ type: 'LineString', coordinates: [[0, 0]] }, /GeoJSON LineString must have at least 2 vertices/],
  [{ type: 'LineString', coordinates: [[1, 1], [1, 1]] }, /GeoJSON LineString must have at least 2 vertices/],
  [{ type: 'MultiLineString', coordinates: [] }, /MultiLineString coordinates must have at least 1 element/],
  [{ type: 'MultiLineString', coordinates: [[[0, 0]]] }, /GeoJSON LineString must have at least 2 vertices/],
  [{ type: 'Polygon', coordinates: 1 }, /Polygon coordinates must be an array/],
  [{ type: 'Polygon', coordinates: [] }, /Polygon has no loops/],
  [{ type: 'Polygon', coordinates: [[]] }, /Loop has no vertices/],
  [{ type: 'Polygon', coordinates: [[[0, 0]]] }, /Loop must have at least 3 different vertices/],
  [{ type: 'Polygon', coordinates: [[[0, 0], [0, 0], [0, 0], [0, 0]]] }, /Loop must have at least 3 different vertices/],
  [{ type: 'Polygon', coordinates: [square.slice(0, 4)] }, /Loop is not closed/],
  [{ type: 'Polygon', coordinates: [[[0, 0], [4, 4], [4, 0], [0, 4], [0, 0]]] }, /Loop is not valid: edges cross/],
  [{ type: 'Polygon', coordinates: [square, square] }, /Polygon is not valid/],
  [{ type: 'MultiPolygon', coordinates: [] }, /MultiPolygon coordinates must have at least 1 element/],
  [{ type: 'MultiPolygon', coordinates: [[]] }, /Polygon has no loops/],
  [{ type: 'GeometryCollection' }, /GeometryCollection geometries must be an array/],
  [{ type: 'GeometryCollection', geometries: [] }, /GeometryCollection geometries must have at least 1 element/],
  [{ type: 'GeometryCollection', geometries: [[1, 2]] }, /Element 0 of "geometries" is not an object/],
  [{ type: 'GeometryCollection', geometries: [{ type: 'x' }] }, /unknown GeoJSON type/],
  [{ type: 'GeometryCollection', geometries: [{ type: 'GeometryCollection', geometries: [] }] }, /cannot be nested/],
  [
    { type: 'GeometryCollection', geometries: [{ type: 'Polygon', coordinates: [square], crs: strict }] },
    /strict winding order CRS is only supported for a standalone Polygon/,
  ],
  [{ type: 'Point', coordinates: [0, 0], crs: 1 }, /GeoJSON CRS must be an object/],
  [{ type: 'Point', coordinates: [0, 0], crs: named('EPSG:4326', 'x') }, /must have field "type": "name"/],
  [{ type: 'Point', coordinates: [0, 0], crs: { type: 'name' } }, /CRS must have field "properties"/],
  [{ type: 'Point', coordinates: [0, 0], crs: named(1) }, /"properties.name" must be a string/],
  [{ type: 'Point', coordinates: [0, 0], crs: named('x') }, /Unknown CRS name: x/],
  [{ type: 'Point', coordinates: [0, 0], crs: strict }, /Strict winding order is only supported by polygon/],
  [{ type: 'MultiPolygon', coordinates: [[square]], crs: strict }, /Strict winding order is only supported by polygon/],
]; // prettier-ignore

const everywhere = { $geoIntersects: { $geometry: { type: 'Polygon', coordinates: [[[-80, -80], [80, -80], [80, 80], [-80, 80], [-80, -80]]] } } }; // prettier-ignore

describe('malformed GeoJSON', () => {
  test.each(malformed)('is rejected in a query: %j', (shape, why) => {
    const answer = refusal(() => parseQuery(asDoc({ at: { $geoIntersects: { $geometry: shape } } } as Fields)));
    expect(answer).toMatch(/^2 BadValue: /);
    expect(answer).toMatch(why);
  });

  test.each(malformed)('matches nothing in a document: %j', shape => {
    expect(parseQuery(asDoc({ at: everywhere })).matches(asDoc({ at: shape } as Fields))).toBe(false);
  });
});

const matches = (at: unknown, stored: unknown): boolean =>
  parseQuery(asDoc({ at } as Fields)).matches(asDoc({ at: stored } as Fields));

describe('a pair of coordinates', () => {
  test.each([
    [[1, 2], true],
    [[1, 2, 'more'], true],
    [{ x: 1, y: 2, more: true }, true],
    [{ x: 1, y: 2, type: 'Point', coordinates: [170, 85] }, true],
    [{ x: 1, type: 'Point', coordinates: [1, 2] }, true],
    [[[170, 85], [1, 2]], true],
    [[[[1, 2]]], false],
    [[1, '2'], false],
    [{ more: true, x: 1, y: 2 }, false],
    [[1, Number.NaN], false],
    [[1, 91], false],
  ])('in a document is read from %j: %s', (stored, expected) => {
    expect(matches(everywhere, stored)).toBe(expected);
  }); // prettier-ignore

  test('must not have other elements in a query', () => {
    expect(refusal(() => parseQuery(asDoc({ a: { $geoIntersects: { $geometry: [1, 2, 3] } } })))).toBe(
      '2 BadValue: Point must only contain two numeric elements',
    );
  });
});

describe('a region of a plane', () => {
  const line = { type: 'LineString', coordinates: [[1, 1], [2, 2]] }; // prettier-ignore
  const many = { type: 'MultiPoint', coordinates: [[1, 1]] };
  test.each([
    [{ $geoWithin: { $box: [[4, 4], [0, 0]] } }, { type: 'Point', coordinates: [1, 1] }, true],
    [{ $geoWithin: { $box: [[0, 0], [4, 4]] } }, line, false],
    [{ $geoWithin: { $box: [[0, 0], [4, 4]] } }, many, false],
    [{ $geoWithin: { $center: [[0, 0], 4] } }, line, false],
    [{ $geoWithin: { $polygon: [[0, 0], [4, 0], [4, 4]] } }, many, false],
    [{ $geoWithin: { $box: [[0, 0], [400, 400]] } }, [300, 300], true],
    [{ $geoWithin: { $center: [[5, 52], 0.0001] } }, [5, 51.9999], true],
    [{ $geoWithin: { $center: [[5, 52], 0.0001] } }, [5.0001, 52.0001], false],
    [{ $geoWithin: { $polygon: [[0, 0], [4, 4], [8, 0]] } }, [2, 2], false],
    [{ $geoWithin: { $polygon: [[0, 0], [4, 4], [8, 0]] } }, [6, 2], true],
    [{ $geoWithin: { $polygon: [[0, 0], [4, 4], [8, 0]] } }, [5, 0], true],
    [{ $geoWithin: { $polygon: { a: [0, 0], b: [4, 4], c: [8, 0] } } }, [4, 4], true],
  ])('%j contains %j: %s', (at, stored, expected) => {
    expect(matches(at, stored)).toBe(expected);
  }); // prettier-ignore
});

describe('a circle on the globe', () => {
  test.each([
    [{ $geoWithin: { $centerSphere: [[0, 0], 0.1] } }, [1, 91], false],
    [{ $geoWithin: { $centerSphere: [[0, 0], Number.POSITIVE_INFINITY] } }, [180, 0], true],
    [{ $geoIntersects: { $centerSphere: [[0, 0], 0.1] } }, [1, 1], true],
    [{ $geoIntersects: { $centerSphere: [[0, 0], 0.1] } }, [9, 9], false],
  ])('%j with %j: %s', (at, stored, expected) => {
    expect(matches(at, stored)).toBe(expected);
  });
});

test('a polygon larger than half of the globe does not contain a polygon around its hole', () => {
  const around = { type: 'Polygon', coordinates: [[[-20, -20], [20, -20], [20, 20], [-20, 20], [-20, -20]]] }; // prettier-ignore
  const big = { type: 'Polygon', coordinates: [[[0, 0], [0, 4], [4, 4], [4, 0], [0, 0]]], crs: strict }; // prettier-ignore
  expect(matches({ $geoWithin: { $geometry: big } }, around)).toBe(false);
  expect(matches({ $geoIntersects: { $geometry: big } }, around)).toBe(true);
});

describe('polygons on the globe', () => {
  const ring = (west: number, south: number, east: number, north: number): readonly (readonly number[])[] => [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  const polygon = (...coordinates: unknown[]): unknown => ({ type: 'Polygon', coordinates });
  test.each([
    ['share an edge', polygon(ring(4, 0, 8, 4)), false],
    ['share a corner', polygon(ring(4, 4, 8, 8)), false],
    ['are equal', polygon(ring(0, 0, 4, 4)), true],
    ['contain each other', polygon(ring(-9, -9, 9, 9)), true],
    ['overlap', polygon(ring(2, 2, 8, 8)), true],
    ['share a corner from inside', polygon([[0, 0], [2, 1], [1, 2], [0, 0]]), true],
    ['fill the hole of the other', polygon(ring(-9, -9, 9, 9), ring(0, 0, 4, 4)), false],
    ['share all corners but one edge', polygon([[0, 0], [4, 0], [4, 4], [0, 0]]), true],
    ['are far apart', polygon(ring(40, 40, 44, 44)), false],
  ])('that %s intersect: %s', (_relation, $geometry, expected) => {
    expect(matches({ $geoIntersects: { $geometry } }, polygon(ring(0, 0, 4, 4)))).toBe(expected);
  }); // prettier-ignore

  test('intersect lines and points on their borders', () => {
    const $geometry = polygon(ring(0, 0, 4, 4));
    for (const shape of [
      { type: 'Point', coordinates: [4, 4] },
      { type: 'LineString', coordinates: [[4, 4], [9, 9]] }, // prettier-ignore
    ])
      expect(matches({ $geoIntersects: { $geometry } }, shape)).toBe(true);
  });
});

describe('a region', () => {
  const box = [[0, 0], [1, 1]]; // prettier-ignore
  test.each([
    [{ $within: { $box: [[8, 8], [9, 9]], $center: [[1, 1], 1] } }, true],
    [{ $geoWithin: { $uniqueDocs: true, $box: box } }, true],
    [{ $within: { $box: box, $uniqueDocs: false } }, true],
  ])('is the last one of %j', (at, expected) => {
    expect(matches(at, [1, 1])).toBe(expected);
  }); // prettier-ignore

  test.each([
    [{ $geoWithin: 1 }, /geometry must be an object/],
    [{ $geoWithin: [] }, /geometry must be an object/],
    [{ $geoWithin: {} }, /geo query doesn't have any geometry/],
    [{ $geoWithin: { $uniqueDocs: true } }, /geo query doesn't have any geometry/],
    [{ $geoWithin: { $box: box, $uniqueDocs: true } }, /doesn't accept multiple shapes/],
    [{ $geoWithin: { $box: box, $center: [[0, 0], 1] } }, /doesn't accept multiple shapes/],
    [{ $geoWithin: { $box: box }, $exists: true }, /can't parse extra field/],
    [{ $exists: true, $geoIntersects: { $geometry: [0, 0] } }, /can't parse extra field/],
    [{ $geoWithin: { $box: 1 } }, /unknown geo specifier/],
    [{ $geoWithin: { $box: [[0, 0]] } }, /Point must be an array or object, instead got type missing/],
    [{ $geoWithin: { $box: [[0, 0], [1, 1, 1]] } }, /two numeric elements/],
    [{ $geoWithin: { $polygon: [[0, 0], [1, 1]] } }, /Polygon must have at least 3 points/],
    [{ $geoWithin: { $polygon: [[0, 0], [1, 1], [1, Number.NaN]] } }, /finite numbers/],
    [{ $geoWithin: { $center: [[0, 0]] } }, /radius must be a non-negative number/],
    [{ $geoWithin: { $center: [[0, 0], '1'] } }, /radius must be a non-negative number/],
    [{ $geoWithin: { $center: [[0, 0], 1, 1] } }, /Only 2 fields allowed for circular region/],
    [{ $geoWithin: { $centerSphere: [[0, 91], 1] } }, /out of bounds/],
    [{ $geoWithin: { $geometry: { type: 'Point', coordinates: [0, 0] } } }, /\$within not supported/],
    [{ $geoIntersects: { $box: box } }, /\$geoIntersect not supported/],
    [{ $geoIntersects: { $geometry: [0, 91] } }, /out of bounds/],
  ])('%j is rejected', (at, why) => {
    const answer = refusal(() => parseQuery(asDoc({ at })));
    expect(answer).toMatch(/^2 BadValue: /);
    expect(answer).toMatch(why);
  }); // prettier-ignore
});

describe('$near', () => {
  const geo: GeoIndexes = new Map([
    ['flat', '2d'],
    ['globe', '2dsphere'],
    ['both', 'both'],
  ]);
  const at = (...coordinates: readonly number[]): unknown => ({ type: 'Point', coordinates });
  const answer = (path: string, near: unknown): string =>
    refusal(() => parseQuery(asDoc({ [path]: near } as Fields), { geo }));

  test.each([
    [{ $near: [0, 0], $minDistance: 'x' }, '16893 '],
    [{ $near: [0, 0], $minDistance: -1 }, '16894 '],
    [{ $near: [0, 0], $maxDistance: 'x' }, '16895 '],
    [{ $near: [0, 0], $maxDistance: -1 }, '16896 '],
    [{ $near: [0, 0], $maxDistance: Number.NaN }, '16896 '],
    [{ $near: [0, 0, -1] }, '18522 '],
    [{ $near: [0, 0], $gt: 1 }, '34413 '],
    [{ $near: [0] }, '2 '],
    [{ $near: [0, 0, 0, 0] }, '2 '],
    [{ $near: 1 }, '2 BadValue: near must be first in'],
    [{ $maxDistance: 1, $near: [0, 0] }, '2 BadValue: near must be first in'],
    [{ $near: {} }, '2 BadValue: invalid point provided'],
    [{ $near: { type: 'LineString', coordinates: [] } }, '2 BadValue: invalid point provided'],
    [{ $near: { $geometry: [0, 0] } }, '2 BadValue: $near requires geojson point'],
    [{ $near: { $geometry: { type: 'x', coordinates: [0, 0] } } }, '2 BadValue: invalid point in geo near query'],
    [{ $near: { $geometry: 1 } }, '2 BadValue: $geometry is required'],
    [{ $near: { $geometry: at(0, 0), $minDistance: 'x' } }, '2 BadValue: $minDistance must be a number'],
    [{ $near: { $geometry: at(0, 0), $maxDistance: Number.POSITIVE_INFINITY } }, '2 BadValue: $maxDistance must be non-negative'],
    [{ $near: { $geometry: at(0, 0), other: 1 } }, '2 BadValue: invalid argument in geo near query: other'],
    [{ $near: { $geometry: at(0, 0) }, $maxDistance: 1 }, '2 BadValue: geo near accepts just one argument'],
    [{ $nearSphere: [0, 91] }, '2 BadValue: Legacy point is out of bounds'],
  ])('%j is rejected with %s', (near, code) => {
    expect(answer('both', near).slice(0, code.length)).toBe(code);
  }); // prettier-ignore

  test.each([
    ['flat', { $near: [0, 0] }, true],
    ['flat', { $nearSphere: [0, 0] }, true],
    ['flat', { $near: at(0, 0) }, false],
    ['flat', { $near: { $geometry: at(0, 0) } }, false],
    ['globe', { $near: [0, 0] }, false],
    ['globe', { $nearSphere: [0, 0] }, true],
    ['globe', { $geoNear: at(0, 0) }, true],
    ['both', { $near: [0, 0] }, true],
    ['both', { $near: at(0, 0) }, true],
    ['none', { $near: [0, 0] }, false],
  ])('uses the index of %s for %j: %s', (path, near, expected) => {
    if (expected) expect(parseQuery(asDoc({ [path]: near } as Fields), { geo }).predicates).toMatchObject([{ path }]);
    else expect(answer(path, near)).toMatch(/^291 /);
  });

  test('reads a third number as the greatest distance', () => {
    const matcher = parseQuery(asDoc({ flat: { $near: [0, 0, 2] } }), { geo });
    expect([1, 3].map(x => matcher.matches(asDoc({ flat: [x, 0] })))).toEqual([true, false]);
  });

  test('finds points at the greatest distance along an axis', () => {
    const matcher = parseQuery(asDoc({ flat: { $near: [5, 52], $maxDistance: 0.0001 } }), { geo });
    const stored = [[5, 51.9999], [5, 52.0001], [4.9999, 52], [5.0001, 52], [5.0001, 52.0001]]; // prettier-ignore
    expect(stored.map(flat => matcher.matches(asDoc({ flat })))).toEqual([true, true, true, true, false]);
  });

  test('is accepted as the only clause of $or', () => {
    expect(parseQuery(asDoc({ $or: [{ flat: { $near: [0, 0] } }] }), { geo }).matches(asDoc({ flat: [1, 1] }))).toBe(
      true,
    );
    expect(refusal(() => parseQuery(asDoc({ $or: [{ flat: { $near: [0, 0] } }, { a: 1 }] }), { geo }))).toMatch(
      /top-level/,
    );
  });

  test('on the globe does not find points beyond it', () => {
    const matcher = parseQuery(asDoc({ flat: { $nearSphere: [0, 0] } }), { geo });
    expect([90, 91].map(y => matcher.matches(asDoc({ flat: [0, y] })))).toEqual([true, false]);
  });
});
