import { expect, test } from 'vitest';
import { readArguments } from '../src/arguments.js';

test.each([
  [['server'], { kind: 'run', milliseconds: 60_000, seed: 1, hostile: true }],
  [['server', '--minutes', '2.5', '--seed', '7'], { kind: 'run', milliseconds: 150_000, seed: 7, hostile: true }],
  [['server', '--short'], { kind: 'run', milliseconds: 10_000, seed: 1, hostile: false }],
  [['server', '--replay', 'a.json'], { kind: 'replay', file: 'a.json' }],
  [['server', '--seed'], { kind: 'mistake', sentence: '--seed is no argument, or lacks its value.' }],
  [['client'], { kind: 'mistake', sentence: 'client is no argument, or lacks its value.' }],
])('%j', (words, wish) => {
  expect(readArguments(words)).toEqual(wish);
});
