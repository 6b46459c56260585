import { Mistake } from '@tessera-tools/house';
import { expect, test } from 'vitest';
import { readCommandLine } from '../src/arguments.js';

test.each([
  [[], { kind: 'histories', histories: 500, from: 1 }],
  [['--histories', '10000', '--from', '7'], { kind: 'histories', histories: 10_000, from: 7 }],
  [['--seed', '12', '--packets'], { kind: 'seed', seed: 12, packets: true }],
  [['--mutants'], { kind: 'mutants', write: false, histories: 500, from: 1 }],
  [['--mutants', '--write'], { kind: 'mutants', write: true, histories: 500, from: 1 }],
  [['--mutant', 'a'], { kind: 'mutant', histories: 500, from: 1, name: 'a' }],
  [['--short'], { kind: 'short', histories: 200, from: 1 }],
  [['--short', '--histories', '40'], { kind: 'short', histories: 40, from: 1 }],
])('readCommandLine(%j) returns the command', (given, commandLine) => {
  expect(readCommandLine(given)).toEqual(commandLine);
});

test.each([[['--seed']], [['--histories', 'many']], [['--fast']]])('%j is rejected', given => {
  expect(() => readCommandLine(given)).toThrow(Mistake);
});
