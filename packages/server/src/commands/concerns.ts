import { fail, isDoc, isNumber, toSafeInteger, typeName } from '@tessera/mql/engine';
import { endsTransaction } from '../txn/allowed.js';
import type { Command, GenericArgs, ServerState } from './command.js';
import { any, parseFields, string } from './schema.js';

const concernSchema = {
  w: any(),
  j: any(),
  fsync: any(),
  wtimeout: any(),
  provenance: string(),
};

/** Checks that statements of a transaction have no write concern. @throws CommandError 72 */
const checkWithin = (transaction: GenericArgs['transaction'], command: Command): void => {
  if (transaction === undefined || endsTransaction(command)) return;
  throw fail('InvalidOptions', 'writeConcern is not allowed within a multi-statement transaction');
};

/**
 * Checks a write concern before the command is executed. A member of a set checks the rest after the write.
 * @throws CommandError 2, 9, 72, 40415
 */
export const checkWriteConcern = (
  { writeConcern: concern, transaction }: Pick<GenericArgs, 'writeConcern' | 'transaction'>,
  command: Command,
  server: ServerState,
): void => {
  if (concern === undefined) return;
  checkWithin(transaction, command);
  if (!command.writeConcern) throw fail('InvalidOptions', `Command ${command.name} does not support writeConcern`);
  const { w, j } = parseFields(concern, concernSchema, 'writeConcern', server.engine.version);
  if (j !== undefined && typeof j !== 'boolean' && !isNumber(j)) {
    throw fail('FailedToParse', 'j must be numeric or a boolean value');
  }
  if (w === undefined || w === 'majority') return;
  const isMember = server.role.kind === 'member';
  if (typeof w === 'string') {
    if (isMember) return;
    throw fail('BadValue', `cannot use non-majority 'w' mode ${w} when a host is not a member of a replica set`);
  }
  if (isDoc(w) && isMember) return;
  if (!isNumber(w)) throw fail('FailedToParse', `w has to be a number, string, or object; found: ${typeName(w)}`);
  const n = toSafeInteger(w);
  if (n === undefined || n < 0 || n > 50)
    throw fail('FailedToParse', 'w has to be a non-negative number and not greater than 50');
  if (n > 1 && !isMember) throw fail('BadValue', "cannot use 'w' > 1 when a host is not replicated");
};
