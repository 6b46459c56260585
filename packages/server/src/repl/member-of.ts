import type { Value } from '@tessera/mql/engine';
import { fail, isNumber, toDouble } from '@tessera/mql/engine';
import type { Call } from '../commands/command.js';
import type { MemberRole } from './role.js';

/** Returns the member that executes a replication command. @throws CommandError 76 on a standalone */
export const memberOf = ({ server: { role } }: Call): MemberRole => {
  if (role.kind !== 'member') throw fail('NoReplicationEnabled', 'not running with --replSet');
  return role;
};

/** Returns a period in seconds. @throws CommandError 2 */
export const secondsOf = (value: Value, what: string): number => {
  const seconds = isNumber(value) ? Math.trunc(toDouble(value)) : 0;
  if (seconds < 0) throw fail('BadValue', `${what} period must be a positive integer`);
  return seconds;
};
