import { flag, Mistake, readArguments, text } from '@tessera-tools/house';
import { rows, rowsNamed, shortRows } from './rows.js';
import type { Row } from './rows.js';

export interface Options {
  readonly rows: readonly Row[];
  /** Runs fewer rounds and rows, and requires only half of each target ratio. */
  readonly short: boolean;
  readonly readme: boolean;
  readonly json: string | undefined;
}

const names = [...new Set(rows.map(({ name }) => name))];

export const usage: string = `npm run bench -- [row …]     compares these rows, or all, with the official driver
  --json FILE   writes the results to FILE
  --short       runs fewer rounds and rows; fails only if noise cannot be the cause
  --readme      writes the table into README.md, between its two markers, and its picture to docs/bench.svg
Rows: ${names.join(', ')};
"encode" and "decode" select all rows with that prefix; "findOne@16" selects the row with 16 operations in flight.

npm run bench -- server    compares the embedded server with others; has its own --help
npm run bench -- mql       compares the query languages with mingo; has its own --help
npm run bench -- scale     measures the cost of one unit as the work grows; has its own --help
`;

const declaration = { options: { json: text, short: flag, readme: flag }, words: { noun: 'row' } };

/** Reads the arguments. @throws Mistake if an argument is invalid */
export const readOptions = (given: readonly string[]): Options => {
  const { options, words } = readArguments(declaration, given);
  const { json, short, readme } = options;
  const unknown = words.find(name => rowsNamed(name).length === 0);
  if (unknown !== undefined) throw new Mistake(`There is no row "${unknown}". The rows are: ${names.join(', ')}.`);
  if (readme && (short || words.length > 0)) {
    throw new Mistake('--readme requires a full run of all rows: omit --short and row names.');
  }
  const named = new Set(words.flatMap(rowsNamed));
  const wanted = named.size > 0 ? rows.filter(row => named.has(row)) : short ? shortRows : rows;
  return { rows: wanted, short, readme, json };
};
