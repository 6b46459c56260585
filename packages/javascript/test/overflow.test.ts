import { deserialize, serialize } from 'bson';
import { expect, test } from 'vitest';
import { loadJavaScript } from '../src/index.js';

test('an overflow of the stack of the host breaks the engine, and another can be loaded', async () => {
  const broken = await loadJavaScript();
  const realm = broken.open({ functions: { test: 'JSON.parse("[".repeat(1e5))' } });
  const none = serialize({});
  const deep = (depth: number): boolean => (depth === 0 ? realm.test(none) : deep(depth - 1));
  for (let depth = 60_000; !broken.isBroken && depth > 0; depth -= 100) {
    try {
      deep(depth);
    } catch {
      // The stack overflows in this function, or in the engine.
    }
  }
  realm.close();
  expect([broken.isBroken, broken.realms]).toEqual([true, 0]);
  const other = (await loadJavaScript()).open({ functions: { main: '1' } });
  expect(deserialize(other.call('main', none))).toEqual({ value: 1 });
  other.close();
}, 60_000);
