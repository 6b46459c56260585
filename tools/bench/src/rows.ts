import { officialNames } from './documents/official.js';

/** How far a ratio may fall below its target before it is a finding. */
interface Target {
  readonly target: number;
  /** A share of the target that is put down to noise; 0.1 is a tenth. */
  readonly tolerance: number;
}

/** A line of the table: what is compared. `work` repeats an operation; the others start processes. */
export type Row = Target & { readonly name: string } & (
    | {
        readonly is: 'codec';
        /** Whether its documents are the official ones, which may be absent. */
        readonly official: boolean;
      }
    | {
        readonly is: 'driver';
        readonly inFlight: number;
        /** How long an operation takes: microseconds, some milliseconds, or up to half a second. */
        readonly weight: 'light' | 'middle' | 'heavy';
        /** Compared with pool and connection alone, not with the official driver. */
        readonly against?: 'bare';
      }
    | { readonly is: 'import' }
    | { readonly is: 'memory' }
    | { readonly is: 'idle' }
  );

/** Not worse than the official driver, but for noise. */
const notWorse: Target = { target: 1, tolerance: 0.1 };
const atLeast = (target: number): Target => ({ target, tolerance: 0 });

/** Of its 94,355 keys none is seen twice: how fast the engine makes strings of them is the limit of both. */
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

const manyRow = (name: string, weight: 'middle' | 'heavy'): Row => ({
  is: 'driver',
  name,
  inFlight: 1,
  weight,
  ...atLeast(4),
});

export const rows: readonly Row[] = [
  ...codecRows('encode', atLeast(1.5)),
  ...codecRows('decode', atLeast(2)),
  ...['ping', 'findOne', 'insertOne'].flatMap(commandRows),
  { is: 'driver', name: 'stack-findOne', inFlight: 16, weight: 'light', against: 'bare', ...atLeast(1 / 1.6) },
  manyRow('insertMany', 'middle'),
  manyRow('toArray', 'heavy'),
  manyRow('forAwait', 'heavy'),
  { is: 'driver', name: 'tls-findOne', inFlight: 16, weight: 'light', ...atLeast(2) },
  { is: 'driver', name: 'zlib-toArray', inFlight: 1, weight: 'heavy', ...notWorse },
  { is: 'driver', name: 'scram-hot', inFlight: 1, weight: 'middle', ...notWorse },
  { is: 'driver', name: 'scram-cold', inFlight: 1, weight: 'middle', ...notWorse },
  { is: 'import', name: 'import', ...atLeast(3) },
  { is: 'memory', name: 'memory', ...notWorse },
  { is: 'idle', name: 'idle', ...notWorse },
];

/**
 * Without the commands at 1 and 128 in flight, without the large document, of which a tenth of a second goes into each operation, and
 * without idle connections, of which the official driver opens twenty a second.
 */
export const shortRows: readonly Row[] = rows.filter(row => {
  if (row.is === 'idle') return false;
  if (row.is === 'codec') return !row.name.endsWith(`-${limitedByEngine}`);
  return row.is !== 'driver' || row.weight !== 'light' || row.inFlight === 16;
});

/** How a row is called in what people read. */
export const titleOf = (row: Pick<Row, 'name'> & { readonly inFlight?: number }): string =>
  row.inFlight === undefined ? row.name : `${row.name}@${row.inFlight}`;

/** The rows of that name, or whose name begins with it and a hyphen, or the one row `name@inFlight`. */
export const rowsNamed = (name: string): readonly Row[] =>
  rows.filter(row => row.name === name || row.name.startsWith(`${name}-`) || titleOf(row) === name);
