import { counterNames } from './counters/counters.js';
import type { CounterName } from './counters/counters.js';
import type { Machine, RowReport } from './report.js';
import { titleOf } from './rows.js';
import type { Floor } from './side.js';

/** Formats a number with three significant digits, such as 0.123, 12.3 or 12,345. */
export const figure = (value: number): string => {
  if (value === 0) return '0';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString('en-US', { maximumFractionDigits: Math.min(digits, 3) });
};

const pair = (ours: number, theirs: number | undefined): string =>
  `${figure(ours)} / ${theirs === undefined ? '–' : figure(theirs)}`;

const times = (ratio: number | undefined): string => (ratio === undefined ? '' : ratio.toFixed(2));

const counted = ({ counters }: RowReport, name: CounterName): string =>
  counters === undefined ? '' : pair(counters.ours[name], counters.theirs?.[name]);

const cpu = ({ figures }: RowReport): string =>
  figures === undefined ? '' : pair(figures.ours.cpuMicros, figures.theirs.cpuMicros);

const rate = ({ figures }: RowReport): string =>
  figures === undefined ? '' : pair(figures.ours.perSecond, figures.theirs.perSecond);

type Column = readonly [title: string, cell: (row: RowReport) => string];

const counterTitles: Readonly<Record<CounterName, string>> = {
  promises: 'promises',
  writes: 'writes',
  heapBytes: 'heap bytes',
  listeners: 'listeners',
};

const rateColumn: Column = ['ops/s', rate];

/** The columns. In a cell with two figures, Tessera comes first, then the official driver. */
const columns: readonly Column[] = [
  ['row', row => titleOf(row)],
  ['CPU ratio', row => times(row.cpuRatio)],
  ['target', row => figure(row.target)],
  ['rate ratio', row => times(row.rateRatio)],
  ['CPU µs per op', cpu],
  rateColumn,
  ...counterNames.map((name): Column => [counterTitles[name], row => counted(row, name)]),
];

/** The columns of README.md. It omits the rates, which depend on the load of the machine, and keeps their ratio. */
const pageColumns = columns.filter(column => column !== rateColumn);

const floors: Readonly<Record<Floor, string>> = {
  bare: 'only the pool and the connection',
  socket: 'a socket that exchanges the same bytes',
};

const notes = (row: RowReport): readonly string[] => {
  const { recovery, recoveryRatios } = row;
  const { against, memory, heapRatio, rssRatio, idle, idleHeapRatio, idleResidentRatio, processRatio, skipped } = row;
  return [
    ...(skipped === undefined ? [] : [`${titleOf(row)}: skipped: ${skipped}`]),
    ...(against === undefined
      ? []
      : [`${titleOf(row)}: compared with ${floors[against]} instead of the official driver`]),
    ...(processRatio === undefined
      ? []
      : [`${row.name}: the ratio of whole processes, including the start of Node.js, is ${times(processRatio)}`]),
    ...(memory === undefined
      ? []
      : [
          `${row.name}: heap per kept document ${pair(memory.ours.heapBytesPerDocument, memory.theirs.heapBytesPerDocument)} bytes, ratio ${times(heapRatio)}; ` +
            `peak of the process ${pair(memory.ours.peakRssBytes / 2 ** 20, memory.theirs.peakRssBytes / 2 ** 20)} MiB, ratio ${times(rssRatio)}`,
        ]),
    ...(recovery === undefined
      ? []
      : [
          `${row.name}: an operation that loses its connection ${pair(recovery.ours.reset, recovery.theirs.reset)} ms, ratio ${times(recoveryRatios?.reset)}; ` +
            `many of them ${pair(recovery.ours.manyResets, recovery.theirs.manyResets)} ms, ratio ${times(recoveryRatios?.manyResets)}; ` +
            `an insert at a step-down ${pair(recovery.ours.stepDown, recovery.theirs.stepDown)} ms, ratio ${times(recoveryRatios?.stepDown)}`,
        ]),
    ...(idle === undefined
      ? []
      : [
          `${row.name}: heap per connection ${pair(idle.ours.heapBytes, idle.theirs.heapBytes)} bytes, ratio ${times(idleHeapRatio)}; ` +
            `memory of the process per connection ${pair(idle.ours.residentBytes / 2 ** 10, idle.theirs.residentBytes / 2 ** 10)} KiB, ratio ${times(idleResidentRatio)}`,
        ]),
  ];
};

/** Formats a row for the progress output. */
export const progress = (row: RowReport): string => {
  const ratio = row.cpuRatio === undefined ? '' : `CPU ${times(row.cpuRatio)}, rate ${times(row.rateRatio)}`;
  return [`${titleOf(row).padEnd(16)} ${ratio}`.trimEnd(), ...notes(row).map(note => `  ${note}`)].join('\n');
};

/** Returns the cells of the header and of the measured rows. */
const linesOf = (shown: readonly Column[], rows: readonly RowReport[]): readonly (readonly string[])[] => [
  shown.map(([title]) => title),
  ...rows.filter(({ cpuRatio }) => cpuRatio !== undefined).map(row => shown.map(([, cell]) => cell(row))),
];

/** Aligns the first column to the left and the others to the right. */
const aligned = (lines: readonly (readonly string[])[]): readonly (readonly string[])[] => {
  const widths = lines[0]!.map((_, index) => Math.max(3, ...lines.map(cells => cells[index]!.length)));
  return lines.map(cells =>
    cells.map((cell, index) => (index === 0 ? cell.padEnd(widths[index]!) : cell.padStart(widths[index]!))),
  );
};

export const machineText = ({ cpu: model, cores, platform, node }: Machine): string =>
  `${model}, ${cores} cores, ${platform}, Node.js ${node}`;

const legend =
  'CPU ratio: official / Tessera, rate ratio: Tessera / official; 2 means half the cost or twice the rate. Pairs: Tessera / official. Counters are per operation.';

/** Formats the table as plain text. */
export const plainTable = (machine: Machine, rows: readonly RowReport[]): string =>
  [
    ...aligned(linesOf(columns, rows)).map(cells => cells.join('  ').trimEnd()),
    ...rows.flatMap(notes),
    machineText(machine),
    legend,
  ].join('\n');

/** Formats the table as Markdown, in the same format as oxfmt. */
export const readmeTable = (machine: Machine, rows: readonly RowReport[]): string => {
  const [header, ...lines] = aligned(linesOf(pageColumns, rows));
  const rule = header!.map(({ length }, index) => (index === 0 ? '-'.repeat(length) : `${'-'.repeat(length - 1)}:`));
  const list = rows.flatMap(notes).map(note => `- ${note}`);
  return [
    `${machineText(machine)}. ${legend}`,
    '',
    ...[header!, rule, ...lines].map(cells => `| ${cells.join(' | ')} |`),
    ...(list.length > 0 ? ['', ...list] : []),
  ].join('\n');
};
