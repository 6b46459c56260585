import { expect, test } from 'vitest';
import { line, named, nothing, sum } from '../src/tally.js';

test('tallies of several engines are added up, each note under the name of its engine', () => {
  const skipped = [{ title: 'integration tests', reason: '`java` is not on the PATH' }];
  const failed = [{ title: 'a test', reason: 'it failed' }];
  const total = sum([
    named('secantusdb', { passed: 3, failed, skipped: [] }),
    named('mongo-java-server', { ...nothing, skipped }),
  ]);
  expect(total).toEqual({
    passed: 3,
    failed: [{ title: 'secantusdb: a test', reason: 'it failed' }],
    skipped: [{ title: 'mongo-java-server: integration tests', reason: '`java` is not on the PATH' }],
  });
  expect(line(total)).toBe('3 passed, 1 failed, 1 skipped');
});
