import { describe, expect, test } from 'vitest';
import { matches, runCmapTest } from '../src/cmap-run.js';
import type { CmapTest } from '../src/cmap-run.js';

describe('the runner of CMAP tests notices what is wrong', () => {
  const failing = (changes: Partial<CmapTest>): Promise<readonly string[]> =>
    runCmapTest({ version: 1, style: 'unit', description: '', operations: [{ name: 'ready' }], ...changes });

  test.each(['unit', 'integration'] as const)(
    'style %s: an event that did not come, another one, an error that did not come, one that should not',
    async style => {
      const created = { type: 'ConnectionPoolCreated' };
      expect(await failing({ style, events: [created, { type: 'ConnectionPoolReady' }] })).toEqual([]);
      const missing = {
        events: [{ type: 'ConnectionPoolReady' }],
        ignore: ['ConnectionPoolReady', 'ConnectionPoolCreated'],
      };
      expect(await failing({ style, ...missing })).toEqual([
        'event 0: expected {"type":"ConnectionPoolReady"}, got undefined',
      ]);
      expect(await failing({ style, events: [{ ...created, options: { maxPoolSize: 1 } }] })).toHaveLength(1);
      expect(await failing({ style, error: { type: 'PoolClosedError' } })).toHaveLength(1);
      expect(await failing({ style, operations: [{ name: 'close' }, { name: 'checkOut' }] })).toHaveLength(1);
      expect(await failing({ style, operations: [{ name: 'dance' }] })).toHaveLength(1);
      const operations = [{ name: 'waitForEvent', event: 'ConnectionReady', timeout: 5 }];
      expect(await failing({ style, operations })).toEqual([
        'unexpected: Error: ConnectionReady came 0 times within 5 ms, not 1',
      ]);
    },
  );

  test('style integration: a fail point holds for the pool of its appName only', async () => {
    const events = async (appName: string): Promise<readonly string[]> =>
      failing({
        style: 'integration',
        failPoint: {
          configureFailPoint: 'failCommand',
          mode: 'alwaysOn',
          data: { failCommands: ['isMaster', 'hello'], closeConnection: true, appName: 'cmap' },
        },
        poolOptions: { appName },
        operations: [{ name: 'ready' }, { name: 'checkOut' }],
      });
    expect(await events('other')).toEqual([]);
    expect(await events('cmap')).toEqual([expect.stringContaining('unexpected: ')]);
  });

  test('MATCH: a subset, with 42 for anything that is there', () => {
    expect(matches({ a: 42, b: [1, '42'] }, { a: 0, b: [1, ''], c: 3 })).toBe(true);
    expect(matches({ a: 42 }, {})).toBe(false);
    expect(matches([1], [2])).toBe(false);
    expect(matches('1', 1)).toBe(false);
  });
});
