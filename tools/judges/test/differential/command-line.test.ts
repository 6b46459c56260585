import { expect, test } from 'vitest';
import { readCommandLine } from '../../src/differential/command-line.js';

const whole = { operations: 20_000, seed: 1, batch: 0, undecided: 10, operators: false };

test.each([
  [[], whole],
  [['--short'], { ...whole, operations: 1000 }],
  [['--operations', '50', '--seed', '7'], { ...whole, operations: 50, seed: 7 }],
])('parses %j', (given, commandLine) => {
  expect(readCommandLine(given)).toEqual(commandLine);
});
