import { expect, test } from 'vitest';
import { readArguments } from '../src/arguments.js';

test.each([
  [[], { kind: 'histories', histories: 500, from: 1, packets: false, name: '' }],
  [
    ['--histories', '10000', '--from', '7'],
    { kind: 'histories', histories: 10_000, from: 7, packets: false, name: '' },
  ],
  [['--seed', '12', '--packets'], { kind: 'seed', histories: 500, from: 12, packets: true, name: '' }],
  [['--mutants'], { kind: 'mutants', histories: 500, from: 1, packets: false, name: '' }],
  [['--mutant', 'a'], { kind: 'mutant', histories: 500, from: 1, packets: false, name: 'a' }],
  [['--short'], { kind: 'short', histories: 400, from: 1, packets: false, name: '' }],
  [['--seed'], { kind: 'mistake', sentence: '--seed takes a whole number, not "".' }],
  [['--histories', 'many'], { kind: 'mistake', sentence: '--histories takes a whole number, not "many".' }],
  [['--fast'], { kind: 'mistake', sentence: 'There is no option --fast.' }],
])('%j', (given, wish) => {
  expect(readArguments(given)).toEqual(wish);
});
