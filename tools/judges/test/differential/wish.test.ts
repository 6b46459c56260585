import { Mistake } from '@tessera-tools/house';
import { expect, test } from 'vitest';
import { readWish } from '../../src/differential/wish.js';

const whole = { engines: ['secantusdb'], operations: 20_000, seed: 1, batch: 0, undecided: 10, operators: false };

test.each([
  [[], whole],
  [['--short'], { ...whole, operations: 1000 }],
  [['ferretdb', '--operations', '50', '--seed', '7'], { ...whole, engines: ['ferretdb'], operations: 50, seed: 7 }],
])('reads %j', (given, wish) => {
  expect(readWish(given)).toEqual(wish);
});

test('an engine that is not there is a mistake', () => {
  expect(() => readWish(['mongod'])).toThrow(
    new Mistake('There is no engine "mongod": secantusdb, mongo-java-server, ferretdb.'),
  );
});
