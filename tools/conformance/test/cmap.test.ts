import { describe, expect, test } from 'vitest';
import { matches, runCmapTest } from '../src/cmap-run.js';
import type { CmapTest } from '../src/cmap-run.js';

describe('the runner of CMAP tests', () => {
  const failing = (changes: Partial<CmapTest>): Promise<readonly string[]> =>
    runCmapTest({ version: 1, style: 'unit', description: '', operations: [{ name: 'ready' }], ...changes });

  test.each(['unit', 'integration'] as const)(
    'style %s: reports missing and different events, missing and unexpected errors',
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
        'unexpected: Error: Expected 1 ConnectionReady events within 5 ms, got 0.',
      ]);
    },
  );

  test('style integration: a fail point affects only pools with its appName', async () => {
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

  test('MATCH: extra fields are ignored, and 42 matches any value', () => {
    expect(matches({ a: 42, b: [1, '42'] }, { a: 0, b: [1, ''], c: 3 })).toBe(true);
    expect(matches({ a: 42 }, {})).toBe(false);
    expect(matches([1], [2])).toBe(false);
    expect(matches('1', 1)).toBe(false);
  });
});
