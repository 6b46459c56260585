import { colors, picture, tag, text } from '../picture/index.js';
import { faultNames, faultTitles } from './faults.js';
import type { Measured } from './measure.js';
import type { Verdict } from './strategies.js';
import { figuresOf } from './table.js';

const fills: Readonly<Record<Verdict, string>> = {
  'may overcount': colors.bad,
  'may undercount': colors.bad,
  'wastes time': colors.fair,
  'adds load': colors.fair,
  correct: colors.good,
};

const first = 230;
const width = 262;
const height = 84;
const top = 74;
const gap = 4;

/** Draws the table, with a color for each verdict. */
export const draw = ({ counters, seed, rows }: Measured): string => {
  const title = 'Retry strategies for an increment';
  const head = faultNames.map((name, index) =>
    text(first + index * width + 10, top - 12, faultTitles[name], { 'font-weight': 600 }),
  );
  const body = rows.flatMap(({ strategy, cells }, row) => {
    const y = top + row * height;
    return [
      text(14, y + 24, strategy.name, { 'font-weight': 600 }),
      text(14, y + 43, strategy.how, { 'font-size': 11 }),
      ...faultNames.flatMap((name, index) => {
        const x = first + index * width;
        const cell = cells[name];
        return [
          tag('rect', { x, y, width: width - gap, height: height - gap, rx: 4, fill: fills[cell.verdict] }),
          text(x + 10, y + 21, cell.verdict, { 'font-weight': 600 }),
          ...figuresOf(cell, true).map((figure, place) =>
            text(x + 10, y + 40 + place * 15, figure, { 'font-size': 11 }),
          ),
        ];
      }),
    ];
  });
  return picture(
    first + faultNames.length * width + 10,
    top + rows.length * height + 12,
    {
      title,
      description: `Each cell shows the result of ${String(counters)} increments in the simulated world, with one fault each; seed ${String(seed)}.`,
    },
    [
      text(14, 28, title, { 'font-size': 18, 'font-weight': 600 }),
      text(14, 47, `${String(counters)} increments per cell, simulated, seed ${String(seed)}`, { 'font-size': 11 }),
      ...head,
      ...body,
    ],
  );
};
