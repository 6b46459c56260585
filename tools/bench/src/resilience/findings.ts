import type { Note } from '@tessera-tools/house';
import { faultNames, faultTitles } from './faults.js';
import type { Measured } from './measure.js';

/** Returns a finding for each measured result that differs from the expected one. */
export const findingsOf = ({ place, rows, idempotents }: Measured): readonly Note[] => [
  ...rows.flatMap(({ strategy, cells }) =>
    faultNames.flatMap(fault => {
      const { verdict, lost } = cells[fault];
      const expected = strategy.expected[fault];
      const title = `${place}: ${strategy.name}: ${faultTitles[fault]}`;
      return [
        ...(verdict === expected ? [] : [{ title, reason: `Expected the verdict "${expected}", got "${verdict}".` }]),
        ...(lost === 0 ? [] : [{ title, reason: `${String(lost)} acknowledged increments were lost.` }]),
      ];
    }),
  ),
  ...idempotents.flatMap(({ idempotent: { name }, cell: { events, right, acknowledged } }) =>
    right === events && acknowledged === events
      ? []
      : [
          {
            title: `${place}: ${name}`,
            reason: `Of ${String(events)} operations, ${String(right)} were correct and ${String(acknowledged)} acknowledged.`,
          },
        ],
  ),
];

export const checksOf = ({ rows, idempotents }: Measured): number =>
  rows.length * faultNames.length + idempotents.length;
