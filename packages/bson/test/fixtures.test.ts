import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Suite } from '../../../tools/conformance/src/suite.js';
import { run as vector } from '../../../tools/conformance/src/suites/bson-binary-vector.js';
import { run as corpus } from '../../../tools/conformance/src/suites/bson-corpus.js';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const specifications = resolve(repository, process.env['SPECIFICATIONS_DIR'] ?? '../shared/specifications');

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
  const folder = join(specifications, suite, 'tests');
  const present = existsSync(folder) ? readdirSync(folder).filter(file => file.endsWith('.json')) : [];
  describe(`${suite}: every case of the official fixtures passes`, () => {
    for (const file of new Set([...names.map(name => `${name}.json`), ...present])) {
      test.skipIf(!present.includes(file))(
        `${file}${present.includes(file) ? '' : ` (skipped: it is not in ${suite}/tests)`}`,
        async () => {
          const results = await run([
            { name: file, json: JSON.parse(readFileSync(join(folder, file), 'utf8')) as unknown },
          ]);
          expect(results.length).toBeGreaterThan(0);
          expect(results.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
        },
      );
    }
  });
}
