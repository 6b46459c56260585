/** The picture of README.md: how much CPU time each kind of work takes with the official driver, compared with Tessera. */
import { colors, picture, tag, text } from './picture/index.js';

/** The work of applications, by the name of its row in the table. */
const works: readonly (readonly [row: string, title: string])[] = [
  ['findOne@16', 'find a document, 16 at a time'],
  ['tls-findOne@16', 'the same over TLS'],
  ['insertOne@16', 'insert a document, 16 at a time'],
  ['insertMany@1', 'insert 1,000 documents'],
  ['bulkWrite@1', 'bulk write'],
  ['forAwait@1', 'read 10,000 with for await'],
  ['toArray@1', 'read 10,000 with toArray'],
  ['zlib-toArray@1', 'the same with compression'],
  ['changeStream@1', 'read a change stream'],
  ['gridfs-up@1', 'upload a file'],
  ['gridfs-down@1', 'download a file'],
  ['scram-hot@1', 'log in again'],
  ['scram-cold@1', 'log in for the first time'],
  ['import', 'import the driver'],
];

export interface Gain {
  readonly title: string;
  /** The CPU time of the official driver divided by that of Tessera. */
  readonly ratio: number;
}

/** Returns the gains in a table as Markdown. Work that the table lacks is omitted. */
export const gainsOf = (table: string): readonly Gain[] => {
  const lines = table.split('\n').map(line => line.split('|').map(cell => cell.trim()));
  const column = lines.find(cells => cells[1] === 'row')?.indexOf('CPU ratio') ?? -1;
  return works.flatMap(([row, title]): Gain[] => {
    const cell = lines.find(cells => cells[1] === row)?.[column];
    return cell === undefined ? [] : [{ title, ratio: Number(cell) }];
  });
};

const left = 250;
const width = 720;
const top = 76;
const step = 24;
/** The room for the figure behind the longest bar. */
const behind = 72;

/** Draws a bar for each gain. A line marks the official driver. */
export const drawGains = (gains: readonly Gain[]): string => {
  const title = 'CPU time of the official driver, compared with Tessera';
  const most = Math.max(1, ...gains.map(({ ratio }) => ratio));
  const atX = (ratio: number): number => left + (ratio / most) * (width - left - behind);
  const bottom = top + gains.length * step;
  return picture(
    width,
    bottom + 16,
    { title, description: gains.map(one => `${one.title}: ${one.ratio.toFixed(2)} times`).join('; ') },
    [
      text(20, 30, title, { 'font-size': 18, 'font-weight': 600 }),
      text(20, 50, 'how many times as much CPU time the same work takes; a longer bar is better', { 'font-size': 12 }),
      ...gains.flatMap(({ title: work, ratio }, index) => {
        const y = top + index * step;
        const fill = ratio < 1 ? colors.curves[1] : colors.curves[0];
        return [
          text(left - 10, y + 13, work, { 'text-anchor': 'end' }),
          tag('rect', { x: left, y, width: atX(ratio) - left, height: step - 7, rx: 2, fill }),
          text(atX(ratio) + 6, y + 13, `${ratio.toFixed(2)}×`, { 'font-weight': 600 }),
        ];
      }),
      tag('line', { x1: atX(1), x2: atX(1), y1: top - 6, y2: bottom, stroke: colors.ink, 'stroke-dasharray': '3 3' }),
      text(atX(1), top - 10, '1× = equal', { 'text-anchor': 'middle', 'font-size': 11 }),
    ],
  );
};
