import type { Signal, Soon } from '@tessera/contracts';
import type { Pause, Pieces } from '@tessera/mql/engine';
import { fail, inOneGo, metered, pause } from '@tessera/mql/engine';
import type { Draft } from '../engine/database.js';
import type { Call } from './command.js';

const goOn = async <T>(call: Call, step: () => T | Pause, gone: Signal | undefined): Promise<T> => {
  const { engine, server, client, deadline, session, db, target, body } = call;
  const { clock, operations } = engine;
  const { id } = client.peer;
  const ns = `${db}.${typeof target === 'string' ? target : '$cmd'}`;
  const inTransaction = call.generic.transaction !== undefined;
  const ticket = operations.enter({
    ...{ id, ns, command: body, session, inTransaction },
    ...{ users: client.login.present(server.auth).names, begun: clock.now() },
  });
  try {
    for (;;) {
      await clock.sleep(0, gone).catch(() => {
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

const untilDone = <T>(call: Call, step: () => T | Pause, gone?: Signal): Soon<T> => {
  // The command may have waited before its execution, so check the deadline now too.
  const done = metered(call.engine.clock, call.deadline, step);
  return done === pause ? goOn(call, step, gone) : done;
};

/**
 * Calls `step` until it returns a result: synchronously if the first call does, else in turns with other commands.
 * @throws CommandError 50 after `maxTimeMS`, 279 if the client disconnects, 11601 and others if the operation is
 * interrupted
 */
export const inTurns = <T>(call: Call, step: () => T | Pause): Soon<T> =>
  untilDone(call, step, call.client.peer.signal);

/** The number of times that a change starts again because of other changes, before it runs to its end at once. */
const mostRestarts = 3;

/** @throws CommandError 11602 on a member that is no longer the primary */
const checkStillPrimary = ({ server: { role } }: Call): void => {
  if (role.kind === 'member' && !role.member.isPrimary)
    throw fail('InterruptedDueToReplStateChange', 'operation was interrupted');
};

/**
 * Commits the changes of `work`, in turns with other commands. Other writes wait for its end. If something else has
 * changed the data or was claimed by a transaction meanwhile, the work starts again. The work does not end when its
 * client disconnects, so that the retry of a write finds the result.
 *
 * `work` calls a generator function of a module. For a function that is created with each command, V8 makes a hidden class
 * in old memory, which keeps the garbage of the command alive until a full collection.
 */
export const changeInTurns = <T>(call: Call, what: string, work: (draft: Draft) => Pieces<T>): Soon<T> => {
  const { data, engine, write } = call;
  const { begin } = data;
  if (begin === undefined) return data.change(what, draft => inOneGo(work(draft)));
  let change = begin.call(data, what);
  let pieces = work(change.draft);
  let hasPaused = false;
  let restarts = 0;
  const step = (): T | Pause => {
    if (hasPaused) checkStillPrimary(call);
    hasPaused = true;
    if (!change.isCurrent()) {
      write?.begin();
      restarts += 1;
      if (restarts > mostRestarts) return data.change(what, draft => inOneGo(work(draft)));
      change = begin.call(data, what);
      pieces = work(change.draft);
    }
    const next = pieces.next();
    if (next.done !== true) return pause;
    change.commit();
    return next.value;
  };
  const done = untilDone(call, step);
  if (!(done instanceof Promise)) return done;
  const writing = done.then(
    () => undefined,
    () => undefined,
  );
  engine.writing = writing;
  void writing.then(() => {
    if (engine.writing === writing) engine.writing = undefined;
  });
  return done;
};

/** Runs a generator in turns with other commands, and returns its result. */
export const piecewise = <T>(call: Call, work: Generator<Pause, T>): Soon<T> =>
  inTurns(call, () => {
    const step = work.next();
    return step.done === true ? step.value : pause;
  });
