import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Matcher, Value } from '@tessera/mql/engine';
import { BinaryValue, Doc, byDistance, parseQuery, pause, toDouble } from '@tessera/mql/engine';
import type { Collection } from '../src/index.js';
import {
  addIndex,
  emptyCollection,
  geoIndexesOf,
  insertRecord,
  parseIndexSpec,
  planOf,
  replaceRecord,
  rowsOf,
} from '../src/index.js';
import { v } from '../../mql/test/shorthand.js';
import type { Shorthand } from '../../mql/test/shorthand.js';

const edit = { for: 'a test' };
const uuid = new BinaryValue(4, new Uint8Array(16));

const docOf = (fields: Shorthand): Doc => Doc.fromBytes((v(fields) as Doc).bytes);

const filled = (
  docs: readonly Shorthand[],
  key: Shorthand,
  more: Readonly<Record<string, Shorthand>> = {},
): Collection => {
  const settings = { ns: 'db.c', uuid, options: Doc.EMPTY, capped: undefined, validator: undefined };
  const definition = parseIndexSpec(docOf({ key, name: 'walked', ...more }));
  const empty = addIndex(emptyCollection(settings), definition, edit);
  return docs.reduce<Collection>((all, doc) => insertRecord(all, docOf(doc), edit), empty);
};

interface Walked {
  readonly ids: readonly number[];
  readonly index: string | undefined;
  /** The number of documents that were read. */
  readonly read: number;
}

const idOf = (doc: Doc): number => toDouble(doc.get('_id') as number);

/** Follows the plan of a filter until `most` documents are found. */
const walked = (collection: Collection, filter: Shorthand, most = Infinity): Walked => {
  const whole = parseQuery(v(filter) as Doc, { geo: geoIndexesOf(collection) });
  let read = 0;
  const matcher: Matcher = {
    ...whole,
    complete: false,
    matches: doc => {
      read += 1;
      return whole.matches(doc);
    },
  };
  const isNear = whole.predicates.some(({ op }) => op === 'near');
  const plan = planOf(collection, {
    matcher,
    sort: isNear ? byDistance : undefined,
    hint: undefined,
    collation: undefined,
  });
  const ids: number[] = [];
  for (const row of rowsOf(collection, plan, matcher)) {
    if (row !== pause) ids.push(idOf(row.doc));
    if (ids.length >= most) break;
  }
  return { ids, index: plan.index?.definition.name, read };
};

/** Tests all documents, in the order in which they were inserted, or by distance. */
const scanned = (collection: Collection, filter: Shorthand): readonly number[] => {
  const { matches, predicates } = parseQuery(v(filter) as Doc, { geo: geoIndexesOf(collection) });
  const docs = [...collection.records].map(([, doc]) => doc.view()).filter(matches);
  return predicates.some(({ op }) => op === 'near') ? docs.sort(byDistance.compare).map(idOf) : docs.map(idOf);
};

const inOrder = (ids: readonly number[]): readonly number[] => [...ids].sort((a, b) => a - b);

/** Longitudes and latitudes, with many near the antimeridian and the poles. */
const longitude = fc.oneof(
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.constantFrom(-180, 180, 179.999, -179.999, 0),
);
const latitude = fc.oneof(fc.double({ min: -90, max: 90, noNaN: true }), fc.constantFrom(-90, 90, 89.99, -89.99, 0));
const place = fc.tuple(longitude, latitude).map(pair => [...pair] as const);
type Pair = readonly [number, number];

const point = fc.record({ type: fc.constant('Point'), coordinates: place });
const line = fc
  .tuple(place, place)
  .filter(([a, b]) => a[0] !== b[0] || a[1] !== b[1])
  .map(([a, b]) => ({ type: 'LineString', coordinates: [a, b] }));
/** A triangle or a ring of several points around a center. */
const around = (center: Pair, size: number, corners: number): readonly Pair[] => {
  const ring = Array.from({ length: corners }, (_, i): Pair => {
    const angle = (2 * Math.PI * i) / corners;
    const latitudeThere = Math.max(-89.9, Math.min(89.9, center[1] + size * Math.sin(angle)));
    const turned = center[0] + (size * Math.cos(angle)) / Math.max(0.05, Math.cos((latitudeThere * Math.PI) / 180));
    return [((((turned + 180) % 360) + 360) % 360) - 180, latitudeThere];
  });
  return [...ring, ring[0]!];
};
const polygon = fc
  .tuple(place, fc.double({ min: 0.001, max: 40, noNaN: true }), fc.integer({ min: 3, max: 7 }))
  .map(([center, size, corners]) => ({ type: 'Polygon', coordinates: [around(center, size, corners)] }));
