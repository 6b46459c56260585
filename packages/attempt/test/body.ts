/** Writes commands in the order of the attempt, for tests without a deployment. */
import type { Attempt, BodyWriter, Exchange, Operation } from '@tessera/contracts';
import { writeConcerns } from '../src/attempt.js';

/** Writes the command and sets `bodyLength`, like the real attempt. */
export const writeBody = (
  writer: BodyWriter,
  attempt: Attempt,
  operation: Operation<unknown>,
  exchanges: readonly Exchange[] = [],
): void => {
  const start = writer.length;
  operation.body(writer, attempt);
  (attempt as { bodyLength: number }).bodyLength = writer.length - start;
  writeConcerns(writer, attempt, operation);
  for (const exchange of exchanges) exchange.append(writer, attempt, operation);
  writer.elements(operation.database);
};
