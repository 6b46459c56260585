import { expect, test } from 'vitest';
import { line, named, nothing, sum } from '../src/tally.js';

test('sum adds tallies, and named prefixes their notes', () => {
  const skipped = [{ title: 'integration tests', reason: '`java` is not on the PATH' }];
  const failed = [{ title: 'a test', reason: 'failed' }];
  const total = sum([
    named('secantusdb', { passed: 3, failed, skipped: [] }),
    named('mongo-java-server', { ...nothing, skipped }),
  ]);
  expect(total).toEqual({
    passed: 3,
    failed: [{ title: 'secantusdb: a test', reason: 'failed' }],
    skipped: [{ title: 'mongo-java-server: integration tests', reason: '`java` is not on the PATH' }],
  });
  expect(line(total)).toBe('3 passed, 1 failed, 1 skipped');
});
