import type { Millis, Soon } from '@tessera/contracts';
import { Asleep, fail, metered } from '@tessera/mql/engine';
import { replicated } from '../repl/replicated.js';
import { within } from '../txn/within.js';
import type { Call, Command, Fields, Reply } from './command.js';
import { journaled } from './journaled.js';

type Args = Readonly<Record<string, unknown>>;

const perform = (call: Call, command: Command, args: Args): Soon<Fields | Reply> => {
  const run = (one: Call): Soon<Fields | Reply> => command.run(one, args as never);
  const { role } = call.server;
  if (role.kind !== 'member') return journaled(call, command, run(call));
  const { member } = role;
  return within(member, call, command, one => replicated(member, one, command, run));
};

/** @throws CommandError 279 if the client goes away meanwhile */
const pass = async ({ engine, client }: Call, duration: Millis): Promise<void> => {
  try {
    await engine.clock.sleep(duration, client.peer.signal);
  } catch {
    throw fail('ClientDisconnect', 'operation was interrupted because a client disconnected');
  }
};

/** Of a getMore `maxTimeMS` is how long to wait for data. */
const limitOf = ({ generic: { maxTimeMS = 0 } }: Call, { name }: Command): Millis =>
  maxTimeMS === 0 || name === 'getMore' ? Number.POSITIVE_INFINITY : maxTimeMS;

const answered = (call: Call, reply: Soon<Fields | Reply>, owed: Millis): Promise<Fields | Reply> =>
  Promise.all([reply, pass(call, owed)]).then(([done]) => done);

/** It has failed, or has to begin anew, after what its scripts have slept. */
const failed = async (
  { call, left, owed }: { readonly call: Call; readonly left: Millis; readonly owed: Millis },
  error: unknown,
  again: () => Soon<Fields | Reply>,
): Promise<Fields | Reply> => {
  await pass(call, Math.min(owed, left));
  if (owed > left) throw fail('MaxTimeMSExpired', 'operation exceeded time limit');
  if (error instanceof Asleep) return again();
  throw error;
};

/**
 * Carries out a command whose scripts may sleep: what it reads is of the time when it was begun, what it writes is written when they
 * have slept.
 * @param passed what they have slept already
 */
export const rested = (call: Call, command: Command, args: Args, passed: Millis = 0): Soon<Fields | Reply> => {
  const { naps } = call.engine;
  const limit = limitOf(call, command);
  naps.begin(passed, limit);
  try {
    const reply = metered(call.engine.clock, call.deadline, () => perform(call, command, args));
    const { owed } = naps;
    return owed === 0 ? reply : answered(call, reply, owed);
  } catch (error) {
    const { owed } = naps;
    if (owed === 0) throw error;
    return failed({ call, left: limit - passed, owed }, error, () => rested(call, command, args, passed + owed));
  } finally {
    naps.end();
  }
};
