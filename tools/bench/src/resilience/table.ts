import { faultNames, faultTitles } from './faults.js';
import type { Measured } from './measure.js';
import type { Cell } from './verdict.js';

const time = (spent: number): string =>
  spent >= 10_000 ? `${String(Math.round(spent / 1000))} s` : `${String(Math.round(spent))} ms`;

/** Formats the figures of a cell. `timed` adds the time per operation, which is reproducible only in simulated time. */
export const figuresOf = (cell: Cell, timed: boolean): readonly string[] => [
  `${String(cell.counted)} counted of ${String(cell.acknowledged)} acknowledged`,
  `${String(cell.doubled)} doubled, ${String(cell.lost)} lost, ${String(cell.missing)} missing`,
  `${String(cell.retries)} retries${timed ? `, ${time(cell.spent)} each` : ''}`,
];

const column = 47;
const first = 32;

const line = (cells: readonly string[]): string =>
  cells
    .map((cell, index) => cell.padEnd(index === 0 ? first : column))
    .join('')
    .trimEnd();

/** Formats the results of one place as text. */
export const textOf = ({ place, seed, counters, rows, idempotents }: Measured): string => {
  const timed = place === 'simulated';
  const where = timed ? 'in the simulated world' : 'on real sockets';
  return [
    `${String(counters)} increments per cell, ${where}, seed ${String(seed)}`,
    '',
    line(['', ...faultNames.map(name => faultTitles[name])]),
    ...rows.flatMap(({ strategy, cells }) => {
      const columns = faultNames.map(name => [cells[name].verdict.toUpperCase(), ...figuresOf(cells[name], timed)]);
      return [
        '',
        ...[strategy.name, strategy.how, '', ''].map((name, index) =>
          line([name, ...columns.map(cell => cell[index]!)]),
        ),
      ];
    }),
    '',
    'Idempotent operations under a transient network error, in an application that retries network errors once:',
    ...idempotents.map(
      ({ idempotent: { name }, cell: { events, right, acknowledged } }) =>
        `  ${name}: ${String(right)} of ${String(events)} correct, ${String(acknowledged)} acknowledged`,
    ),
  ].join('\n');
};
