import { parseArgs } from 'node:util';
import { rows, rowsNamed, shortRows } from './rows.js';
import type { Row } from './rows.js';

export interface Options {
  readonly rows: readonly Row[];
  /** Fewer rounds, fewer rows, and of ratios only half of the target is asked. */
  readonly short: boolean;
  readonly readme: boolean;
  readonly json: string | undefined;
}

export type Wish =
  | { readonly is: 'bench'; readonly options: Options }
  /** The embedded server instead of the driver; it reads its arguments itself. */
  | { readonly is: 'server'; readonly args: readonly string[] }
  /** The query languages beside mingo; it reads its arguments itself. */
  | { readonly is: 'mql'; readonly args: readonly string[] }
  | { readonly is: 'help' };

const names = [...new Set(rows.map(({ name }) => name))];

export const usage: string = `npm run bench -- [row …]     measures these rows, or all of them, beside the official driver
  --json FILE   writes what was measured
  --short       fewer rounds and rows; fails only for what noise cannot cause
  --readme      writes the table into README.md, between its two markers
Rows: ${names.join(', ')};
encode, decode: all of them; findOne@16: the row with 16 in flight.

npm run bench -- server    measures the embedded server beside others; it has a --help of its own
npm run bench -- mql       measures the query languages beside mingo; it has a --help of its own
`;

/** @throws Error that names what is unknown. */
export const parseOptions = (args: readonly string[]): Wish => {
  if (args[0] === 'server' || args[0] === 'mql') return { is: args[0], args: args.slice(1) };
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: 'string' },
      short: { type: 'boolean', default: false },
      readme: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { json, short, readme, help } = values;
  if (help) return { is: 'help' };
  const unknown = positionals.find(name => rowsNamed(name).length === 0);
  if (unknown !== undefined) throw new Error(`There is no row '${unknown}': ${names.join(', ')}.`);
  if (readme && (short || positionals.length > 0)) {
    throw new Error('--readme shows all rows, fully measured: give it neither --short nor the names of rows.');
  }
  const named = new Set(positionals.flatMap(rowsNamed));
  const wanted = named.size > 0 ? rows.filter(row => named.has(row)) : short ? shortRows : rows;
  return { is: 'bench', options: { rows: wanted, short, readme, json } };
};
