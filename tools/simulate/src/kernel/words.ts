/** How plans and time lines are printed. */
import { MongoError } from '@tessera/contracts';
import type { Millis } from '@tessera/contracts';

export const valueText = (value: unknown): string => JSON.stringify(value).replaceAll('"', '');

/** Everything that is set, by name. */
export const wordsOf = (fields: object): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${valueText(value)}`)
    .join(' ');

/** A line of a plan or a time line: when, who, what. */
export const row = (at: Millis, who: string, what: string): string =>
  `${at.toFixed(3).padStart(11)}  ${who.padEnd(10)}  ${what}\n`;

/** One line: what happens, then the rest by name. */
export const happeningText = ({ what, at: _, ...rest }: { readonly what: string; readonly at?: Millis }): string =>
  `${what} ${wordsOf(rest)}`.trimEnd();

/** Kind, code and message of anything that was thrown. */
export const errorText = (error: unknown): string => {
  if (!MongoError.is(error)) return error instanceof Error ? `${error.name}: ${error.message}` : typeof error;
  return `${error.kind}${error.code === undefined ? '' : ` ${error.code}`}: ${error.message}`;
};
