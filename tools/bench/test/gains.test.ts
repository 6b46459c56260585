import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@tessera-tools/house';
import { describe, expect, test } from 'vitest';
import { drawGains, gainsOf } from '../src/gains.js';

const table = `| row        | CPU ratio | target |
| ---------- | --------: | -----: |
| ping@1     |      3.00 |      1 |
| findOne@16 |     12.59 |      8 |
| scram-cold@1 |    0.94 |      1 |`;

describe('the picture of the speed', () => {
  test('has the CPU ratios of the table', () => {
    expect(gainsOf(table)).toEqual([
      { title: 'find a document, 16 at a time', ratio: 12.59 },
      { title: 'log in for the first time', ratio: 0.94 },
    ]);
    expect(gainsOf('')).toEqual([]);
  });

  test('has a bar and a figure for each work, in proportion', () => {
    const svg = drawGains(gainsOf(table));
    expect([...svg.matchAll(/>([\d.]+×)</g)].map(([, figure]) => figure)).toEqual(['12.59×', '0.94×']);
    const widths = [...svg.matchAll(/width="([\d.]+)" height="17"/g)].map(([, value]) => Number(value));
    expect(widths[1]! / widths[0]!).toBeCloseTo(0.94 / 12.59, 3);
  });

  test('in docs/bench.svg shows the figures of the table in README.md', () => {
    const page = readFileSync(join(root, 'README.md'), 'utf8');
    expect(gainsOf(page)).toHaveLength(14);
    expect(readFileSync(join(root, 'docs', 'bench.svg'), 'utf8')).toBe(drawGains(gainsOf(page)));
  });
});
