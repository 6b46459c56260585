import type { Note } from '@tessera-tools/house';
import { faultNames, faultTitles } from './faults.js';
import type { Measured } from './measure.js';

/** Where what was measured is not what is to be expected, a sentence each. */
export const findingsOf = ({ place, rows, idempotents }: Measured): readonly Note[] => [
  ...rows.flatMap(({ strategy, cells }) =>
    faultNames.flatMap(fault => {
      const { verdict, lost } = cells[fault];
      const expected = strategy.expected[fault];
      const title = `${place}: ${strategy.name}: ${faultTitles[fault]}`;
      return [
        ...(verdict === expected ? [] : [{ title, reason: `${verdict}, where ${expected} was expected` }]),
        ...(lost === 0 ? [] : [{ title, reason: `${String(lost)} acknowledged increments are lost` }]),
      ];
    }),
  ),
  ...idempotents.flatMap(({ idempotent: { name }, cell: { events, right, acknowledged } }) =>
    right === events && acknowledged === events
      ? []
      : [
          {
            title: `${place}: ${name}`,
            reason: `${String(right)} right and ${String(acknowledged)} acknowledged of ${String(events)}`,
          },
        ],
  ),
];

export const checksOf = ({ rows, idempotents }: Measured): number =>
  rows.length * faultNames.length + idempotents.length;
