import { expect, test } from 'vitest';
import { readTest2json } from '../../src/peers/go/test2json.js';

const lines = (...events: readonly object[]): string => events.map(event => `${JSON.stringify(event)}\n`).join('');
const over = { Action: 'pass' };

test('counts each test once, and a test with subtests only if no subtest failed', () => {
  const text = lines(
    { Action: 'run', Test: 'TestA' },
    { Action: 'run', Test: 'TestA/x' },
    { Action: 'output', Test: 'TestA/x', Output: '    a_test.go:7: \n' },
    { Action: 'output', Test: 'TestA/x', Output: '        Error: Not equal\n' },
    { Action: 'fail', Test: 'TestA/x' },
    { Action: 'pass', Test: 'TestA/y' },
    { Action: 'fail', Test: 'TestA' },
    { Action: 'run', Test: 'TestB' },
    { Action: 'output', Test: 'TestB', Output: '    b_test.go:7: no replica set\n' },
    { Action: 'skip', Test: 'TestB' },
    { Action: 'pass', Test: 'TestC/x' },
    { Action: 'fail', Test: 'TestC' },
    over,
  );
  expect(readTest2json('f', text)).toEqual([
    { id: 'f::TestA/x', outcome: 'failed', reason: 'Error: Not equal' },
    { id: 'f::TestA/y', outcome: 'passed', reason: '' },
    { id: 'f::TestB', outcome: 'skipped', reason: 'b_test.go:7: no replica set' },
    { id: 'f::TestC/x', outcome: 'passed', reason: '' },
    { id: 'f::TestC', outcome: 'failed', reason: '' },
  ]);
});

test('counts an unfinished test as failed, and throws if the runner did not finish', () => {
  const text = lines({ Action: 'run', Test: 'TestA' }, { Action: 'run', Test: 'TestA/x' });
  expect(readTest2json('f', text + lines({ Action: 'fail' }))).toEqual([
    { id: 'f::TestA/x', outcome: 'failed', reason: 'the test did not finish' },
  ]);
  expect(() => readTest2json('f', text)).toThrow('The test runner did not finish.');
});
