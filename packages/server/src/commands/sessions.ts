import type { Value } from '@tessera/mql/engine';
import { Doc, isArray, isDoc } from '@tessera/mql/engine';
import { sessionTimeoutMinutes } from '../engine/engine.js';
import { sessionKeyOf } from '../engine/sessions.js';
import type { SessionKey } from '../engine/sessions.js';
import type { Call, Command } from './command.js';
import { command } from './command.js';
import { any, array, documents, object, structures, wrongType } from './schema.js';

/** The ids in the command's first field. @throws CommandError 14 */
const idsOf = (call: Call): readonly SessionKey[] => {
  const { target, spelling } = call;
  const where = `${spelling}.${spelling}`;
  if (!isArray(target)) throw wrongType(where, target, ['array']);
  return target.map((one: Value, i) => {
    if (!isDoc(one)) throw wrongType(`${where}.${i}`, one, ['object']);
    return sessionKeyOf(one);
  });
};

const end = (call: Call): readonly [] => {
  for (const key of idsOf(call)) {
    call.engine.endSession(key);
  }
  return [];
};

const startSession = command({
  name: 'startSession',
  stable: false,
  help: 'Makes a session.',
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
    idsOf(call).forEach((key, i) => {
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
  help: 'Ends sessions and closes their cursors.',
  run: end,
});

const killAllSessions = command({
  name: 'killAllSessions',
  stable: false,
  help: 'Ends all sessions and closes their cursors.',
  run: call => {
    call.engine.endAllSessions();
    return [];
  },
});

/** Only users are looked at, and nobody's session has one: a pattern that names none means every session. @throws CommandError 14, 40415 */
const killAllSessionsByPattern = command({
  name: 'killAllSessionsByPattern',
  stable: false,
  target: structures({ lsid: object(), uid: any(), users: array(), roles: array() }),
  help: 'Ends the sessions that fit one of the patterns and closes their cursors.',
  run: call => {
    const patterns = (call.target as readonly Value[]).filter(isDoc);
    if (patterns.length === 0) call.engine.endAllSessions();
    for (const pattern of patterns) {
      const lsid = pattern.get('lsid');
      if (isDoc(lsid)) call.engine.endSession(sessionKeyOf(lsid));
      else if (!pattern.has('uid') && !pattern.has('users')) call.engine.endAllSessions();
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
