import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Client } from '../client.js';
import { world } from '../client.js';

type Pair = readonly [x: number, y: number];

const point = (...coordinates: Pair): Document => ({ type: 'Point', coordinates });
const points = (...coordinates: readonly Pair[]): Document => ({ type: 'MultiPoint', coordinates });
const line = (...coordinates: readonly Pair[]): Document => ({ type: 'LineString', coordinates });
const lines = (...coordinates: readonly (readonly Pair[])[]): Document => ({ type: 'MultiLineString', coordinates });
const polygon = (...coordinates: readonly (readonly Pair[])[]): Document => ({ type: 'Polygon', coordinates });
const polygons = (...coordinates: readonly (readonly (readonly Pair[])[])[]): Document => ({
  type: 'MultiPolygon',
  coordinates,
});
const all = (...geometries: readonly Document[]): Document => ({ type: 'GeometryCollection', geometries });
const ring = (west: number, south: number, east: number, north: number): readonly Pair[] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
];
const square = (from: number, to: number): readonly Pair[] => ring(from, from, to, to);

const filled = async (documents: readonly Document[], index: boolean): Promise<Client> => {
  const { client } = world();
  if (index) await client.plain({ createIndexes: 'c', indexes: [{ key: { at: '2dsphere' }, name: 'at' }] });
  if (documents.length > 0)
    expect(await client.plain({ insert: 'c', documents })).toMatchObject({ n: documents.length });
  return client;
};

/** Puts names into one order. An index returns documents in the order of its cells. */
const sorted = (names: string): string => names.split(' ').sort().join(' ');

const found = async (client: Client, at: Document): Promise<string> => {
  const { cursor } = await client.plain({ find: 'c', filter: { at } });
  return cursor.firstBatch.map(({ _id }) => _id).join(' ');
};

const shapes: readonly Document[] = [
  { _id: 'point', at: point(1, 1) },
  { _id: 'points', at: points([1, 1], [20, 20]) },
  { _id: 'line', at: line([0, 0], [4, 0]) },
  { _id: 'lines', at: lines([[0, 0], [1, 1]], [[20, 20], [21, 21]]) },
  { _id: 'polygon', at: polygon(square(1, 3)) },
  { _id: 'polygons', at: polygons([square(1, 3)], [square(20, 22)]) },
  { _id: 'both', at: all(point(1, 1), line([20, 20], [21, 21])) },
  { _id: 'holed', at: polygon(square(-10, 10), square(-5, 5)) },
]; // prettier-ignore

