import type { Tally } from '@tessera-tools/house';
import { bounds } from './bounds.js';
import { counterNames } from './counters/counters.js';
import type { CounterName, Counters } from './counters/counters.js';
import type { RowReport } from './report.js';
import { atLeast, notWorse, titleOf } from './rows.js';

/** The maximum number of promises that the whole driver adds per operation to those of the pool and the connection. */
const promisesOfStack = 2;

/** Tolerance for counters, because a monitor's command during a pass adds a fraction to each operation. */
const fraction = 0.01;

const units: Readonly<Record<CounterName, string>> = {
  promises: 'promises created',
  writes: 'socket writes',
  heapBytes: 'bytes of heap',
  listeners: 'remaining listeners',
};

const round = (value: number): string => String(Math.round(value * 100) / 100);

const overBound = (title: string, ours: Counters, bound: Counters): readonly string[] =>
  counterNames
    .filter(name => ours[name] > bound[name] + fraction)
    .map(
      name =>
        `${title}: ${round(ours[name])} ${units[name]} per operation, above the bound of ${round(bound[name])} in tools/bench/src/bounds.ts.`,
    );

type Limits = Pick<RowReport, 'target' | 'tolerance' | 'reached'>;

/** Returns the lowest allowed ratio if only a share of the target, or of the ratio that the row reaches, is required. */
export const floorOf = ({ target, tolerance, reached = target }: Limits, share: number): number =>
  (share < 1 ? reached : target) * (1 - tolerance) * share;

interface Judged extends Limits {
  readonly what: string;
  readonly ratio: number | undefined;
}

/**
 * Returns the ratios to check. The target applies to CPU time and memory. Rates have targets of their own, or must not
 * be worse; short runs do not check them.
 */
const ratiosOf = (report: RowReport, share: number): readonly Judged[] => {
  const { against, cpuRatio, heapRatio, rssRatio, idleHeapRatio, idleResidentRatio, target, tolerance } = report;
  const { reset, manyResets, stepDown } = report.recoveryRatios ?? {};
  const rateRatio = share < 1 || against !== undefined ? undefined : report.rateRatio;
  const rateLimits = report.rateTarget === undefined ? notWorse : atLeast(report.rateTarget);
  return [
    { ...report, what: 'CPU time', ratio: cpuRatio },
    { ...rateLimits, what: 'rates', ratio: rateRatio },
    { what: 'heap per kept document', ratio: heapRatio, target, tolerance },
    { what: 'peak memory', ratio: rssRatio, target, tolerance },
    { what: 'heap per idle connection', ratio: idleHeapRatio, target, tolerance },
    { what: 'memory per idle connection', ratio: idleResidentRatio, target, tolerance },
    { what: 'recovery after a lost connection', ratio: reset, target, tolerance },
    { what: 'recovery after many lost connections', ratio: manyResets, target, tolerance },
    { what: 'recovery after a step-down', ratio: stepDown, target, tolerance },
  ];
};

const underTarget = (report: RowReport, share: number): readonly string[] =>
  ratiosOf(report, share).flatMap(({ what, ratio, ...limits }) => {
    const floor = floorOf(limits, share);
    if (ratio === undefined || ratio >= floor) return [];
    const limit =
      share < 1 ? `the minimum of ${round(floor)} for a short run` : `its target of ${round(limits.target)}`;
    return [`${titleOf(report)}: The ratio of ${what} is ${ratio.toFixed(2)}, below ${limit}.`];
  });

const overBare = ({ against, counters }: RowReport): readonly string[] => {
  if (against !== 'bare' || counters?.theirs === undefined) return [];
  const more = counters.ours.promises - counters.theirs.promises;
  if (more <= promisesOfStack + fraction) return [];
  return [
    `The whole driver creates ${round(more)} more promises per operation than the pool and the connection, above the bound of ${promisesOfStack}.`,
  ];
};

/**
 * The maximum time of an operation that loses its connection to a healthy server, in milliseconds. It allows for a busy
 * machine; a retry that waits for minHeartbeatFrequencyMS takes 500 ms.
 */
const mostOfReset = 100;

const slowRecovery = ({ name, recovery }: RowReport): readonly string[] =>
  recovery === undefined || recovery.ours.reset <= mostOfReset
    ? []
    : [
        `${name}: An operation that loses its connection takes ${round(recovery.ours.reset)} ms, above the bound of ${mostOfReset} ms.`,
      ];

/** Returns the findings of a row, one sentence each: wrong results, then counters, then ratios. */
export const findings = (report: RowReport, share: number): readonly string[] => {
  const { counters, name, wrong } = report;
  const bound = bounds[name];
  return [
    ...wrong,
    ...(counters === undefined || bound === undefined ? [] : overBound(name, counters.ours, bound)),
    ...overBare(report),
    ...slowRecovery(report),
    ...underTarget(report, share),
  ];
};

/** Counts each row as one check. */
export const tallyOf = (judged: readonly { row: RowReport; findings: readonly string[] }[]): Tally => ({
  passed: judged.filter(({ row, findings }) => row.skipped === undefined && findings.length === 0).length,
  failed: judged
    .filter(({ findings }) => findings.length > 0)
    .map(({ row, findings }) => ({ title: `bench ${titleOf(row)}`, reason: findings.join(' ') })),
  skipped: judged.flatMap(({ row }) =>
    row.skipped === undefined ? [] : [{ title: `bench ${titleOf(row)}`, reason: row.skipped }],
  ),
});
