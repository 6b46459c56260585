import { expect, test } from 'vitest';
import { readArguments } from '../src/arguments.js';

test.each([
  [[], { kind: 'run', milliseconds: 60_000, seed: 1 }],
  [['--seconds', '600', '--seed', '7'], { kind: 'run', milliseconds: 600_000, seed: 7 }],
  [['--short'], { kind: 'run', milliseconds: 15_000, seed: 1 }],
  [['--replay', 'a.json'], { kind: 'replay', file: 'a.json' }],
  [['--seed'], { kind: 'mistake', sentence: '--seed is no argument, or lacks its value.' }],
])('reads %j', (words, wish) => {
  expect(readArguments(words)).toEqual(wish);
});
