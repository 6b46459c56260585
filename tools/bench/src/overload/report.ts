import { chart, colors, picture, tag, text } from '../picture/index.js';
import type { Curve } from '../picture/index.js';
import { percentile } from './figures.js';
import type { Figures, Period } from './figures.js';
import type { Parameters } from './parameters.js';
import type { Policy } from './policies.js';
import type { Second } from './run.js';

export interface Ran {
  readonly policy: Policy;
  readonly seconds: readonly Second[];
  readonly figures: Figures;
}

const whole = (value: number): string => (Number.isFinite(value) ? String(Math.round(value)) : '–');

const recovered = ({ recovery }: Figures): string =>
  recovery === undefined ? 'never' : recovery === 0 ? 'immediately' : `after ${String(recovery)} s`;

const cells = ({ goodput, median, percentile99, retries }: Period): readonly string[] => [
  whole(goodput),
  whole(median),
  whole(percentile99),
  whole(retries),
];

const line = (columns: readonly string[]): string =>
  columns
    .map((column, index) => (index === 0 ? column.padEnd(20) : column.padStart(index === 13 ? 14 : 8)))
    .join('')
    .trimEnd();

export const textOf = (ran: readonly Ran[], parameters: Parameters): string => {
  const { clients, normalRate, overloadRate, overloadFrom, overloadTo, serviceTime, refusalTime, queue, seed } =
    parameters;
  const heads = ['done/s', 'p50 ms', 'p99 ms', 'retry/s'];
  return [
    `${String(clients)} clients; a server that executes ${String(1000 / serviceTime)} commands per second, queues ${String(queue)} and takes ${String(refusalTime)} ms to reject one; seed ${String(seed)}`,
    `users start ${String(normalRate)} operations per second; ${String(overloadRate)} from second ${String(overloadFrom)} to ${String(overloadTo)}`,
    '',
    `${''.padEnd(20)}${'before'.padStart(8).padEnd(32)}${'during the overload'.padStart(24).padEnd(32)}${'the last 20 seconds'.padStart(24)}`,
    line(['', ...heads, ...heads, ...heads, 'recovers']),
    ...ran.map(({ policy: { name }, figures }) =>
      line([name, ...cells(figures.before), ...cells(figures.during), ...cells(figures.after), recovered(figures)]),
    ),
  ].join('\n');
};

const curve = ({ policy: { name, color }, seconds }: Ran, value: (second: Second) => number): Curve => ({
  name,
  color,
  points: seconds.flatMap((second, at) => (Number.isFinite(value(second)) ? [[at, value(second)] as const] : [])),
});

const frame = { width: 560, height: 260 };

export const draw = (ran: readonly Ran[], parameters: Parameters): string => {
  const title = 'One minute of overload, by retry policy';
  const { overloadFrom, overloadTo, clients, seed } = parameters;
  const common = {
    ...frame,
    xTitle: 'seconds',
    shades: [{ from: overloadFrom, to: overloadTo, name: 'overload' }],
  };
  const top = 84;
  const legend = ran.flatMap(({ policy: { name, color }, figures }, index) => [
    tag('line', { x1: 20 + index * 220, x2: 44 + index * 220, y1: 60, y2: 60, stroke: color, 'stroke-width': 3 }),
    text(50 + index * 220, 64, `${name}: ${recovered(figures)}`, { 'font-size': 12 }),
  ]);
  const charts = [
    {
      title: 'successful operations',
      yTitle: 'per second',
      curves: [
        ...ran.map(one => curve(one, ({ latencies }) => latencies.length)),
        { ...curve(ran[0]!, ({ began }) => began), color: colors.faint },
      ],
    },
    {
      title: 'latency of successful operations, 99th percentile',
      yTitle: 'ms',
      logarithmic: true,
      curves: ran.map(one => curve(one, ({ latencies }) => percentile(latencies, 0.99))),
    },
    { title: 'commands sent', yTitle: 'per second', curves: ran.map(one => curve(one, ({ commands }) => commands)) },
    { title: 'failed operations', yTitle: 'per second', curves: ran.map(one => curve(one, ({ failed }) => failed)) },
  ];
  return picture(
    2 * frame.width + 20,
    top + 2 * frame.height + 10,
    {
      title,
      description: `Goodput, latency, commands and failures per second of ${String(clients)} simulated clients under ${String(ran.length)} policies, seed ${String(seed)}.`,
    },
    [
      text(20, 32, title, { 'font-size': 18, 'font-weight': 600 }),
      ...legend,
      ...charts.map((each, index) =>
        chart({ ...common, ...each, x: (index % 2) * frame.width, y: top + Math.floor(index / 2) * frame.height }),
      ),
    ],
  );
};
