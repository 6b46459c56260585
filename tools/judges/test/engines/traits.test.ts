import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@tessera-tools/house';
import { expect, test } from 'vitest';
import { engineNames } from '../../src/outside/engines.js';
import { traits } from '../../src/engines/traits.js';

const tests = join(root, 'packages', 'mongodb', 'test', 'integration');

/** The features that the integration tests ask for, out of their type. */
function features(): Set<string> {
  const union = /export type Feature =([^;]*);/.exec(readFileSync(join(tests, 'deployment.ts'), 'utf8'))?.[1] ?? '';
  return new Set([...union.matchAll(/'([^']+)'/g)].map(([, feature]) => feature!));
}

test('an engine lacks only features that the integration tests ask for', () => {
  const known = features();
  expect(known.size).toBeGreaterThan(10);
  for (const name of engineNames)
    for (const standalone of [false, true])
      expect(Object.keys(traits({ name, standalone }).lacks).filter(feature => !known.has(feature))).toEqual([]);
});
