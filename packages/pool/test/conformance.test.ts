import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createWorld } from '@tessera/sim';
import { describe, expect, test } from 'vitest';
import type { CmapTest } from './cmap-format.js';
import { matches, runCmapTest } from './cmap-format.js';

const specifications =
  process.env['SPECIFICATIONS_DIR'] ?? fileURLToPath(new URL('../../../../shared/specifications', import.meta.url));
const folder = `${specifications}/connection-monitoring-and-pooling/tests/cmap-format`;
const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

const fixtures = (existsSync(folder) ? readdirSync(folder) : [])
  .filter(name => name.endsWith('.json'))
  .sort()
  .map(name => ({ name, fixture: JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')) as CmapTest }));
const unit = fixtures.filter(({ fixture }) => fixture.style === 'unit');
const integration = fixtures.filter(({ fixture }) => fixture.style === 'integration');

describe('Connection Monitoring and Pooling: unit fixtures', () => {
  for (const { name, fixture } of unit) {
    test(`${name}: ${fixture.description}`, async () => {
      const world = createWorld({ turn }, { seed: 1 });
      expect(await runCmapTest(world, fixture)).toEqual([]);
      expect(world.leftovers()).toEqual([]);
    });
  }

  test('every fixture of the folder is of one style or the other, and none is lost', context => {
    context.skip(fixtures.length === 0, `there are no fixtures in ${folder}; set SPECIFICATIONS_DIR`);
    expect(unit.length + integration.length).toBe(fixtures.length);
  });
});

describe('Connection Monitoring and Pooling: integration fixtures', () => {
  const reason = 'style integration: needs a deployment with fail points';
  for (const { name } of integration) {
    test(`${name} (skipped, ${reason})`, context => {
      context.skip(reason);
    });
  }
});

describe('the runner notices what is wrong', () => {
  const failing = (changes: Partial<CmapTest>): Promise<readonly string[]> => {
    const test: CmapTest = { version: 1, style: 'unit', description: '', operations: [{ name: 'ready' }], ...changes };
    return runCmapTest(createWorld({ turn }), test);
  };

  test('an event that did not come, another one, an error that did not come, one that should not', async () => {
    expect(await failing({ events: [{ type: 'ConnectionPoolCreated' }, { type: 'ConnectionPoolReady' }] })).toEqual([]);
    const missing = {
      events: [{ type: 'ConnectionPoolReady' }],
      ignore: ['ConnectionPoolReady', 'ConnectionPoolCreated'],
    };
    expect(await failing(missing)).toEqual(['event 0: expected {"type":"ConnectionPoolReady"}, got undefined']);
    expect(await failing({ events: [{ type: 'ConnectionPoolCreated', options: { maxPoolSize: 1 } }] })).toHaveLength(1);
    expect(await failing({ error: { type: 'PoolClosedError' } })).toHaveLength(1);
    expect(await failing({ operations: [{ name: 'close' }, { name: 'checkOut' }] })).toHaveLength(1);
    expect(await failing({ operations: [{ name: 'dance' }] })).toHaveLength(1);
    const operations = [{ name: 'waitForEvent', event: 'ConnectionReady', timeout: 5 }];
    expect(await failing({ operations })).toEqual([
      'unexpected: Error: ConnectionReady came 0 times within 5 ms, not 1',
    ]);
  });

  test('MATCH: a subset, with 42 for anything that is there', () => {
    expect(matches({ a: 42, b: [1, '42'] }, { a: 0, b: [1, ''], c: 3 })).toBe(true);
    expect(matches({ a: 42 }, {})).toBe(false);
    expect(matches([1], [2])).toBe(false);
    expect(matches('1', 1)).toBe(false);
  });
});
