import type { Millis, Soon } from '@tessera/contracts';
import type { Value } from '@tessera/mql/engine';
import { ScriptsPending, SleepPending, fail, isArray, isDoc, metered } from '@tessera/mql/engine';
import { replicated } from '../repl/replicated.js';
import { loadJavaScript } from '../engine/javascript.js';
import { within } from '../txn/within.js';
import type { Call, Command, Fields, Reply } from './command.js';
import { journaled } from './journaled.js';

type Args = Readonly<Record<string, unknown>>;

const perform = (call: Call, command: Command, args: Args): Soon<Fields | Reply> => {
  const { writing, clock } = call.engine;
  if (writing !== undefined && command.writeConcern && command.name !== 'aggregate')
    return writing.then(() => metered(clock, call.deadline, () => perform(call, command, args)));
  const run = (one: Call): Soon<Fields | Reply> => command.run(one, args as never);
  const { role } = call.server;
  if (role.kind !== 'member') return journaled(call, command, run(call));
  const { member } = role;
  return within(member, call, command, one => replicated(member, one, command, run));
};

/** Waits for the duration of a script's sleep. @throws CommandError 279 if the client disconnects */
const pauseFor = async ({ engine, client }: Call, duration: Millis): Promise<void> => {
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
  Promise.all([reply, pauseFor(call, remaining)]).then(([done]) => done);

/**
 * Waits for the duration of the sleeps, then throws the error, or executes the command again if it ended because of a
 * sleep.
 */
const failedAfterSleep = async (
  { call, left, remaining }: { readonly call: Call; readonly left: Millis; readonly remaining: Millis },
  error: unknown,
  again: () => Soon<Fields | Reply>,
): Promise<Fields | Reply> => {
  await pauseFor(call, Math.min(remaining, left));
  if (remaining > left) throw fail('MaxTimeMSExpired', 'operation exceeded time limit');
  if (error instanceof SleepPending) return again();
  throw error;
};

/** The operators whose scripts a write may contain. */
const names = ['$where', '$function'];
const operators = names.map(name => Uint8Array.from(name, letter => letter.charCodeAt(0)));

const mentionsScript = (value: Value): boolean => {
  if (isArray(value)) return value.some(mentionsScript);
  if (!isDoc(value)) return false;
  // A command with document sequences has no bytes of its own.
  if (value.stored === undefined)
    return value.entries().some(([name, item]) => names.includes(name) || mentionsScript(item));
  const { bytes, start, end } = value.stored;
  const own = bytes.subarray(start, end);
  for (let at = own.indexOf(0x24); at !== -1; at = own.indexOf(0x24, at + 1))
    if (operators.some(operator => operator.every((byte, i) => own[at + i] === byte))) return true;
  return false;
};

/**
 * Returns whether a command of several writes may contain a script. The engine must be loaded before the first of them
 * is committed.
 */
const mayNeedScripts = ({ body }: Call, { name }: Command): boolean =>
  (name === 'update' || name === 'delete' || name === 'bulkWrite') && mentionsScript(body);

/** Ends the scripts of a command, unless others still run. */
const release = ({ engine }: Call, reply: Soon<Fields | Reply>): Soon<Fields | Reply> => {
  const { scripts } = engine;
  if (scripts.open === 0) return reply;
  if (!(reply instanceof Promise)) {
    scripts.leave();
    return reply;
  }
  scripts.enter();
  return reply.finally(() => scripts.exit());
};

/**
 * Executes a command whose scripts may sleep. The command reads the data as of its start, and writes after the sleeps.
 * @param passed how long its scripts have slept so far, in milliseconds
 */
export const withScriptSleep = (call: Call, command: Command, args: Args, passed: Millis = 0): Soon<Fields | Reply> => {
  const { scripts } = call.engine;
  const again = (more: Millis): Soon<Fields | Reply> => withScriptSleep(call, command, args, passed + more);
  const loaded = (error: unknown): Promise<Fields | Reply> => {
    if (!(error instanceof ScriptsPending)) throw error;
    return loadJavaScript(call.engine).then(engine => {
      scripts.use(engine);
      return again(0);
    });
  };
  if (!scripts.isReady && mayNeedScripts(call, command)) return loaded(new ScriptsPending());
  const limit = limitOf(call, command);
  const { sleep } = scripts;
  sleep.begin(passed, limit);
  try {
    const reply = release(
      call,
      metered(call.engine.clock, call.deadline, () => perform(call, command, args)),
    );
    const { remaining } = sleep;
    if (remaining > 0) return answeredAfterSleep(call, reply, remaining);
    return scripts.isReady || !(reply instanceof Promise) ? reply : reply.catch(loaded);
  } catch (error) {
    const { remaining } = sleep;
    scripts.leave();
    if (remaining === 0) return loaded(error);
    return failedAfterSleep({ call, left: limit - passed, remaining }, error, () => again(remaining));
  } finally {
    sleep.end();
  }
};
