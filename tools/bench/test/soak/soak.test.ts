import { describe, expect, test } from 'vitest';
import { draw } from '../../src/soak/drawing.js';
import { findingsOf, growthOf } from '../../src/soak/findings.js';
import type { Sample } from '../../src/soak/findings.js';

const flat = { heap: 12, rss: 90, handles: 30 };

/** Thirty samples whose driver's memory is `flat`, with changes by the number of the sample. */
const samplesOf = (change: (index: number) => Partial<Sample['driver']>, serverHeap = 100): readonly Sample[] =>
  Array.from({ length: 30 }, (_, index) => ({
    at: index,
    operations: index * 1000,
    driver: { ...flat, ...change(index) },
    server: { heap: serverHeap, rss: 300, handles: 40 },
  }));

describe('findings of a soak', () => {
  test('are empty for memory that varies without growing', () => {
    expect(findingsOf(samplesOf(index => ({ heap: 12 + (index % 3) / 2, handles: 30 + (index % 2) })))).toEqual([]);
  });

  test('are empty for memory that V8 returns and takes again', () => {
    expect(findingsOf(samplesOf(index => ({ rss: index < 10 || index >= 20 ? 120 : 80 })))).toEqual([]);
  });

  test.each([
    ['heap', (index: number) => ({ heap: 12 + index }), "soak: MB of the driver's heap", 'grew by 6.0'],
    ['process', (index: number) => ({ rss: 90 + index * 10 }), "soak: MB of the driver's process", 'grew by 60.0'],
    ['handles', (index: number) => ({ handles: 30 + index }), "soak: handles of the driver's process", 'grew by 6.0'],
  ])('report growth: %s', (_, change, title, reason) => {
    expect(findingsOf(samplesOf(change))).toEqual([{ title, reason: expect.stringContaining(reason) as unknown }]);
  });

  test('report servers with more than 250 MB of objects', () => {
    expect(findingsOf(samplesOf(() => ({}), 251))).toEqual([
      { title: "soak: MB of the servers' heap", reason: '251, more than 250' },
    ]);
  });

  test('compare the last third with all before', () => {
    expect(
      growthOf(
        samplesOf(index => ({ heap: index })),
        ({ driver }) => driver.heap,
      ),
    ).toBe(6);
  });
});

test('the picture has a chart of the heap, of the memory and of the handles', () => {
  const svg = draw(
    samplesOf(() => ({})),
    12,
  );
  for (const title of ['live objects after a collection', 'memory of the process', 'handles'])
    expect(svg).toContain(title);
});