describe.each([false, true])('shapes on the globe, with an index: %j', index => {
  test.each<readonly [Document, string]>([
    [{ $geoIntersects: { $geometry: polygon(square(0, 4)) } }, 'point points line lines polygon polygons both'],
    [{ $geoIntersects: { $geometry: polygons([square(-1, 0.5)], [square(19, 23)]) } }, 'points line lines polygons both'],
    [{ $geoIntersects: { $geometry: line([2, -1], [2, 2]) } }, 'line polygon polygons'],
    [{ $geoIntersects: { $geometry: lines([[2, -1], [2, 0.5]], [[50, 50], [51, 51]]) } }, 'line'],
    [{ $geoIntersects: { $geometry: all(line([30, 30], [31, 31]), point(20, 20)) } }, 'points lines polygons both'],
    [{ $geoIntersects: { $geometry: points([2, 2], [3, 0]) } }, 'line polygon polygons'],
    [{ $geoIntersects: { $geometry: point(7, 0) } }, 'holed'],
    [{ $geoIntersects: { $geometry: point(21, 20.5) } }, 'polygons'],
    [{ $geoWithin: { $geometry: polygon(square(-1, 5)) } }, 'point line polygon'],
    [{ $geoWithin: { $geometry: polygons([square(-1, 5)], [square(19, 23)]) } }, 'point points line lines polygon polygons both'],
    [{ $geoWithin: { $geometry: all(polygon(square(-1, 5)), point(40, 40)) } }, 'point line polygon'],
    [{ $geoWithin: { $geometry: polygon(square(-11, 11)) } }, 'point line polygon holed'],
    [{ $geoWithin: { $geometry: polygon(square(-11, 11), square(1.5, 2.5)) } }, 'point line holed'],
  ])('%j finds %s', async (at, ids) => {
    expect(sorted(await found(await filled(shapes, index), at))).toBe(sorted(ids));
  }); // prettier-ignore

  const places = [point(180, 0), point(-179.5, 0), point(0, 0), point(0, 89), point(0, 55), point(0, 41)];
  const crs = { type: 'name', properties: { name: 'urn:x-mongodb:crs:strictwinding:EPSG:4326' } };
  const around: readonly Pair[] = ring(-10, 40, 10, 60);

  test.each<readonly [string, Document, string]>([
    ['across the meridian of 180 degrees', { $geoWithin: { $geometry: polygon([[179, -1], [-179, -1], [-179, 1], [179, 1], [179, -1]]) } }, '0 1'],
    ['on a line across the meridian of 180 degrees', { $geoIntersects: { $geometry: line([179, 0], [-179, 0]) } }, '0 1'],
    ['around a pole', { $geoWithin: { $geometry: polygon([[0, 80], [90, 80], [180, 80], [-90, 80], [0, 80]]) } }, '3'],
    ['between arcs, which bend towards the pole', { $geoWithin: { $geometry: polygon(ring(-40, 40, 40, 50)) } }, '4'],
    ['in the smaller part of the globe', { $geoWithin: { $geometry: polygon([...around].reverse()) } }, '4 5'],
    ['in the part to the left of a strict ring', { $geoWithin: { $geometry: { ...polygon(around), crs } } }, '4 5'],
    ['in the larger part to the left of a strict ring', { $geoWithin: { $geometry: { ...polygon([...around].reverse()), crs } } }, '0 1 2 3'],
  ])('finds points %s', async (_title, at, ids) => {
    const client = await filled(places.map((place, _id) => ({ _id, at: place })), index);
    expect(sorted(await found(client, at))).toBe(sorted(ids));
  }); // prettier-ignore
});

test('$near measures the distance to the nearest point of each shape in meters', async () => {
  const client = await filled(shapes.slice(0, 7), true);
  const pipeline = [
    { $geoNear: { near: point(3, 1), distanceField: 'd' } },
    { $project: { d: { $round: '$d' } } },
    { $sort: { _id: 1 } },
  ];
  const { cursor } = await client.plain({ aggregate: 'c', pipeline, cursor: {} });
  const far = 222_604;
  expect(Object.fromEntries(cursor.firstBatch.map(({ _id, d }) => [_id, d]))).toEqual({
    ...{ point: far, points: far, lines: far, both: far },
    ...{ line: 111_319, polygon: 0, polygons: 0 },
  });
  expect(await found(client, { $near: { $geometry: point(3, 1), $maxDistance: 112_000 } })).toBe(
    'polygon polygons line',
  );
});

