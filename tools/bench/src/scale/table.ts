import { chart, colors, picture, tag, text } from '../picture/index.js';
import type { Machine } from '../report.js';
import { machineText } from '../table.js';
import { growthOf } from './cost.js';
import type { Cost, Measured } from './cost.js';

const shown = (value: number): string => (value < 10 ? value.toFixed(2) : value.toFixed(0));

const bytesOf = ({ bytes }: Cost): string => (bytes === undefined ? '' : shown(bytes / 1000));

const cells = (values: readonly string[]): string =>
  values.map((value, index) => (index === 0 ? value.padStart(12) : value.padStart(10))).join('');

/** Returns the lines of a series: the cost of each size with both drivers, and how much it grew. */
export const linesOf = ({ name, unit, ours, theirs }: Measured): readonly string[] => {
  const growth = growthOf(ours.map(({ micros }) => micros));
  const their = growthOf(theirs.map(({ micros }) => micros));
  return [
    `${name}: CPU time of one ${unit} in µs, with Tessera and the official driver; growth of each; kB of memory`,
    cells(['', 'ours', 'official', 'growth', 'growth', 'ours kB', 'official']),
    ...ours.map((cost, index) => {
      const other = theirs[index]!;
      return cells([
        cost.size.toLocaleString('en-US'),
        shown(cost.micros),
        shown(other.micros),
        growth[index]!.toFixed(2),
        their[index]!.toFixed(2),
        bytesOf(cost),
        bytesOf(other),
      ]);
    }),
  ];
};

/** Returns the part of docs/scale.md with the figures. */
export const pageOf = (all: readonly Measured[], machine: Machine, isShort: boolean): string =>
  [
    `${machineText(machine)}. ${isShort ? 'A short run, without the large sizes, beside other programs.' : 'A full run.'}`,
    '',
    '```text',
    all
      .map(measured =>
        linesOf(measured)
          .map(line => line.trimEnd())
          .join('\n'),
      )
      .join('\n\n'),
    '```',
  ].join('\n');

const frame = { width: 400, height: 230 };
const columns = 2;

/** Draws the cost of a unit by size, one chart for each series. */
export const draw = (all: readonly Measured[]): string => {
  const title = 'The cost of one unit as the work grows';
  const points = (costs: readonly Cost[]): readonly (readonly [number, number])[] =>
    costs.map(({ size, micros }) => [Math.log10(size), micros] as const);
  const legend = ['Tessera', 'official driver'].flatMap((name, index) => [
    tag('line', {
      x1: 20 + index * 160,
      x2: 44 + index * 160,
      y1: 56,
      y2: 56,
      stroke: colors.curves[index]!,
      'stroke-width': 3,
    }),
    text(50 + index * 160, 60, name, { 'font-size': 12 }),
  ]);
  return picture(
    columns * frame.width + 20,
    80 + Math.ceil(all.length / columns) * frame.height + 10,
    { title, description: `CPU time of one unit of work, for ${all.map(({ name }) => name).join(', ')}.` },
    [
      text(20, 32, title, { 'font-size': 18, 'font-weight': 600 }),
      ...legend,
      ...all.map(({ name, unit, ours, theirs }, index) =>
        chart({
          ...frame,
          x: (index % columns) * frame.width,
          y: 80 + Math.floor(index / columns) * frame.height,
          title: name,
          xTitle: 'power of ten',
          yTitle: `µs per ${unit}`,
          curves: [
            { name: 'Tessera', color: colors.curves[0], points: points(ours) },
            { name: 'official driver', color: colors.curves[1], points: points(theirs) },
          ],
        }),
      ),
    ],
  );
};
