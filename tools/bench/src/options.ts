import { flag, Mistake, readArguments, text } from '@tessera-tools/house';
import { rows, rowsNamed, shortRows } from './rows.js';
import type { Row } from './rows.js';

export interface Options {
  readonly rows: readonly Row[];
  /** Fewer rounds, fewer rows, and of ratios only half of the target is asked. */
  readonly short: boolean;
  readonly readme: boolean;
  readonly json: string | undefined;
}

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

const declaration = { options: { json: text, short: flag, readme: flag }, words: { noun: 'row' } };

/** @throws Mistake */
export const readOptions = (given: readonly string[]): Options => {
  const { options, words } = readArguments(declaration, given);
  const { json, short, readme } = options;
  const unknown = words.find(name => rowsNamed(name).length === 0);
  if (unknown !== undefined) throw new Mistake(`There is no row "${unknown}": ${names.join(', ')}.`);
  if (readme && (short || words.length > 0)) {
    throw new Mistake('--readme shows all rows, fully measured: give it neither --short nor the names of rows.');
  }
  const named = new Set(words.flatMap(rowsNamed));
  const wanted = named.size > 0 ? rows.filter(row => named.has(row)) : short ? shortRows : rows;
  return { rows: wanted, short, readme, json };
};
