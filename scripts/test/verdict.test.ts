import { expect, test } from 'vitest';
import { covers, whyMissed } from '../faults/verdict.mjs';

const file = 'packages/pool/test/pool.test.ts';
const states = (one: string, two: string) => [
  { file, name: 'pool > clears, case 1', state: one },
  { file, name: 'pool > closes', state: two },
];
const run = (one: string, two: string) => ({ tests: states(one, two), broken: [] });
const fault = (...tests: readonly { project: string; path?: string; title?: string }[]) => ({
  title: 'a fault',
  file: 'a.ts',
  find: 'one',
  replace: 'two',
  tests,
});
const clears = { project: 'pool', path: 'pool.test.ts', title: 'clears' };
const closes = { project: 'pool', path: 'pool.test.ts', title: 'closes' };
const good = run('passed', 'passed');

test('a fault is found if a test of each of its entries fails with it', () => {
  expect(whyMissed(fault(clears, closes), good, run('failed', 'failed'))).toBeUndefined();
  expect(whyMissed({ ...fault(), tests: clears }, good, run('failed', 'passed'))).toBeUndefined();
  expect(whyMissed(fault({ project: 'pool' }), good, run('passed', 'failed'))).toBeUndefined();
});

test('a fault is missed if all tests of one of its entries pass with it', () => {
  expect(whyMissed(fault(clears, closes), good, run('failed', 'passed'))).toBe(
    'no test fails with it (packages/pool/test/pool.test.ts, "closes")',
  );
});

test('a fault is missed if its tests fail without it, or do not exist', () => {
  expect(whyMissed(fault(closes), run('passed', 'failed'), run('failed', 'failed'))).toBe(
    'its tests fail without it: pool > closes',
  );
  expect(whyMissed(fault({ ...clears, title: 'opens' }), good, run('failed', 'failed'))).toBe(
    'no test has the title "opens"',
  );
});

test('a fault is missed if its tests cannot be loaded with it', () => {
  const broken = [{ file, message: 'cannot read it' }];
  expect(whyMissed(fault(clears), good, { tests: [], broken })).toBe(
    'its tests could not be loaded with it: cannot read it',
  );
});

test('host tests belong to an entry only if its path names them', () => {
  const host = 'packages/node/test/sockets.host.test.ts';
  expect(covers({ project: 'node' }, host)).toBe(false);
  expect(covers({ project: 'node', path: 'sockets.host.test.ts' }, host)).toBe(true);
  expect(covers({ project: 'node', path: 'clock.test.ts' }, host)).toBe(false);
});
