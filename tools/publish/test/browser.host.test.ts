import assert from 'node:assert/strict';
import { webcrypto } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { root } from '@tessera-tools/house';
import { expect, test } from 'vitest';
import { exampleForBrowser, installPacked } from '../src/index.js';

/** A context with the browser globals that the example needs, without process, Buffer and require. */
const page = (checked: typeof assert): object =>
  createContext({ assert: checked, TextEncoder, TextDecoder, crypto: webcrypto });

test('the example in the README of @tessera/mql runs when bundled for browsers', { timeout: 60_000 }, async () => {
  const readme = readFileSync(join(root, 'packages', 'mql', 'README.md'), 'utf8');
  const [, code] = /^```ts\n([\s\S]*?)^```$/m.exec(readme)!;
  const bundle = await exampleForBrowser(await installPacked(['@tessera/mql']), code!);
  let checks = 0;
  const counting = new Proxy(assert, {
    get: (target, name: keyof typeof assert) => {
      checks += 1;
      return target[name];
    },
  });
  runInContext(bundle, page(counting));
  expect(checks).toBe(3);
});
