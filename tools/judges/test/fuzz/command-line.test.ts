import { Mistake } from '@tessera-tools/house';
import { expect, test } from 'vitest';
import { readCommandLine } from '../../src/fuzz/command-line.js';

test.each([
  [['server'], { kind: 'run', milliseconds: 60_000, seed: 1, hostile: true, isShort: false }],
  [
    ['server', '--minutes', '2.5', '--seed', '7'],
    { kind: 'run', milliseconds: 150_000, seed: 7, hostile: true, isShort: false },
  ],
  [['server', '--short'], { kind: 'run', milliseconds: 6_000, seed: 1, hostile: false, isShort: true }],
  [['server', '--auth', '--minutes', '3'], { kind: 'doors', milliseconds: 180_000, seed: 1, number: undefined }],
  [['server', '--auth', '--seed', '4', '--case', '70'], { kind: 'doors', milliseconds: 60_000, seed: 4, number: 70 }],
  [['server', '--replay', 'a.json'], { kind: 'replay', file: 'a.json' }],
])('parses %j', (words, commandLine) => {
  expect(readCommandLine(words)).toEqual(commandLine);
});

test.each([
  [['server', '--seed'], '--seed needs a value.'],
  [['server', '--case', '7'], '--case needs --auth.'],
  [['server', '--case', '7', '--replay', 'a.json'], '--case needs --auth.'],
  [['fairness', '--case', '7'], '--case needs --auth.'],
  [['server', '--auth', '--mutants-only'], '--auth and --mutants-only exclude each other.'],
  [['client'], 'There is no target "client". Choose from: server, fairness.'],
])('rejects %j', (words, sentence) => {
  expect(() => readCommandLine(words)).toThrow(new Mistake(sentence));
});
