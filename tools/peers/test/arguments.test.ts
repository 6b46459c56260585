import { expect, test } from 'vitest';
import { readArguments } from '../src/arguments.js';
import type { Peer } from '../src/peer.js';

const peer = (name: string): Peer => ({
  name,
  description: name,
  files: ['test_a', 'test_b'],
  short: ['test_a'],
  prepare: () => Promise.reject(new Error('not here')),
});
const [one, two] = [peer('one'), peer('two')];
const read = (...given: readonly string[]): unknown => readArguments(given, [one, two]);

test('without a name all clients are run, whole or in short', () => {
  const run = (files: readonly string[]): unknown => ({
    kind: 'run',
    chosen: [one, two].map(each => ({ peer: each, files, more: [] })),
  });
  expect(read()).toEqual(run(['test_a', 'test_b']));
  expect(read('--short')).toEqual(run(['test_a']));
});

test('one client takes files, then arguments of its own test runner', () => {
  const run = (files: readonly string[], more: readonly string[]): unknown => ({
    kind: 'run',
    chosen: [{ peer: two, files, more }],
  });
  expect(read('two', '--', 'test_b')).toEqual(run(['test_b'], []));
  expect(read('two', '--', 'test/test_b.py', 'test_a', '-k', 'sort')).toEqual(
    run(['test_b', 'test_a'], ['-k', 'sort']),
  );
  expect(read('two', '--short', '--', '-x')).toEqual(run(['test_a'], ['-x']));
});

test('a mistake gets one sentence', () => {
  const mistake = (sentence: string): unknown => ({ kind: 'mistake', sentence });
  expect(read('three')).toEqual(mistake('There is no client three: one, two.'));
  expect(read('--shrot')).toEqual(mistake('There is no option --shrot.'));
  expect(read('--', 'test_a')).toEqual(mistake('Files and further arguments are for one client: name it.'));
  expect(read('one', '--short', '--', 'test_a')).toEqual(mistake('Name files, or ask for --short, not both.'));
});
