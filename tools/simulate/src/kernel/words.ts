/** Formats values, events and errors for plans and time lines. */
import { MongoError } from '@tessera/contracts';
import type { Millis } from '@tessera/contracts';

export const valueText = (value: unknown): string => JSON.stringify(value).replaceAll('"', '');

/** Prints all fields that are set, with their names. */
export const wordsOf = (fields: object): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${valueText(value)}`)
    .join(' ');

/** Prints a line of a plan or a time line: time, actor and action. */
export const row = (at: Millis, actor: string, action: string): string =>
  `${at.toFixed(3).padStart(11)}  ${actor.padEnd(10)}  ${action}\n`;

/** Prints an event: its name, then its fields. */
export const happeningText = ({ what, at: _, ...rest }: { readonly what: string; readonly at?: Millis }): string =>
  `${what} ${wordsOf(rest)}`.trimEnd();

/** Returns kind, code and message of any thrown value. */
export const errorText = (error: unknown): string => {
  if (!MongoError.is(error)) return error instanceof Error ? `${error.name}: ${error.message}` : typeof error;
  return `${error.kind}${error.code === undefined ? '' : ` ${error.code}`}: ${error.message}`;
};