const stored = fc.oneof({ weight: 4, arbitrary: point }, line, polygon);

const isSound = (at: Shorthand): boolean => {
  try {
    parseQuery(v({ at: { $geoIntersects: { $geometry: at } } }) as Doc);
    return true;
  } catch {
    return false;
  }
};
const sound = stored.filter(isSound);

const globeFilter: fc.Arbitrary<Shorthand> = fc.oneof(
  polygon.filter(isSound).map(shape => ({ $geoWithin: { $geometry: shape } })),
  sound.map(shape => ({ $geoIntersects: { $geometry: shape } })),
  fc
    .tuple(place, fc.double({ min: 0, max: 3.2, noNaN: true }))
    .map(([center, radius]) => ({ $geoWithin: { $centerSphere: [center, radius] } })),
  fc.tuple(place, fc.double({ min: 0, max: 2e7, noNaN: true }), fc.boolean()).map(([coordinates, distance, isFar]) => ({
    $near: { $geometry: { type: 'Point', coordinates }, [isFar ? '$minDistance' : '$maxDistance']: distance },
  })),
  place.map(coordinates => ({ $nearSphere: coordinates })),
);

const ofField = (filter: Shorthand): Shorthand => ({ at: filter });

const check = (collection: Collection, filter: Shorthand): void => {
  const { ids, index } = walked(collection, filter);
  const expected = scanned(collection, filter);
  const isNear = /\$near/.test(JSON.stringify(filter));
  expect(index).toBe('walked');
  expect(isNear ? ids : inOrder(ids)).toEqual(isNear ? expected : inOrder(expected));
};

