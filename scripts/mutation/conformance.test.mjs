// The fixtures of the specifications as tests, one for each file, so that Stryker knows which mutants each of them reaches.
import { describe, expect, test } from 'vitest';

/** Suites whose files another suite runs. @type {Readonly<Record<string, string>>} */
const runBy = { 'uri-options': 'connection-string', 'max-staleness': 'server-selection' };

/** @type {readonly string[]} */
const suites = JSON.parse(process.env['MUTATION_SUITES'] ?? '[]');

const source = '../../tools/conformance/src';
const { readFixtures } = await import(`${source}/fixtures.ts`);

for (const suite of suites) {
  const { run } = await import(`${source}/suites/${runBy[suite] ?? suite}.ts`);
  /** @type {readonly { name: string, json: object }[]} */
  const files = readFixtures(suite).filter((/** @type {{ json: object }} */ { json }) => !('schemaVersion' in json));
  describe(suite, () => {
    test.each(files)('$name', async file => {
      /** @type {readonly { outcome: string, name: string, reason?: string }[]} */
      const results = await run([file]);
      expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    });
  });
}
