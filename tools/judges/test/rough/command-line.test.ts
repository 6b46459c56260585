import { Mistake } from '@tessera-tools/house';
import { expect, test } from 'vitest';
import { readCommandLine } from '../../src/rough/command-line.js';

test.each([
  [[], { kind: 'run', milliseconds: 60_000, seed: 1 }],
  [['--seconds', '600', '--seed', '7'], { kind: 'run', milliseconds: 600_000, seed: 7 }],
  [['--short'], { kind: 'run', milliseconds: 8_000, seed: 1 }],
  [['--replay', 'a.json'], { kind: 'replay', file: 'a.json' }],
  [['--planted'], { kind: 'planted', milliseconds: 120_000, seed: 1, part: '' }],
  [['--planted', 'limit', '--seconds', '9'], { kind: 'planted', milliseconds: 9_000, seed: 1, part: 'limit' }],
  [['--compare', '--programs', '50'], { kind: 'compare', programs: 50, seed: 1 }],
  [['--write'], { kind: 'write' }],
])('parses %j', (words, commandLine) => {
  expect(readCommandLine(words)).toEqual(commandLine);
});

test('rejects an option without its value', () => {
  expect(() => readCommandLine(['--seed'])).toThrow(new Mistake('--seed needs a value.'));
});
