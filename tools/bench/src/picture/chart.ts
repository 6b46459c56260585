import { colors, tag, text } from './svg.js';

export interface Curve {
  readonly name: string;
  readonly color: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** A highlighted interval of the x axis, such as the time of an overload. */
export interface Shade {
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

export interface ChartOptions {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly title: string;
  /** The titles of the axes, with units. */
  readonly xTitle: string;
  readonly yTitle: string;
  readonly curves: readonly Curve[];
  readonly shades?: readonly Shade[];
  /** Whether the y axis is logarithmic. */
  readonly logarithmic?: boolean;
}

const margin = { left: 62, right: 14, top: 30, bottom: 42 };

/** Returns a step of 1, 2 or 5 times a power of ten that divides the span into about the given number of steps. */
const stepOf = (span: number, steps: number): number => {
  const rough = span / steps;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map(digit => digit * power).find(step => step >= rough) ?? rough;
};

const ticksOf = (from: number, to: number, steps: number): readonly number[] => {
  const step = stepOf(to - from, steps);
  const count = Math.floor((to - from) / step + 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => from + index * step);
};

const powersOf = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.round(Math.log10(to / from)) + 1 }, (_, index) => from * 10 ** index);

const short = (value: number): string =>
  value >= 1000 ? `${String(Math.round(value / 100) / 10)}k` : String(Math.round(value * 100) / 100);

/** Draws a chart with axes, curves and shades. The caller draws the legend. */
export const chart = (options: ChartOptions): string => {
  const { x, y, width, height, title, xTitle, yTitle, curves, shades = [], logarithmic = false } = options;
  const all = curves.flatMap(({ points }) => points);
  const xs = all.map(([at]) => at);
  const ys = all.map(([, value]) => value).filter(value => !logarithmic || value > 0);
  const [firstX, lastX] = [Math.min(...xs, 0), Math.max(...xs, 1)];
  const least = logarithmic ? 10 ** Math.floor(Math.log10(Math.min(...ys, 1))) : 0;
  const highest = Math.max(...ys, logarithmic ? least * 10 : 1);
  const most = logarithmic ? 10 ** Math.ceil(Math.log10(highest)) : highest;
  const inner = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
  const [left, top] = [x + margin.left, y + margin.top];
  const bottom = top + inner.height;
  const atX = (value: number): number => left + ((value - firstX) / (lastX - firstX)) * inner.width;
  const share = (value: number): number =>
    logarithmic ? Math.log10(Math.max(value, least) / least) / Math.log10(most / least) : value / most;
  const atY = (value: number): number => bottom - share(value) * inner.height;
  const yTicks = logarithmic ? powersOf(least, most) : ticksOf(0, most, 4);
  return tag('g', {}, [
    text(left, y + 18, title, { 'font-weight': 600 }),
    ...shades.map(({ from, to }) =>
      tag('rect', { x: atX(from), y: top, width: atX(to) - atX(from), height: inner.height, fill: colors.fair }),
    ),
    ...yTicks.flatMap(tick => [
      tag('line', { x1: left, x2: left + inner.width, y1: atY(tick), y2: atY(tick), stroke: colors.line }),
      text(left - 6, atY(tick) + 4, short(tick), { 'text-anchor': 'end', 'font-size': 11 }),
    ]),
    ...ticksOf(firstX, lastX, 6).map(tick =>
      text(atX(tick), bottom + 16, short(tick), { 'text-anchor': 'middle', 'font-size': 11 }),
    ),
    ...shades.map(({ from, name }) => text(atX(from) + 4, top + 13, name, { 'font-size': 11, fill: colors.faint })),
    ...curves.map(({ points, color }) =>
      tag('polyline', {
        points: points.map(([at, value]) => `${atX(at).toFixed(1)},${atY(value).toFixed(1)}`).join(' '),
        fill: 'none',
        stroke: color,
        'stroke-width': 1.6,
      }),
    ),
    text(left + inner.width, bottom + 32, xTitle, { 'text-anchor': 'end', 'font-size': 11 }),
    text(left + inner.width, y + 18, yTitle, { 'text-anchor': 'end', 'font-size': 11 }),
  ]);
};
