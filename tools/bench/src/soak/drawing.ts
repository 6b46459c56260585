import { chart, colors, picture, tag, text } from '../picture/index.js';
import type { Curve } from '../picture/index.js';
import type { Sample } from './findings.js';

const line = (sample: Sample): string => {
  const { at, operations, driver, server } = sample;
  return [
    `${at.toFixed(0)} s`.padStart(7),
    operations.toLocaleString('en-US').padStart(12),
    ...[driver.heap, driver.rss].map(value => value.toFixed(1).padStart(10)),
    String(driver.handles).padStart(9),
    ...[server.heap, server.rss].map(value => value.toFixed(1).padStart(12)),
  ].join('');
};

/** Returns the heading of the table of samples. */
export const heading: string = [
  'time'.padStart(7),
  'operations'.padStart(12),
  ...['heap MB', 'RSS MB'].map(name => name.padStart(10)),
  'handles'.padStart(9),
  ...['servers MB', 'RSS MB'].map(name => name.padStart(12)),
].join('');

export { line };

const frame = { width: 420, height: 260 };

/** Draws the heap, the memory and the handles of both processes over time. */
export const draw = (samples: readonly Sample[], kinds: number): string => {
  const { at, operations } = samples.at(-1)!;
  const curve = (name: string, color: string, measure: (sample: Sample) => number): Curve => ({
    name,
    color,
    points: samples.map(sample => [sample.at, measure(sample)] as const),
  });
  const [driver, server] = [colors.curves[0], colors.curves[1]];
  const title = `${operations.toLocaleString('en-US')} operations in ${Math.round(at / 60)} minutes`;
  const charts = [
    {
      title: 'live objects after a collection',
      yTitle: 'MB',
      curves: [curve('driver', driver, each => each.driver.heap), curve('servers', server, each => each.server.heap)],
    },
    {
      title: 'memory of the process',
      yTitle: 'MB',
      curves: [curve('driver', driver, each => each.driver.rss), curve('servers', server, each => each.server.rss)],
    },
    { title: 'handles', yTitle: '', curves: [curve('driver', driver, each => each.driver.handles)] },
  ];
  const legend = [
    ['driver', driver],
    ['replica set of three members', server],
  ].flatMap(([name, color], index) => [
    tag('line', { x1: 20 + index * 220, x2: 44 + index * 220, y1: 60, y2: 60, stroke: color!, 'stroke-width': 3 }),
    text(50 + index * 220, 64, name!, { 'font-size': 12 }),
  ]);
  return picture(
    charts.length * frame.width + 20,
    84 + frame.height + 10,
    {
      title,
      description: `Heap, memory and handles of the driver and of the servers under a mixed load of ${kinds} kinds of operations.`,
    },
    [
      text(20, 32, title, { 'font-size': 18, 'font-weight': 600 }),
      ...legend,
      ...charts.map((each, index) => chart({ ...frame, ...each, xTitle: 'seconds', x: index * frame.width, y: 84 })),
    ],
  );
};
