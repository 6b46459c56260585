import type { Soon } from '@tessera/contracts';
import type { Pause } from '@tessera/mql/engine';
import { fail, metered, pause } from '@tessera/mql/engine';
import type { Call } from './command.js';

const goOn = async <T>(call: Call, step: () => T | Pause): Promise<T> => {
  const { engine, server, client, deadline, session, db, target, body } = call;
  const { clock, operations } = engine;
  const { id, signal } = client.peer;
  const ns = `${db}.${typeof target === 'string' ? target : '$cmd'}`;
  const inTransaction = call.generic.transaction !== undefined;
  const ticket = operations.enter({
    ...{ id, ns, command: body, session, inTransaction },
    ...{ users: client.login.present(server.auth).names, begun: clock.now() },
  });
  try {
    for (;;) {
      await clock.sleep(0, signal).catch(() => {
        throw fail('ClientDisconnect', 'operation was interrupted because a client disconnected');
      });
      ticket.check();
      const done = metered(clock, deadline, step);
      if (done !== pause) return done;
    }
  } finally {
    ticket.leave();
  }
};

/**
 * Calls `step` until it returns a result: synchronously if the first call does, else in turns with other commands.
 * @throws CommandError 50 after `maxTimeMS`, 279 if the client disconnects, 11601 and others if the operation is
 * interrupted
 */
export const inTurns = <T>(call: Call, step: () => T | Pause): Soon<T> => {
  // The command may have waited before its execution, so check the deadline now too.
  const done = metered(call.engine.clock, call.deadline, step);
  return done === pause ? goOn(call, step) : done;
};

/** Runs a generator in turns with other commands, and returns its result. */
export const piecewise = <T>(call: Call, work: Generator<Pause, T>): Soon<T> =>
  inTurns(call, () => {
    const step = work.next();
    return step.done === true ? step.value : pause;
  });
