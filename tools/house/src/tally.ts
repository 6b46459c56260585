import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { print } from './output.js';

/** The counts of checks, as in the file named by the environment variable `TALLY`. */
export interface Tally {
  readonly passed: number;
  readonly failed: readonly Note[];
  readonly skipped: readonly Note[];
}

export interface Note {
  readonly title: string;
  readonly reason: string;
}

export const nothing: Tally = { passed: 0, failed: [], skipped: [] };

export const sum = (tallies: readonly Tally[]): Tally => ({
  passed: tallies.reduce((total, { passed }) => total + passed, 0),
  failed: tallies.flatMap(({ failed }) => failed),
  skipped: tallies.flatMap(({ skipped }) => skipped),
});

/** Prefixes the titles of all notes with a name. */
export function named(name: string, { passed, failed, skipped }: Tally): Tally {
  const withName = (notes: readonly Note[]): Note[] =>
    notes.map(({ title, reason }) => ({ title: `${name}: ${title}`, reason }));
  return { passed, failed: withName(failed), skipped: withName(skipped) };
}

/** Reads and removes the tally file of a program. Returns undefined if the program wrote none. */
export function takeTally(file: string): Tally | undefined {
  if (!existsSync(file)) return undefined;
  const tally = JSON.parse(readFileSync(file, 'utf8')) as Tally;
  rmSync(file);
  return tally;
}

/** Writes the tally to the file that the environment variable `TALLY` names, as `npm test` requests. */
export function writeTally(tally: Tally): void {
  const file = process.env['TALLY'];
  if (file !== undefined) writeFileSync(file, JSON.stringify(tally));
}

export const line = ({ passed, failed, skipped }: Tally): string =>
  `${passed} passed, ${failed.length} failed, ${skipped.length} skipped`;

/** Ends a tool: writes the tally, prints its line, and returns the exit code, which is 1 if any check failed. */
export function conclude(tally: Tally): number {
  writeTally(tally);
  print(line(tally));
  return tally.failed.length > 0 ? 1 : 0;
}
