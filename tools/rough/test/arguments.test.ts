import { expect, test } from 'vitest';
import { readArguments } from '../src/arguments.js';

test.each([
  [[], { kind: 'run', milliseconds: 60_000, seed: 1 }],
  [['--seconds', '600', '--seed', '7'], { kind: 'run', milliseconds: 600_000, seed: 7 }],
  [['--short'], { kind: 'run', milliseconds: 15_000, seed: 1 }],
  [['--replay', 'a.json'], { kind: 'replay', file: 'a.json' }],
  [['--planted'], { kind: 'planted', milliseconds: 120_000, seed: 1, part: '' }],
  [['--planted', 'limit', '--seconds', '9'], { kind: 'planted', milliseconds: 9_000, seed: 1, part: 'limit' }],
  [['--compare', '--programs', '50'], { kind: 'compare', programs: 50, seed: 1 }],
  [['--write'], { kind: 'write' }],
  [['--seed'], { kind: 'mistake', sentence: '--seed is no argument, or lacks its value.' }],
])('reads %j', (words, wish) => {
  expect(readArguments(words)).toEqual(wish);
});