describe('a walked index has the results of a scan', () => {
  test('2dsphere', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(fc.array(sound, { maxLength: 25 }), globeFilter, (shapes, filter) => {
        check(
          filled(
            shapes.map((at, _id) => ({ _id, at })),
            { at: '2dsphere' },
          ),
          ofField(filter),
        );
      }),
      { numRuns: 400 },
    );
  });

  test('2dsphere beside other fields, with arrays of places', { timeout: 60_000 }, () => {
    const docs = fc.array(fc.record({ k: fc.integer({ min: 0, max: 2 }), at: fc.array(point, { maxLength: 3 }) }), {
      maxLength: 25,
    });
    fc.assert(
      fc.property(docs, globeFilter, fc.boolean(), (list, filter, isIn) => {
        const collection = filled(
          list.map((doc, _id) => ({ _id, k: doc.k, places: doc.at.map(at => ({ at })) })),
          { k: 1, 'places.at': '2dsphere', z: 1 },
        );
        check(collection, { k: isIn ? { $in: [0, 2] } : 1, 'places.at': filter });
      }),
      { numRuns: 200 },
    );
  });

  test('2d', { timeout: 60_000 }, () => {
    const pair = fc.tuple(fc.integer({ min: -20, max: 20 }), fc.double({ min: -20, max: 20, noNaN: true }));
    const filters: fc.Arbitrary<Shorthand> = fc.oneof(
      fc.tuple(pair, pair).map(box => ({ $geoWithin: { $box: box } })),
      fc.array(pair, { minLength: 3, maxLength: 5 }).map(corners => ({ $geoWithin: { $polygon: corners } })),
      fc.tuple(pair, fc.nat(30)).map(circle => ({ $geoWithin: { $center: circle } })),
      fc
        .tuple(pair, fc.double({ min: 0, max: 1, noNaN: true }))
        .map(circle => ({ $geoWithin: { $centerSphere: circle } })),
      fc.tuple(pair, fc.nat(30)).map(([from, $maxDistance]) => ({ $near: from, $maxDistance })),
      pair.map(from => ({ $nearSphere: from })),
    );
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 30 }), filters, (pairs, filter) => {
        const docs = pairs.map((at, _id) => ({ _id, at }));
        check(filled(docs, { at: '2d' }, { min: -20, max: 20 }), ofField(filter));
        check(filled(docs, { at: '2d', z: 1 }), ofField(filter));
      }),
      { numRuns: 300 },
    );
  });

  test('wildcard', { timeout: 60_000 }, () => {
    const scalar = fc.constantFrom<Shorthand>(1, 2, 3, 'x', true);
    const value: fc.Arbitrary<Shorthand> = fc.oneof(
      scalar,
      fc.constant<Shorthand>(null),
      fc.array(fc.oneof(scalar, fc.record({ b: scalar })), { maxLength: 2 }),
      fc.record({ b: scalar, c: fc.array(scalar, { maxLength: 2 }) }, { requiredKeys: [] }),
    );
    const docs = fc.array(fc.record({ a: value, k: scalar }, { requiredKeys: [] }), { maxLength: 20 });
    const condition: fc.Arbitrary<Shorthand> = fc.oneof(
      scalar,
      fc.array(scalar, { minLength: 1, maxLength: 3 }).map($in => ({ $in })),
      scalar.map($gt => ({ $gt })),
      fc.tuple(scalar, scalar).map(([$gte, $lte]) => ({ $gte, $lte })),
      fc.constant({ $exists: true }),
    );
    const keys: readonly (readonly [Shorthand, Readonly<Record<string, Shorthand>>])[] = [
      [{ '$**': 1 }, {}],
      [{ 'a.$**': -1 }, {}],
      [{ '$**': 1 }, { wildcardProjection: { k: 0, z: 0 } }],
      [{ k: 1, 'a.$**': 1 }, {}],
    ];
    fc.assert(
      fc.property(
        docs,
        condition,
        fc.constantFrom('a', 'a.b', 'a.c'),
        fc.constantFrom(...keys),
        (list, one, path, key) => {
          const collection = filled(
            list.map((doc, _id) => ({ _id, ...doc })),
            ...key,
          );
          const isProjected = 'wildcardProjection' in key[1] && JSON.stringify(one).includes('$exists');
          const filter = { k: 2, [path]: one };
          const { ids, index } = walked(collection, filter);
          if (!isProjected) expect(index).toBe('walked');
          expect(inOrder(ids)).toEqual(scanned(collection, filter));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('the entries of changed documents are replaced', () => {
    let collection = filled([{ _id: 0, at: [1, 1], a: { b: 1 } }], { at: '2dsphere' });
    const [[record, before]] = [...collection.records] as [[string, Doc]];
    collection = replaceRecord(collection, record, before, docOf({ _id: 0, at: [50, 50] }), edit);
    expect(walked(collection, { at: { $geoWithin: { $centerSphere: [[1, 1], 0.01] } } })).toEqual({
      ids: [],
      index: 'walked',
      read: 0,
    });
    expect(collection.indexes[1]!.entries.size).toBe(1);
  });
});

describe('documents far from the searched place are not read', () => {
  const grid = Array.from({ length: 2500 }, (_, i) => [((i % 50) - 25) / 10, (Math.floor(i / 50) - 25) / 10] as const);
  const docs = grid.map((at, _id): Shorthand => ({ _id, at }));
  const value = (x: number, y: number): Value => grid.findIndex(([a, b]) => a === x && b === y);

  test.each(['2dsphere', '2d'])('by the nearest ten, with an index of kind %s', kind => {
    const { ids, read, index } = walked(filled(docs, { at: kind }), { at: { $nearSphere: [0.5, 0.5] } }, 10);
    expect([ids[0], ids.length, index]).toEqual([value(0.5, 0.5), 10, 'walked']);
    expect(read).toBeLessThan(130);
  });

  test('by a polygon and by a circle', () => {
    const collection = filled(docs, { at: '2dsphere' });
    const ring = [[0, 0], [0.5, 0], [0.5, 0.5], [0, 0.5], [0, 0]]; // prettier-ignore
    const inPolygon = walked(collection, {
      at: { $geoWithin: { $geometry: { type: 'Polygon', coordinates: [ring] } } },
    });
    expect(inPolygon.ids.length).toBeGreaterThan(20);
    expect(inPolygon.read).toBeLessThan(80);
    const inCircle = walked(collection, { at: { $geoWithin: { $centerSphere: [[0, 0], 0.005] } } });
    expect(inCircle.ids.length).toBeGreaterThan(20);
    expect(inCircle.read).toBeLessThan(80);
  });
});
