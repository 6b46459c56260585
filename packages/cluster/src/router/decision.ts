import { CommandError, fail } from '@tessera/mql/engine';
import type { Call, Member, Numbered, Transactions } from '@tessera/server/parts';
import { compareOpTimes, isLater, numberedOf, transientTransactionError, waitUntil } from '@tessera/server/parts';
import type { Mongos } from './mongos.js';
import { primary } from './preference.js';
import type { Shard, ShardMember } from './shard.js';

/** A shard that takes part in a transaction, and its primary. */
interface Participant {
  readonly shard: Shard;
  readonly member: Member;
  readonly process: ShardMember;
}

const aborted = (why: string): Error =>
  fail('NoSuchTransaction', `Transaction was aborted :: caused by :: ${why}`, [], [transientTransactionError]);

const participantOf = async (mongos: Mongos, call: Call, shard: Shard): Promise<Participant> => {
  const process = await mongos.shards.select(shard, primary, call.client.peer.signal);
  return { shard, member: process.member, process };
};

/** Returns whether the member is still primary and no member has voted for another one. */
const isStillPrimary = ({ shard, member, process }: Participant): boolean =>
  process.isRunning &&
  !member.isFrozen &&
  member.isPrimary &&
  shard.members.every(one => one.member.term <= member.term);

/**
 * Reads from a shard's transactions.
 * @throws CommandError 251 if the shard cannot commit the transaction
 */
const readFrom = <T>({ shard, member }: Participant, read: (transactions: Transactions) => T): T => {
  try {
    return read(member.engine.transactions);
  } catch (error) {
    throw error instanceof CommandError ? aborted(`from shard ${shard.name} :: ${error.message}`) : error;
  }
};

/**
 * Waits until no future primary can lack the transaction's snapshot: a majority has it, together with an entry of this
 * primary's term. The transaction may end while waiting.
 */
const untilReplicated = async (participant: Participant, numbered: Numbered): Promise<void> => {
  const { member } = participant;
  const transaction = readFrom(participant, transactions => transactions.resume(numbered));
  let hasEnded = false;
  const isReplicated = (): boolean => {
    const { at } = member.majority();
    const { at: base } = transaction.base;
    return at.term === member.term && (base === undefined || compareOpTimes(base, at) <= 0);
  };
  await waitUntil(() => hasEnded || isReplicated(), {
    clock: member.engine.clock,
    within: Number.POSITIVE_INFINITY,
    once: wake => {
      const forgetMoves = member.onceMoved(wake);
      const forgetEnd = transaction.onceEnded(() => {
        hasEnded = true;
        wake();
      });
      return () => {
        forgetMoves();
        forgetEnd();
      };
    },
  });
};

/** Commits on all participants synchronously, so that no read or election sees a part of the commit. */
const commitAtOnce = (participants: readonly Participant[], numbered: Numbered): void => {
  const replaced = participants.find(one => !isStillPrimary(one));
  if (replaced !== undefined) throw aborted(`the primary of ${replaced.shard.name} is another`);
  const all = participants.map(one => ({
    member: one.member,
    ready: readFrom(one, transactions => transactions.ready(numbered)),
  }));
  for (const { member } of all) member.engine.disk?.check();
  const at = all.map(({ member }) => member.nextTime()).reduce((most, one) => (isLater(one, most) ? one : most));
  for (const { member, ready } of all) {
    if (ready.transaction.ops.length > 0) member.decided.add(at, ready);
  }
  for (const { member, ready } of all) member.engine.transactions.finish(ready, at);
};

/**
 * Commits a transaction on several shards atomically and at one cluster time. mongod prepares each part until the
 * coordinator has decided. Here all shards are in one process, so the commit is one step on all primaries. Each set
 * then keeps the decision until a majority has it, even if the primary changes.
 * @throws CommandError 251 if a shard cannot commit; the caller then aborts the transaction on the others
 */
export const commitTogether = async (mongos: Mongos, call: Call, shards: readonly Shard[]): Promise<void> => {
  const numbered = numberedOf(call);
  const participants = await Promise.all(shards.map(shard => participantOf(mongos, call, shard)));
  await Promise.all(participants.map(one => untilReplicated(one, numbered)));
  commitAtOnce(participants, numbered);
};
