import { isNumber, toDouble } from '@tessera/mql/engine';
import type { Call } from '@tessera/server/parts';
import type { Mongos } from './mongos.js';
import { primary } from './preference.js';
import type { Shard } from './shard.js';
import { waitFor } from './wait-for.js';
import { statementId } from './write-batch.js';

/** Whether it has a number by which a shard knows it again. */
const isRetryable = ({ session, generic }: Call): boolean =>
  session !== undefined && generic.txnNumber !== undefined && generic.transaction === undefined;

/**
 * One try of a retryable write after the other, whichever mongos they come by: while one goes from shard to shard, another could
 * not know what it will have done.
 */
export const inTurn = async <T>(mongos: Mongos, call: Call, work: () => Promise<T>): Promise<T> => {
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
 * The shards that have carried out a statement of a retryable write already.
 * @throws CommandError 133 while a shard has no primary: it may be the one
 */
export const doneBy = async (
  mongos: Mongos,
  call: Call,
  shards: readonly Shard[],
  index: number,
): Promise<readonly Shard[]> => {
  if (!isRetryable(call)) return [];
  const { session, generic, client } = call;
  await Promise.all(shards.map(shard => mongos.shards.select(shard, primary, client.peer.signal)));
  const id = statementId(call, index);
  // A primary that has been replaced without its knowledge knows less than others.
  return shards.filter(({ members }) =>
    members.some(({ state, isRunning }) => {
      const known = isRunning ? state.engine.value.writes.get(session!) : undefined;
      return known?.txnNumber === generic.txnNumber && isNumber(id) && known!.statements.has(toDouble(id));
    }),
  );
};
