import type { Value } from '@tessera/mql/engine';
import { fail, isArray, isDoc, isNumber } from '@tessera/mql/engine';

/** A user by name. */
export interface UserName {
  readonly user: string;
  readonly db: string;
}

/**
 * The users that a `usersInfo` requests: all users of every database, all of the command's database, or users by name.
 */
export type RequestedUsers = 'everywhere' | 'database' | readonly UserName[];

/** Reads a user name. @throws CommandError 2 */
const named = (value: Value, ownDb: string): UserName => {
  const user = isDoc(value) ? value.get('user') : value;
  const db = isDoc(value) ? value.get('db') : ownDb;
  const isExact = !isDoc(value) || value.size === 2;
  if (typeof user !== 'string' || typeof db !== 'string' || !isExact)
    throw fail('BadValue', 'UserName must either be a string or an object with fields "user" and "db"');
  return { user, db };
};

/**
 * Reads the first field of a `usersInfo`. The access check and the command both use this function, so they cannot
 * disagree.
 * @throws CommandError 2
 */
export const requestedUsers = (value: Value, ownDb: string): RequestedUsers => {
  if (isNumber(value)) return 'database';
  if (isDoc(value) && value.size === 1 && value.get('forAllDBs') === true) return 'everywhere';
  return (isArray(value) ? value : [value]).map(one => named(one, ownDb));
};
