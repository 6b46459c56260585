import type { Attempt, BodyWriter, Document } from '@tessera/contracts';
import { isTimed } from './target.js';

/** Rule: Read and Write Concern; Causal Consistency: the session may add afterClusterTime, for writes too. */
export const writeReadConcern = (writer: BodyWriter, own: Document | undefined, attempt: Attempt): void => {
  const concern = attempt.session === undefined ? own : attempt.session.readConcern(own, attempt);
  if (concern !== undefined) writer.value('readConcern', concern);
};

export const writeWriteConcern = (writer: BodyWriter, own: Document | undefined, attempt: Attempt): void => {
  const concern = attempt.session === undefined ? own : attempt.session.writeConcern(own, attempt);
  const said = concern !== undefined && isTimed(attempt) ? timeless(concern) : concern;
  if (said !== undefined) writer.value('writeConcern', said);
};

/** wtimeout gives way to timeoutMS. Rule: Client Side Operations Timeout, "Validation and Overrides". */
const timeless = ({ wtimeout: _, ...concern }: Document): Document | undefined =>
  Object.keys(concern).length === 0 ? undefined : concern;

/** `w: 0` asks for no answer. Rule: Read and Write Concern, "Unacknowledged Write Concern". */
export const isAcknowledged = (writeConcern: Document | undefined): boolean => writeConcern?.['w'] !== 0;
