import { ObjectId } from 'bson';
import { expect, test } from 'vitest';
import { Generations } from '../src/generations.js';

const [a, b] = [ObjectId.createFromTime(1), ObjectId.createFromTime(2)];
/** Returns another ObjectId of the same service. */
const sameAsA = new ObjectId(a.toHexString());

test('CMAP "Connection Pool", generation: starts at 0 and increases with each clear', () => {
  const generations = new Generations();
  expect([generations.current, generations.of(undefined)]).toEqual([0, 0]);
  generations.advance(undefined);
  generations.advance(undefined);
  expect([generations.current, generations.of(undefined)]).toEqual([2, 2]);
});

test('"Load Balancer Mode": each service has its own generation, which only a clear of this service changes', () => {
  const generations = new Generations();
  expect([generations.join(a), generations.join(b)]).toEqual([0, 0]);
  generations.advance(a);
  expect([a, sameAsA, b, undefined].map(id => generations.of(id))).toEqual([1, 1, 0, 0]);
  generations.advance(undefined);
  expect([a, b, undefined].map(id => generations.of(id))).toEqual([1, 0, 1]);
  generations.advance(b);
  expect([a, b].map(id => generations.of(id))).toEqual([1, 2]);
});

test('a new connection gets the generation of its service', () => {
  const generations = new Generations();
  generations.join(a);
  generations.join(b);
  generations.advance(a);
  generations.advance(b);
  expect([generations.join(sameAsA), generations.join(b)]).toEqual([1, 2]);
});

test('a service is deleted with its last connection, and gets the newest number if it reappears', () => {
  const generations = new Generations();
  for (const id of [a, a, b]) generations.join(id);
  generations.advance(a);
  generations.advance(b);
  generations.leave(a);
  expect(generations.of(a)).toBe(1);
  generations.leave(sameAsA);
  expect([generations.of(a), generations.join(a)]).toEqual([2, 2]);
});

test('a clear of a service without connections uses a number that no other service gets', () => {
  const generations = new Generations();
  generations.join(b);
  generations.advance(a);
  expect([generations.of(a), generations.of(b)]).toEqual([1, 0]);
  generations.leave(a);
  expect(generations.join(a)).toBe(1);
});
