import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@tessera-tools/house';
import { expect, test } from 'vitest';
import { engineNames } from '../../src/outside/engines.js';
import { traits } from '../../src/engines/traits.js';

const tests = join(root, 'packages', 'mongodb', 'test', 'integration');

/** Returns the features of the integration tests, read from the source of their type. */
function features(): Set<string> {
  const union = /export type Feature =([^;]*);/.exec(readFileSync(join(tests, 'deployment.ts'), 'utf8'))?.[1] ?? '';
  return new Set([...union.matchAll(/'([^']+)'/g)].map(([, feature]) => feature!));
}

test('an engine lacks only features that the integration tests name', () => {
  const known = features();
  expect(known.size).toBeGreaterThan(10);
  for (const name of engineNames)
    for (const standalone of [false, true])
      expect(Object.keys(traits({ name, standalone }).lacks).filter(feature => !known.has(feature))).toEqual([]);
});
