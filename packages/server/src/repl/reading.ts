import type { Soon } from '@tessera/contracts';
import type { TimestampValue } from '@tessera/mql/engine';
import { fail, show } from '@tessera/mql/engine';
import type { DatabaseValue } from '@tessera/store';
import { compareTimes } from '@tessera/store';
import { awaited } from '../commands/awaited.js';
import type { Call, ReadConcern } from '../commands/command.js';
import type { Snapshot } from '../engine/data.js';
import type { Member } from './member.js';
import { valueAt } from './newest.js';

/** Checks that the requested time is not later than the cluster time. @throws CommandError 72 */
const checkKnown = ({ clusterTime }: Member, { after, at }: ReadConcern): void => {
  const time = after ?? at;
  if (time === undefined || compareTimes(time, clusterTime) <= 0) return;
  const name = after === undefined ? 'atClusterTime' : 'afterClusterTime';
  throw fail(
    'InvalidOptions',
    `readConcern ${name} value must not be greater than the current clusterTime. Requested clusterTime: ${show(time)}; current clusterTime: ${show(clusterTime)}`,
  );
};

/** Waits until the member has reached a state. @throws CommandError 50 after `maxTimeMS`, 279 */
const until = (member: Member, call: Call, isThere: () => boolean): Soon<void> =>
  awaited(call, isThere, wake => member.onceMoved(wake));

const isReached = (time: TimestampValue | undefined, has: TimestampValue): boolean =>
  time === undefined || compareTimes(has, time) >= 0;

/** Waits until the member has entries up to a time. An idle primary writes a no-op entry, so that the wait ends. */
const reached = (member: Member, call: Call, time: TimestampValue | undefined): Soon<void> => {
  if (isReached(time, member.opTime.ts)) return undefined;
  member.want(time!);
  return until(member, call, () => isReached(time, member.opTime.ts));
};

/** Waits until a majority has entries up to a time. */
const committed = (member: Member, call: Call, time: TimestampValue | undefined): Soon<void> => {
  if (isReached(time, member.majority().at.ts)) return undefined;
  if (!isReached(time, member.opTime.ts)) member.want(time!);
  return until(member, call, () => isReached(time, member.majority().at.ts));
};

/** Returns the data as of a time. @throws CommandError 239 */
const snapshotAt = (member: Member, at: TimestampValue): Snapshot => {
  const value = valueAt(member, at);
  if (value !== undefined) return { at, value };
  throw fail('SnapshotTooOld', `Read timestamp ${show(at)} is older than the oldest available timestamp.`);
};

const once = (soon: Soon<void>, next: () => Call): Soon<Call> => (soon instanceof Promise ? soon.then(next) : next());

const fixed = (call: Call, value: DatabaseValue): Call => ({
  ...call,
  data: { value, change: (what, work) => call.data.change(what, work) },
});

/**
 * Waits until a majority confirms that the member is still the primary, because another member may have been elected.
 */
const linearizable = (member: Member, call: Call): Soon<Call> => {
  if (!member.isPrimary) {
    throw fail('NotWritablePrimary', 'cannot satisfy linearizable read concern on non-primary node');
  }
  member.advance();
  const { ts } = member.opTime;
  const isOver = (): boolean => !member.isPrimary || isReached(ts, member.majority().at.ts);
  return once(until(member, call, isOver), () => {
    if (member.isPrimary) return fixed(call, member.committed.value);
    throw fail('NotWritablePrimary', 'No longer primary when waiting for linearizable read concern');
  });
};

const snapshot = (member: Member, call: Call, { after, at }: ReadConcern): Soon<Call> =>
  once(committed(member, call, at ?? after), () => {
    const { at: newest, value } = member.committed;
    return { ...call, snapshot: at === undefined ? { at: newest.ts, value } : snapshotAt(member, at) };
  });

/** A transaction reads a snapshot anyway. A majority must have the data only when the transaction commits. */
const ofTransaction = (member: Member, call: Call, { after, at }: ReadConcern): Soon<Call> =>
  once(reached(member, call, after ?? at), () =>
    at === undefined ? call : { ...call, snapshot: snapshotAt(member, at) },
  );

/**
 * Returns the call with the data that its read concern requires, once the data is available.
 * @throws CommandError 50, 72, 239, 279, 10107
 */
export const reading = (member: Member, call: Call): Soon<Call> => {
  const { readConcern } = call;
  if (readConcern === undefined) return call;
  checkKnown(member, readConcern);
  if (call.generic.transaction !== undefined) return ofTransaction(member, call, readConcern);
  switch (readConcern.level) {
    case 'local':
    case 'available':
      return once(reached(member, call, readConcern.after), () => call);
    case 'majority':
      return once(committed(member, call, readConcern.after), () => fixed(call, member.majority().value));
    case 'linearizable':
      return linearizable(member, call);
    case 'snapshot':
      return snapshot(member, call, readConcern);
  }
};
