import { describe, expect, test } from 'vitest';
import { findingsOf, growthOf } from '../../src/scale/cost.js';
import type { Measured } from '../../src/scale/cost.js';
import { bytesOf, leastOf } from '../../src/scale/rounds.js';
import { draw, linesOf, pageOf } from '../../src/scale/table.js';

/** A series with these microseconds, and bytes, for 1, 10 and 100 sessions. */
const series = (micros: readonly number[], bytes?: readonly (number | undefined)[]): Measured => {
  const costs = micros.map((cost, index) => ({ size: 10 ** index, micros: cost, bytes: bytes?.[index] }));
  return { name: 'sessions', unit: 'session', ours: costs, theirs: costs.map(one => ({ ...one, micros: 50 })) };
};

describe('the cost of work that grows', () => {
  test('is compared with the least cost of the smaller sizes', () => {
    expect(growthOf([20, 10, 12, 5])).toEqual([1, 0.5, 1.2, 0.5]);
  });

  test('may fall, and grow by the limit', () => {
    expect(findingsOf(series([20, 10, 13], [900, 1000, 1100]), 1.3)).toEqual([]);
  });

  test('fails above the limit', () => {
    expect(findingsOf(series([20, 10, 14], [900, 1000, 2000]), 1.3)).toEqual([
      {
        title: 'bench scale: sessions: CPU time',
        reason: '100 cost 1.40 times as much as a smaller size; at most 1.3 is expected',
      },
      {
        title: 'bench scale: sessions: memory',
        reason: '100 cost 2.22 times as much as a smaller size; at most 1.3 is expected',
      },
    ]);
  });

  test('names the size whose memory grows, if that of a smaller size was not measured', () => {
    expect(findingsOf(series([20, 10, 10], [undefined, 1000, 2000]), 1.3)).toEqual([
      {
        title: 'bench scale: sessions: memory',
        reason: '100 cost 2.00 times as much as a smaller size; at most 1.3 is expected',
      },
    ]);
  });

  test('is printed for each size, with both drivers', () => {
    expect(linesOf(series([20, 10, 14], [900, 1000, 2000]))).toEqual([
      'sessions: CPU time of one session in µs, with Tessera and the official driver; growth of each; kB of memory',
      '                  ours  official    growth    growth   ours kB  official',
      '           1        20        50      1.00      1.00      0.90      0.90',
      '          10        10        50      0.50      1.00      1.00      1.00',
      '         100        14        50      1.40      1.00      2.00      2.00',
    ]);
  });

  test('is written to a page with the machine and the kind of run', () => {
    const machine = { cpu: 'A processor', cores: 2, platform: 'linux x64', node: 'v20.0.0' };
    const all = [series([20, 10, 14]), series([1, 1, 1])];
    const table = (of: Measured): string =>
      linesOf(of)
        .map(line => line.trimEnd())
        .join('\n');
    expect(pageOf(all, machine, false)).toBe(
      `A processor, 2 cores, linux x64, Node.js v20.0.0. A full run.\n\n\`\`\`text\n${all.map(table).join('\n\n')}\n\`\`\``,
    );
    expect(pageOf(all, machine, true).split('\n')[0]).toBe(
      'A processor, 2 cores, linux x64, Node.js v20.0.0. A short run, without the large sizes, beside other programs.',
    );
  });

  test('is drawn with a chart for each series', () => {
    const svg = draw([series([20, 10, 14]), series([1, 1, 1])]);
    expect(svg.match(/<polyline/g)).toHaveLength(4);
    expect(svg).toContain('µs per session');
  });
});

describe('the measurement of a size', () => {
  const given = (micros: readonly number[]): { readonly round: () => Promise<number>; readonly ran: () => number } => {
    let ran = 0;
    return { round: () => Promise.resolve(micros[ran++]!), ran: () => ran };
  };

  test('is the least of its rounds', async () => {
    const { round, ran } = given([30, 10, 20]);
    expect([await leastOf(3, round), ran()]).toEqual([10, 3]);
  });

  test('begins no further round after five seconds of CPU time', async () => {
    const { round, ran } = given([2_000_000, 4_000_000, 1_000_000]);
    expect([await leastOf(3, round), ran()]).toEqual([2_000_000, 2]);
  });

  test('has memory only if the objects take more than the heap varies by', () => {
    expect([bytesOf(8_000_000, 1000), bytesOf(4_000_000, 1000), bytesOf(-500_000, 1)]).toEqual([
      8000,
      undefined,
      undefined,
    ]);
  });
});