test.each<readonly [Document, string]>([
  [polygon(square(0, 1).slice(0, 4)), 'Loop is not closed'],
  [polygon([[0, 0], [1, 1], [0, 1], [1, 0], [0, 0]]), 'Loop is not valid: edges cross'],
  [polygon([[0, 0], [1, 0], [1, 0], [0, 0]]), 'Loop must have at least 3 different vertices'],
  [polygon([[0, 0], [4, 0], [2, 2], [4, 4], [0, 4], [2, 2], [0, 0]]), 'Loop is not valid: duplicate vertices'],
  [polygon(square(0, 5), square(10, 12)), 'Secondary loops not contained by first exterior loop - secondary loops must be holes'],
  [polygon(square(0, 5), square(4, 6)), 'Secondary loops not contained by first exterior loop - secondary loops must be holes'],
  [polygon(square(0, 5), square(0, 5)), 'Polygon is not valid: a hole shares more than one vertex with the outline'],
  [polygon(square(0, 9), square(1, 3), square(2, 4)), 'Polygon is not valid: loops cross'],
  [line([0, 0], [0, 0]), 'GeoJSON LineString must have at least 2 vertices'],
  [line([0, 0]), 'GeoJSON LineString must have at least 2 vertices'],
  [points(), 'MultiPoint coordinates must have at least 1 element'],
  [lines(), 'MultiLineString coordinates must have at least 1 element'],
  [polygons(), 'MultiPolygon coordinates must have at least 1 element'],
  [{ ...point(1, 1), crs: { type: 'name', properties: { name: 'EPSG:2000' } } }, 'Unknown CRS name: EPSG:2000'],
])('%j is rejected in queries and in documents of a 2dsphere index', async (at, flaw) => {
  const client = await filled([], true);
  expect(await client.refusal({ find: 'c', filter: { at: { $geoIntersects: { $geometry: at } } } })).toBe(`2 ${flaw}`);
  const { writeErrors } = await client.plain({ insert: 'c', documents: [{ _id: 1, at }] });
  expect(writeErrors).toMatchObject([{ code: 16755, errmsg: expect.stringMatching(new RegExp(`  ${flaw}$`)) }]);
}); // prettier-ignore

describe('a large polygon', () => {
  const flaw = 'Polygons may have at most 20000 points and 2 MB on this server, but this geometry has';
  /** A circle. The last point equals the first. */
  const circle = (length: number): Document => {
    const at = (i: number): Pair => {
      const angle = (2 * Math.PI * (i % (length - 1))) / (length - 1);
      return [Math.cos(angle), Math.sin(angle)];
    };
    return polygon(Array.from({ length }, (_, i) => at(i)));
  };

  test.each<readonly [string, Document, string]>([
    ['of 20,001 points', circle(20_001), `${flaw} 20001 points`],
    ['of more than 2 MB', { ...circle(4), note: 'x'.repeat(2 ** 21) }, `${flaw} \\d+ bytes`],
  ])('%s is rejected in queries and in documents of a 2dsphere index', async (_, at, expected) => {
    const client = await filled([], true);
    for (const operator of ['$geoIntersects', '$geoWithin']) {
      const filter = { at: { [operator]: { $geometry: at } } };
      expect(await client.refusal({ find: 'c', filter })).toMatch(new RegExp(`^2 ${expected}$`));
    }
    const { writeErrors } = await client.plain({ insert: 'c', documents: [{ _id: 1, at }] });
    expect(writeErrors).toMatchObject([{ code: 16755, errmsg: expect.stringMatching(new RegExp(`  ${expected}$`)) }]);
  });

  test('is rejected if two of its 20,000 edges cross', async () => {
    const at = circle(20_000);
    const points = (at['coordinates'] as Pair[][])[0]!;
    const crossed = polygon(points.with(7000, points[9000]!).with(9000, points[7000]!));
    const client = await filled([], true);
    expect(await client.refusal({ find: 'c', filter: { at: { $geoIntersects: { $geometry: crossed } } } })).toBe(
      '2 Loop is not valid: edges cross',
    );
    expect(await client.refusal({ find: 'c', filter: { at: { $geoIntersects: { $geometry: at } } } })).toMatch(
      /ok: 1$/,
    );
  });

  test('is accepted up to 20,000 points', async () => {
    const circles = await filled([{ _id: 1, at: circle(20_000) }], true);
    expect(await found(circles, { $geoIntersects: { $geometry: point(0, 0) } })).toBe('1');
    const centers = await filled([{ _id: 1, at: point(0, 0) }], true);
    expect(await found(centers, { $geoWithin: { $geometry: circle(20_000) } })).toBe('1');
  });
});
