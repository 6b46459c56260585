import type { Attempt, BodyWriter, Document, Operation } from '@tessera/contracts';

/** Writes the read and write concern of a command, as its session determines them. Rule: Read and Write Concern; Causal Consistency; Transactions. */
export const writeConcerns = (writer: BodyWriter, attempt: Attempt, operation: Operation<unknown>): void => {
  const { session, deadline } = attempt;
  const readConcern = session === undefined ? operation.readConcern : session.readConcern(operation, attempt);
  if (readConcern !== undefined && readConcern !== 'none') writer.value('readConcern', readConcern);
  const given = session === undefined ? operation.writeConcern : session.writeConcern(operation, attempt);
  const writeConcern = given === undefined || deadline === Infinity ? given : withoutLimit(given);
  if (writeConcern !== undefined) writer.value('writeConcern', writeConcern);
};

/** Returns the write concern without wtimeout, which timeoutMS replaces. Rule: Client Side Operations Timeout, "Validation and Overrides". */
const withoutLimit = (writeConcern: Document): Document | undefined => {
  if (!('wtimeout' in writeConcern)) return writeConcern;
  const { wtimeout: _, ...rest } = writeConcern;
  return Object.keys(rest).length === 0 ? undefined : rest;
};
