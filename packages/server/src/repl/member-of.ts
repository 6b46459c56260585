import type { Value } from '@tessera/mql/engine';
import { fail, isNumber, toDouble } from '@tessera/mql/engine';
import type { Call } from '../commands/command.js';
import type { Member } from './member.js';
import type { ReplicaSet } from './replica-set.js';

/** What a command of replication is about. @throws CommandError 76 on a standalone */
export const memberOf = ({ server: { member, set } }: Call): { readonly member: Member; readonly set: ReplicaSet } => {
  if (member === undefined || set === undefined) throw fail('NoReplicationEnabled', 'not running with --replSet');
  return { member, set };
};

/** @throws CommandError 2 */
export const secondsOf = (value: Value, what: string): number => {
  const seconds = isNumber(value) ? Math.trunc(toDouble(value)) : 0;
  if (seconds < 0) throw fail('BadValue', `${what} period must be a positive integer`);
  return seconds;
};
