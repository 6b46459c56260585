import { officialNames } from './documents/official.js';
import type { Floor } from './side.js';

/** The target ratio of a row. */
export interface Target {
  readonly target: number;
  /** The share by which the ratio may be below the target because of noise; 0.1 is 10 %. */
  readonly tolerance: number;
  /** The ratio of a row that does not reach its target. A short run requires a share of this ratio instead. */
  readonly reached?: number;
  /** The target of the ratio of rates. Default: 1, less 10 %. */
  readonly rateTarget?: number;
}

/** A row of the table. Codec and driver rows repeat an operation; the others start processes. */
export type Row = Target & { readonly name: string } & (
    | {
        readonly is: 'codec';
        /** Whether it uses the official data sets, which may be absent. */
        readonly official: boolean;
      }
    | {
        readonly is: 'driver';
        readonly inFlight: number;
        /** The duration of an operation: microseconds, a few milliseconds, or up to half a second. */
        readonly weight: 'light' | 'middle' | 'heavy';
        /** Compares with this instead of the official driver. */
        readonly against?: Floor;
      }
    | { readonly is: 'recover' }
    | { readonly is: 'import' }
    | { readonly is: 'memory' }
    | { readonly is: 'idle' }
  );

/** At least as good as the official driver, except for noise. */
export const notWorse: Target = { target: 1, tolerance: 0.1 };
export const atLeast = (target: number, reached?: number): Target => ({
  target,
  tolerance: 0,
  ...(reached === undefined ? {} : { reached }),
});

/** The targets of data sets that differ from those of their direction. */
const codecTargets: Readonly<Record<string, Target>> = {
  'encode-flat': atLeast(4),
  'encode-full': atLeast(4),
  // Its 94,355 keys are all different. Creating their strings in the engine limits both codecs.
  'encode-large': atLeast(2, 1.1),
  'decode-large': atLeast(2, 1.2),
};

const codecRow = (direction: 'encode' | 'decode', target: Target, data: string, official: boolean): Row => ({
  is: 'codec',
  name: `${direction}-${data}`,
  official,
  ...(codecTargets[`${direction}-${data}`] ?? target),
});

const codecRows = (direction: 'encode' | 'decode', target: Target): readonly Row[] => [
  ...officialNames.map(name => codecRow(direction, target, name, true)),
  codecRow(direction, notWorse, 'varied', false),
];

const commandRows = (name: string, alone: Target): readonly Row[] =>
  [
    { inFlight: 1, ...alone },
    { inFlight: 16, ...atLeast(8) },
    { inFlight: 128, ...notWorse },
  ].map(row => ({ is: 'driver', name, weight: 'light', ...row }));

const aloneRow = (name: string, weight: 'middle' | 'heavy', target: Target): Row => ({
  is: 'driver',
  name,
  inFlight: 1,
  weight,
  ...target,
});

const floorRow = (inFlight: number, target: number): Row => ({
  is: 'driver',
  name: 'socket-floor',
  inFlight,
  weight: 'light',
  against: 'socket',
  ...atLeast(target),
});

export const rows: readonly Row[] = [
  ...codecRows('encode', atLeast(1.5)),
  ...codecRows('decode', atLeast(2)),
  ...commandRows('ping', { ...atLeast(6, 4.1), rateTarget: 3.2 }),
  ...commandRows('findOne', { ...atLeast(6, 4.5), rateTarget: 3.2 }),
  ...commandRows('insertOne', { ...atLeast(5, 3.6), rateTarget: 3 }),
  { is: 'driver', name: 'stack-findOne', inFlight: 16, weight: 'light', against: 'bare', ...atLeast(1 / 1.6) },
  aloneRow('insertMany', 'middle', atLeast(6.5, 4.3)),
  aloneRow('toArray', 'heavy', atLeast(6, 3.6)),
  aloneRow('forAwait', 'heavy', atLeast(12, 7.3)),
  aloneRow('bulkWrite', 'middle', atLeast(5)),
  aloneRow('client-bulkWrite', 'middle', atLeast(5, 4.2)),
  aloneRow('gridfs-up', 'heavy', atLeast(3)),
  aloneRow('gridfs-down', 'heavy', atLeast(3, 1.1)),
  aloneRow('changeStream', 'heavy', atLeast(5)),
  { is: 'driver', name: 'tls-findOne', inFlight: 16, weight: 'light', ...atLeast(8) },
  aloneRow('zlib-toArray', 'heavy', notWorse),
  aloneRow('scram-hot', 'middle', notWorse),
  aloneRow('scram-cold', 'middle', notWorse),
  aloneRow('scram-hundred', 'heavy', atLeast(5, 1.8)),
  floorRow(1, 1 / 1.5),
  floorRow(16, 1 / 1.5),
  // Each driver has a server of its own, so the times vary more than ratios of one run.
  { is: 'recover', name: 'recover', target: 1, tolerance: 0.3 },
  { is: 'import', name: 'import', ...atLeast(4, 2.8) },
  { is: 'memory', name: 'memory', ...notWorse },
  { is: 'idle', name: 'idle', ...notWorse },
];

/** Rows that take many seconds even in a short run. */
const longRows: ReadonlySet<string> = new Set(['idle', 'recover', 'scram-hundred', 'changeStream']);

/**
 * The rows of a short run. It omits rows that take long, commands with 1 and 128 in flight, and the large document, which
 * takes 0.1 s per operation.
 */
export const shortRows: readonly Row[] = rows.filter(row => {
  if (longRows.has(row.name)) return false;
  if (row.is === 'codec') return !row.name.endsWith('-large');
  return row.is !== 'driver' || row.weight !== 'light' || row.inFlight === 16;
});

/** Returns the title of a row, such as `findOne@16`. */
export const titleOf = (row: Pick<Row, 'name'> & { readonly inFlight?: number }): string =>
  row.inFlight === undefined ? row.name : `${row.name}@${row.inFlight}`;

/** Returns the rows with the given name, with the name as prefix before a hyphen, or with the title `name@inFlight`. */
export const rowsNamed = (name: string): readonly Row[] =>
  rows.filter(row => row.name === name || row.name.startsWith(`${name}-`) || titleOf(row) === name);
