import { officialNames } from './documents/official.js';
import type { Floor } from './side.js';

/** The target ratio of a row. */
interface Target {
  readonly target: number;
  /** The share by which the ratio may be below the target because of noise; 0.1 is 10 %. */
  readonly tolerance: number;
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
const notWorse: Target = { target: 1, tolerance: 0.1 };
const atLeast = (target: number): Target => ({ target, tolerance: 0 });

/** The data set whose 94,355 keys are all different. Creating their strings in the engine limits both codecs. */
const limitedByEngine = 'large';

const codecRow = (direction: 'encode' | 'decode', target: Target, data: string, official: boolean): Row => ({
  is: 'codec',
  name: `${direction}-${data}`,
  official,
  ...(data === limitedByEngine ? notWorse : target),
});

const codecRows = (direction: 'encode' | 'decode', target: Target): readonly Row[] => [
  ...officialNames.map(name => codecRow(direction, target, name, true)),
  codecRow(direction, notWorse, 'varied', false),
];

const inFlights = [1, 16, 128];

const commandRows = (name: string): readonly Row[] =>
  inFlights.map(inFlight => ({
    is: 'driver',
    name,
    inFlight,
    weight: 'light',
    ...(inFlight === 16 ? atLeast(8) : notWorse),
  }));

const manyRow = (name: string, weight: 'middle' | 'heavy', target: number = 4): Row => ({
  is: 'driver',
  name,
  inFlight: 1,
  weight,
  ...atLeast(target),
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
  ...['ping', 'findOne', 'insertOne'].flatMap(commandRows),
  { is: 'driver', name: 'stack-findOne', inFlight: 16, weight: 'light', against: 'bare', ...atLeast(1 / 1.6) },
  manyRow('insertMany', 'middle'),
  manyRow('toArray', 'heavy'),
  manyRow('forAwait', 'heavy'),
  manyRow('bulkWrite', 'middle', 5),
  manyRow('client-bulkWrite', 'middle', 3),
  { is: 'driver', name: 'gridfs-up', inFlight: 1, weight: 'heavy', ...atLeast(2) },
  { is: 'driver', name: 'gridfs-down', inFlight: 1, weight: 'heavy', ...notWorse },
  manyRow('changeStream', 'heavy', 5),
  { is: 'driver', name: 'tls-findOne', inFlight: 16, weight: 'light', ...atLeast(2) },
  { is: 'driver', name: 'zlib-toArray', inFlight: 1, weight: 'heavy', ...notWorse },
  { is: 'driver', name: 'scram-hot', inFlight: 1, weight: 'middle', ...notWorse },
  { is: 'driver', name: 'scram-cold', inFlight: 1, weight: 'middle', ...notWorse },
  { is: 'driver', name: 'scram-hundred', inFlight: 1, weight: 'heavy', ...atLeast(1.5) },
  floorRow(1, 1 / 1.5),
  floorRow(16, 1 / 1.5),
  // Each driver has a server of its own, so the times vary more than ratios of one run.
  { is: 'recover', name: 'recover', target: 1, tolerance: 0.3 },
  { is: 'import', name: 'import', ...atLeast(3) },
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
  if (row.is === 'codec') return !row.name.endsWith(`-${limitedByEngine}`);
  return row.is !== 'driver' || row.weight !== 'light' || row.inFlight === 16;
});

/** Returns the title of a row, such as `findOne@16`. */
export const titleOf = (row: Pick<Row, 'name'> & { readonly inFlight?: number }): string =>
  row.inFlight === undefined ? row.name : `${row.name}@${row.inFlight}`;

/** Returns the rows with the given name, with the name as prefix before a hyphen, or with the title `name@inFlight`. */
export const rowsNamed = (name: string): readonly Row[] =>
  rows.filter(row => row.name === name || row.name.startsWith(`${name}-`) || titleOf(row) === name);
