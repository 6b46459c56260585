import { isNumber, toDouble } from '@tessera/mql/engine';
import type { Call } from '@tessera/server/parts';
import type { Mongos } from './mongos.js';
import { primary } from './preference.js';
import type { Shard } from './shard.js';
import { waitFor } from './wait-for.js';
import { statementId } from './write-batch.js';

/** Returns whether a shard can recognize a retry of the command by its transaction number. */
const isRetryable = ({ session, generic }: Call): boolean =>
  session !== undefined && generic.txnNumber !== undefined && generic.transaction === undefined;

/**
 * Runs attempts of a retryable write one after the other, also those through another mongos. While an attempt is sent
 * from shard to shard, its outcome is not known yet.
 */
export const oneAtATime = async <T>(mongos: Mongos, call: Call, work: () => Promise<T>): Promise<T> => {
  if (!isRetryable(call)) return work();
  const { trying } = mongos.catalog;
  const session = call.session!;
  for (let other = trying.get(session); other !== undefined; other = trying.get(session)) await waitFor(call, other);
  const result = work();
  const over = (): void => {
    trying.delete(session);
  };
  trying.set(session, result.then(over, over));
  return result;
};

/**
 * Returns the shards that have already executed a statement of a retryable write.
 * @throws CommandError 133 while a shard has no primary, because it may have executed the statement
 */
export const executedOn = async (
  mongos: Mongos,
  call: Call,
  shards: readonly Shard[],
  index: number,
): Promise<readonly Shard[]> => {
  if (!isRetryable(call)) return [];
  const { session, generic, client } = call;
  await Promise.all(shards.map(shard => mongos.shards.select(shard, primary, client.peer.signal)));
  const id = statementId(call, index);
  // All members are read, because a stale primary may lack the statement.
  return shards.filter(({ members }) =>
    members.some(({ state, isRunning }) => {
      const known = isRunning ? state.engine.value.writes.get(session!) : undefined;
      return known?.txnNumber === generic.txnNumber && isNumber(id) && known!.statements.has(toDouble(id));
    }),
  );
};
