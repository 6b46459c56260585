import type { Doc, Value } from '@tessera/mql/engine';
import { fail, isDoc } from '@tessera/mql/engine';
import type { ClientState, ServerState } from '../commands/command.js';
import type { SessionKey } from '../engine/sessions.js';
import { sessionKeyOf } from '../engine/sessions.js';
import type { Action } from './actions.js';
import type { Auth } from './auth.js';
import { allows, cluster } from './privilege.js';
import { digestIn, digestOf, uidOf } from './user-digest.js';

/**
 * Returns the key of the session in an `lsid`. It belongs to the client's user, unless the `lsid` has the digest of
 * another user.
 * @param allowing the action that allows naming sessions of other users, besides `impersonate`
 * @throws CommandError 13 for a session of another user, and other codes for an `lsid` that is not `{ id: UUID }`
 */
export const sessionFor = (
  lsid: Doc,
  { auth }: ServerState,
  { login, isTrusted }: ClientState,
  allowing: Action = 'impersonate',
): SessionKey => {
  const id = sessionKeyOf(lsid);
  // A mongos sends the digest of the session's user.
  if (isTrusted) return id + (digestIn(lsid) ?? '');
  if (!auth.required) return id;
  const own = login.digest(auth);
  const given = digestIn(lsid);
  if (given === undefined || given === own) return id + own;
  const { privileges } = login.present(auth);
  if (!['impersonate', allowing].some(action => allows(privileges, action, cluster)))
    throw fail('Unauthorized', 'Unauthorized to set user digest in LogicalSessionId');
  return id + given;
};

/** Returns the `lsid` with the user of its session, as a mongos forwards it. */
export const withUser = (lsid: Doc, user: string): Doc => (user === '' ? lsid : lsid.with('uid', uidOf(user)));

/** Returns the digests of the users in a list of `{ user, db }`. */
export const digestsIn = ({ scram }: Auth, users: readonly Value[]): readonly string[] =>
  users.filter(isDoc).flatMap(one => {
    const [user, db] = [one.get('user'), one.get('db')];
    return typeof user === 'string' && typeof db === 'string' ? [digestOf(scram.crypto, { user, db })] : [];
  });

/** Returns a predicate for the digests of the client's own users. */
export const isOwnOf = ({ auth }: ServerState, { login }: ClientState): ((user: string) => boolean) => {
  if (!auth.required) return () => true;
  const own = new Set(login.present(auth).users.map(user => digestOf(auth.scram.crypto, user)));
  return user => own.has(user);
};
