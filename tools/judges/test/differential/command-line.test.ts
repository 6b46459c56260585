import { expect, test } from 'vitest';
import { readWish } from '../../src/differential/wish.js';

const whole = { operations: 20_000, seed: 1, batch: 0, undecided: 10, operators: false };

test.each([
  [[], whole],
  [['--short'], { ...whole, operations: 1000 }],
  [['--operations', '50', '--seed', '7'], { ...whole, operations: 50, seed: 7 }],
])('reads %j', (given, wish) => {
  expect(readWish(given)).toEqual(wish);
});
