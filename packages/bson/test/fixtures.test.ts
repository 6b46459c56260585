import { describe, expect, test } from 'vitest';
import { advice, readFixtures } from '../../../tools/conformance/src/fixtures.js';
import type { Suite } from '../../../tools/conformance/src/suite.js';
import { run as vector } from '../../../tools/conformance/src/suites/bson-binary-vector.js';
import { run as corpus } from '../../../tools/conformance/src/suites/bson-corpus.js';

const suites: readonly (readonly [string, Suite, readonly string[]])[] = [
  [
    'bson-corpus',
    corpus,
    // prettier-ignore
    ['array', 'binary', 'boolean', 'code', 'code_w_scope', 'datetime', 'dbpointer', 'dbref', 'decimal128-1', 'decimal128-2',
      'decimal128-3', 'decimal128-4', 'decimal128-5', 'decimal128-6', 'decimal128-7', 'document', 'double', 'int32', 'int64',
      'maxkey', 'minkey', 'multi-type', 'multi-type-deprecated', 'null', 'oid', 'regex', 'string', 'symbol', 'timestamp',
      'top', 'undefined'],
  ],
  ['bson-binary-vector', vector, ['float32', 'int8', 'packed_bit']],
];

for (const [suite, run, names] of suites) {
  const fixtures = new Map((readFixtures(suite) ?? []).map(fixture => [fixture.name, fixture]));
  describe(`${suite}: every case of the official fixtures passes`, () => {
    for (const file of new Set([...names.map(name => `${name}.json`), ...fixtures.keys()])) {
      const fixture = fixtures.get(file);
      test.skipIf(fixture === undefined)(
        `${file}${fixture === undefined ? ` (skipped: it is not in ${suite}/tests; ${advice})` : ''}`,
        async () => {
          const results = await run([fixture!]);
          expect(results.length).toBeGreaterThan(0);
          expect(results.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
        },
      );
    }
  });
}
