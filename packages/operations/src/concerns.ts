import type { Attempt, BodyWriter, Document } from '@tessera/contracts';

/** Rule: Read and Write Concern; Causal Consistency: the session may add afterClusterTime, for writes too. */
export const writeReadConcern = (writer: BodyWriter, own: Document | undefined, attempt: Attempt): void => {
  const concern = attempt.session === undefined ? own : attempt.session.readConcern(own, attempt);
  if (concern !== undefined) writer.value('readConcern', concern);
};

export const writeWriteConcern = (writer: BodyWriter, own: Document | undefined, attempt: Attempt): void => {
  const concern = attempt.session === undefined ? own : attempt.session.writeConcern(own, attempt);
  if (concern !== undefined) writer.value('writeConcern', concern);
};

/** `w: 0` asks for no answer. Rule: Read and Write Concern, "Unacknowledged Write Concern". */
export const isAcknowledged = (writeConcern: Document | undefined): boolean => writeConcern?.['w'] !== 0;
