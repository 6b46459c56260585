import { ObjectId } from 'bson';
import { expect, test } from 'vitest';
import { Generations } from '../src/generations.js';

const [a, b] = [ObjectId.createFromTime(1), ObjectId.createFromTime(2)];
/** Another object that names the same service. */
const sameAsA = new ObjectId(a.toHexString());

test('CMAP "Connection Pool", generation: it begins at 0, and each clear adds one', () => {
  const generations = new Generations();
  expect([generations.current, generations.of(undefined)]).toEqual([0, 0]);
  generations.advance(undefined);
  generations.advance(undefined);
  expect([generations.current, generations.of(undefined)]).toEqual([2, 2]);
});

test('"Load Balancer Mode": each service has a generation of its own, which only a clear of that service changes', () => {
  const generations = new Generations();
  expect([generations.join(a), generations.join(b)]).toEqual([0, 0]);
  generations.advance(a);
  expect([a, sameAsA, b, undefined].map(id => generations.of(id))).toEqual([1, 1, 0, 0]);
  generations.advance(undefined);
  expect([a, b, undefined].map(id => generations.of(id))).toEqual([1, 0, 1]);
  generations.advance(b);
  expect([a, b].map(id => generations.of(id))).toEqual([1, 2]);
});

test('a connection joins the generation of its service', () => {
  const generations = new Generations();
  generations.join(a);
  generations.join(b);
  generations.advance(a);
  generations.advance(b);
  expect([generations.join(sameAsA), generations.join(b)]).toEqual([1, 2]);
});

test('a service is forgotten with its last connection, and begins again with the newest number', () => {
  const generations = new Generations();
  for (const id of [a, a, b]) generations.join(id);
  generations.advance(a);
  generations.advance(b);
  generations.leave(a);
  expect(generations.of(a)).toBe(1);
  generations.leave(sameAsA);
  expect([generations.of(a), generations.join(a)]).toEqual([2, 2]);
});

test('a clear of a service without connections takes a number that no other gets', () => {
  const generations = new Generations();
  generations.join(b);
  generations.advance(a);
  expect([generations.of(a), generations.of(b)]).toEqual([1, 0]);
  generations.leave(a);
  expect(generations.join(a)).toBe(1);
});
