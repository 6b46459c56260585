import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Arc } from '../src/query/geo/crossings.js';
import { haveCrossing } from '../src/query/geo/crossings.js';
import { doCross, vectorOf } from '../src/query/geo/sphere.js';

const place = (size: number): fc.Arbitrary<readonly [number, number]> =>
  fc.tuple(
    fc.double({ min: -size, max: size, noNaN: true }),
    fc.double({ min: -size / 2, max: size / 2, noNaN: true }),
  );

/** Rings of points on a part of the globe, of a part of a degree up to the whole globe. */
const ring = fc
  .constantFrom(0.01, 1, 30, 180)
  .chain(size => fc.array(place(size), { minLength: 2, maxLength: 12 }))
  .map(points => points.map((point, i): Arc => [vectorOf(point), vectorOf(points[(i + 1) % points.length]!)]));

test('the sweep finds a crossing if and only if two of the arcs cross', () => {
  fc.assert(
    fc.property(ring, arcs => {
      const some = arcs.some((arc, i) => arcs.some((other, j) => j > i && doCross(arc, other)));
      expect(haveCrossing(arcs, doCross)).toBe(some);
    }),
    { numRuns: 2000 },
  );
});

test('the sweep compares few pairs of the arcs of a zigzag', () => {
  const points = Array.from({ length: 20_000 }, (_, i) => vectorOf([i % 2, i / 1000]));
  const arcs = points.slice(1).map((to, i): Arc => [points[i]!, to]);
  let compared = 0;
  const crossed = haveCrossing(arcs, (a, b) => {
    compared += 1;
    return doCross(a, b);
  });
  expect(crossed).toBe(false);
  expect(compared).toBeLessThan(10 * arcs.length);
});
