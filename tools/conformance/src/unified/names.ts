import type { Document } from '@tessera/contracts';

/** The test asks for what there is not, or a part of it makes no sense: no expectation of an error makes up for that. */
export class RunnerError extends Error {}

/** @throws Error that names a key which is none of these. Rule: "Executing an Operation": what is not known is an error. */
export const checkNames = (what: string, given: Document, names: readonly string[]): void => {
  const other = Object.keys(given).find(name => !names.includes(name));
  if (other !== undefined) throw new RunnerError(`${what} takes no ${other}: ${names.join(', ')}`);
};
