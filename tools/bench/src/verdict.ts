import { bounds } from './bounds.js';
import { counterNames } from './counters/counters.js';
import type { CounterName, Counters } from './counters/counters.js';
import type { RowReport } from './report.js';
import { titleOf } from './rows.js';

/** A monitor's command in the middle of a pass is part of an operation: no leak, and no cost of it. */
const fraction = 0.01;

const units: Readonly<Record<CounterName, string>> = {
  promises: 'promises created',
  writes: 'socket writes',
  heapBytes: 'bytes of heap',
  listeners: 'listeners left behind',
};

const round = (value: number): string => String(Math.round(value * 100) / 100);

const overBound = (title: string, ours: Counters, bound: Counters): readonly string[] =>
  counterNames
    .filter(name => ours[name] > bound[name] + fraction)
    .map(
      name =>
        `${title}: ${round(ours[name])} ${units[name]} per operation, over the bound of ${round(bound[name])} in tools/bench/src/bounds.ts.`,
    );

const ratios = [
  ['cpuRatio', 'CPU time'],
  ['rateRatio', 'rate'],
  ['heapRatio', 'heap per kept document'],
  ['rssRatio', 'peak memory'],
] as const;

/** Of these the target says how much less they must be; the others must not be worse than the official driver's. */
const governed: ReadonlySet<string> = new Set(['cpuRatio', 'heapRatio', 'rssRatio']);
const noise = 0.1;

const underTarget = (report: RowReport, share: number): readonly string[] =>
  ratios.flatMap(([name, what]) => {
    const ratio = report[name];
    if (ratio === undefined) return [];
    const target = governed.has(name) ? report.target : 1;
    const tolerance = governed.has(name) ? report.tolerance : noise;
    const floor = target * (1 - tolerance) * share;
    if (ratio >= floor) return [];
    const asked = share < 1 ? `the floor of a short run, ${round(floor)}` : `its target of ${round(target)}`;
    return [`${titleOf(report)}: the ratio of ${what} is ${ratio.toFixed(2)}, under ${asked}.`];
  });

/** Of a short run, which noise may disturb, only so much of the target is asked. */
export const shortShare = 0.5;

/** What is wrong with a row, a sentence each: results, then counters, then ratios. */
export const findings = (report: RowReport, share: number): readonly string[] => {
  const { counters, name, wrong } = report;
  const bound = bounds[name];
  return [
    ...wrong,
    ...(counters === undefined || bound === undefined ? [] : overBound(name, counters.ours, bound)),
    ...underTarget(report, share),
  ];
};
