import type { Document } from '@tessera/contracts';
import { RunnerError } from './runner-error.js';

/** @throws Error that names a key which is none of these. Rule: "Executing an Operation": what is not known is an error. */
export const checkNames = (what: string, given: Document, names: readonly string[]): void => {
  const other = Object.keys(given).find(name => !names.includes(name));
  if (other !== undefined) throw new RunnerError(`${what} takes no ${other}: ${names.join(', ')}`);
};
