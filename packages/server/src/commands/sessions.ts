import type { Value } from '@tessera/mql/engine';
import { Doc, fail, isArray, isDoc } from '@tessera/mql/engine';
import { digestsIn, sessionFor, withUser } from '../auth/session-keys.js';
import { digestIn, uidOf } from '../auth/user-digest.js';
import { sessionTimeoutMinutes } from '../engine/engine.js';
import { userOf } from '../engine/sessions.js';
import type { SessionKey } from '../engine/sessions.js';
import type { Call, Command } from './command.js';
import { command } from './command.js';
import { any, array, documents, object, structures, wrongType } from './schema.js';

/** Returns the sessions in the command's first field. @throws CommandError 13, 14 */
const keysOf = ({ server, client, target, spelling }: Call): readonly SessionKey[] => {
  const where = `${spelling}.${spelling}`;
  if (!isArray(target)) throw wrongType(where, target, ['array']);
  return target.map((one: Value, i) => {
    if (!isDoc(one)) throw wrongType(`${where}.${i}`, one, ['object']);
    return sessionFor(one, server, client, 'killAnySession');
  });
};

const end = (call: Call): readonly [] => {
  for (const key of keysOf(call)) {
    call.engine.endSession(key);
  }
  return [];
};

const isEmpty = ({ target }: Call): boolean => isArray(target) && target.length === 0;

/**
 * Returns the command as a mongos sends it to members. Members cannot see the client's user, so the user is added to
 * each session.
 */
export const namingUsers = (call: Call): Doc => {
  const { body, target, server, client, spelling } = call;
  const own = client.login.digest(server.auth);
  const named = (one: Value): Value =>
    isDoc(one) ? withUser(one, userOf(sessionFor(one, server, client, 'killAnySession'))) : one;
  const pattern = (one: Value): Value => {
    const lsid = isDoc(one) ? one.get('lsid') : undefined;
    return isDoc(one) && isDoc(lsid) ? one.with('lsid', named(lsid)) : one;
  };
  if (spelling === 'killSessions' && isEmpty(call))
    return Doc.of([
      ['killAllSessionsByPattern', own === '' ? [] : [Doc.of([['uid', uidOf(own)]])]],
      ['$db', 'admin'],
    ]);
  if (!isArray(target) || spelling === 'killAllSessions') return body;
  return body.with(spelling, target.map(spelling === 'killAllSessionsByPattern' ? pattern : named));
};

const startSession = command({
  name: 'startSession',
  stable: false,
  help: 'Starts a session.',
  run: call => [
    ['id', Doc.of([['id', call.engine.newUuid()]])],
    ['timeoutMinutes', sessionTimeoutMinutes],
  ],
});

const refreshSessions = command({
  name: 'refreshSessions',
  target: documents(),
  stable: true,
  help: 'Keeps sessions alive.',
  run: call => {
    const { engine, target } = call;
    keysOf(call).forEach((key, i) => {
      engine.useSession(key, (target as readonly Doc[])[i]!);
    });
    return [];
  },
});

const endSessions = command({
  name: 'endSessions',
  stable: true,
  help: 'Ends sessions and closes their cursors.',
  run: end,
});

const killSessions = command({
  name: 'killSessions',
  stable: true,
  help: 'Ends sessions and closes their cursors. An empty list means all sessions of the user.',
  run: call => {
    const { engine, server, client } = call;
    if (!isEmpty(call)) return end(call);
    if (server.auth.required) engine.endSessionsOf(client.login.digest(server.auth));
    else engine.endAllSessions();
    return [];
  },
});

const killAllSessions = command({
  name: 'killAllSessions',
  stable: false,
  help: 'Ends all sessions, or the sessions of the listed users, and closes their cursors.',
  run: call => {
    if (isArray(call.target) && call.target.length > 0)
      for (const user of digestsIn(call.server.auth, call.target)) call.engine.endSessionsOf(user);
    else call.engine.endAllSessions();
    return [];
  },
});

/** A pattern without a session and a user matches every session. @throws CommandError 13, 14, 40415 */
const killAllSessionsByPattern = command({
  name: 'killAllSessionsByPattern',
  stable: false,
  target: structures({ lsid: object(), uid: any(), users: array(), roles: array() }),
  help: 'Ends the sessions that match one of the patterns, and closes their cursors.',
  run: call => {
    const { engine, server, client } = call;
    const patterns = (call.target as readonly Value[]).filter(isDoc);
    if (patterns.length === 0) engine.endAllSessions();
    for (const pattern of patterns) {
      const [lsid, users, uid] = [pattern.get('lsid'), pattern.get('users'), digestIn(pattern)];
      // Users and roles select no sessions. An audit log shows them.
      if (isArray(users) && users.length > 1 && pattern.has('roles'))
        throw fail('BadValue', 'Too many users in impersonation data');
      if (isDoc(lsid)) engine.endSession(sessionFor(lsid, server, client, 'killAnySession'));
      else if (uid !== undefined) engine.endSessionsOf(uid);
      else engine.endAllSessions();
    }
    return [];
  },
});

export const sessionCommands: readonly Command[] = [
  startSession,
  refreshSessions,
  endSessions,
  killSessions,
  killAllSessions,
  killAllSessionsByPattern,
];
