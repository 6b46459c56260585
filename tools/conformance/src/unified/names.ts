import type { Document } from '@tessera/contracts';

/**
 * The test uses something that does not exist or contradicts itself. It fails the test even if the test expects an
 * error.
 */
export class RunnerError extends Error {}

/**
 * Checks the keys of a document.
 * @throws RunnerError that names the first unknown key. Rule: "Executing an Operation".
 */
export const checkNames = (what: string, given: Document, names: readonly string[]): void => {
  const other = Object.keys(given).find(name => !names.includes(name));
  if (other !== undefined)
    throw new RunnerError(`${what} has no field "${other}"; its fields are ${names.join(', ')}.`);
};
