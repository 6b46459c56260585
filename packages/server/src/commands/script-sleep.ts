import type { Millis, Soon } from '@tessera/contracts';
import { SleepPending, fail, metered } from '@tessera/mql/engine';
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

/** Waits for the duration of a script's sleep. @throws CommandError 279 if the client disconnects */
const sleep = async ({ engine, client }: Call, duration: Millis): Promise<void> => {
  try {
    await engine.clock.sleep(duration, client.peer.signal);
  } catch {
    throw fail('ClientDisconnect', 'operation was interrupted because a client disconnected');
  }
};

/** Returns the time limit. In a getMore, `maxTimeMS` is how long to wait for data instead. */
const limitOf = ({ generic: { maxTimeMS = 0 } }: Call, { name }: Command): Millis =>
  maxTimeMS === 0 || name === 'getMore' ? Number.POSITIVE_INFINITY : maxTimeMS;

const answeredAfterSleep = (call: Call, reply: Soon<Fields | Reply>, remaining: Millis): Promise<Fields | Reply> =>
  Promise.all([reply, sleep(call, remaining)]).then(([done]) => done);

/**
 * Waits for the duration of the sleeps, then throws the error, or executes the command again if it ended because of a
 * sleep.
 */
const failedAfterSleep = async (
  { call, left, remaining }: { readonly call: Call; readonly left: Millis; readonly remaining: Millis },
  error: unknown,
  again: () => Soon<Fields | Reply>,
): Promise<Fields | Reply> => {
  await sleep(call, Math.min(remaining, left));
  if (remaining > left) throw fail('MaxTimeMSExpired', 'operation exceeded time limit');
  if (error instanceof SleepPending) return again();
  throw error;
};

/**
 * Executes a command whose scripts may sleep. The command reads the data as of its start, and writes after the sleeps.
 * @param passed how long its scripts have slept so far, in milliseconds
 */
export const withScriptSleep = (call: Call, command: Command, args: Args, passed: Millis = 0): Soon<Fields | Reply> => {
  const { scriptSleep } = call.engine;
  const limit = limitOf(call, command);
  scriptSleep.begin(passed, limit);
  try {
    const reply = metered(call.engine.clock, call.deadline, () => perform(call, command, args));
    const { remaining } = scriptSleep;
    return remaining === 0 ? reply : answeredAfterSleep(call, reply, remaining);
  } catch (error) {
    const { remaining } = scriptSleep;
    if (remaining === 0) throw error;
    return failedAfterSleep({ call, left: limit - passed, remaining }, error, () =>
      withScriptSleep(call, command, args, passed + remaining),
    );
  } finally {
    scriptSleep.end();
  }
};
