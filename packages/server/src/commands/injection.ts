import type { Soon } from '@tessera/contracts';
import type { Entry, Value } from '@tessera/mql/engine';
import { CommandError, Doc, fail, isArray, isAtLeast, isDoc, safeIntegerOf } from '@tessera/mql/engine';
import { attemptedOf, labelsBy } from '../repl/labels.js';
import { asResumable } from '../streams/resumable.js';
import type { Call, Command, Fields, Reply } from './command.js';

type Work = () => Soon<Fields | Reply>;

const nameIn = (metadata: Value | undefined): Value | undefined => {
  const application = isDoc(metadata) ? metadata.get('application') : undefined;
  return isDoc(application) ? application.get('name') : undefined;
};

/** Returns the application name of the connection. The first hello contains it. */
const appNameOf = ({ client, body }: Call, { name }: Command): Value | undefined =>
  nameIn(client.metadata ?? (name === 'hello' || name === 'isMaster' ? body.get('client') : undefined));

/** Whether the client is a server. The first hello contains `internalClient`. */
const isInternal = ({ client, body }: Call): boolean => client.isInternal || body.has('internalClient');

const namespaceOf = ({ db, body, target }: Call, { name }: Command): string => {
  const collection = name === 'getMore' ? body.get('collection') : target;
  return typeof collection === 'string' ? `${db}.${collection}` : db;
};

/**
 * Whether the fail point applies to this command. Rule: mongod's failCommand, which never affects `configureFailPoint`.
 */
const appliesTo = (data: Doc, call: Call, command: Command): boolean => {
  if (command.name === 'configureFailPoint') return false;
  if (isInternal(call) && data.get('failInternalCommands') !== true) return false;
  const [thread, app, ns] = [data.get('threadName'), data.get('appName'), data.get('namespace')];
  if (thread !== undefined && thread !== `conn${call.client.peer.id}`) return false;
  if (app !== undefined && app !== (appNameOf(call, command) ?? '')) return false;
  if (ns !== undefined && ns !== namespaceOf(call, command)) return false;
  if (data.has('failAllCommands')) return true;
  const names = data.get('failCommands');
  return (
    isArray(names) &&
    names.some(name => name === command.name || (typeof name === 'string' && command.aliases.includes(name)))
  );
};

/**
 * Returns the fail point's error labels. If they are given, even as an empty list, the server adds no labels. Undefined
 * if they are not given, and before 4.4.
 */
const labelsOf = ({ engine }: Call, data: Doc): readonly string[] | undefined => {
  if (!isAtLeast(engine.version, '4.4')) return undefined;
  const labels = data.get('errorLabels');
  return isArray(labels) ? labels.filter(label => typeof label === 'string') : undefined;
};

/** Delays the command by `blockTimeMS`. @throws CommandError 50 if `maxTimeMS` is shorter, 72 */
const block = async ({ engine, client, generic }: Call, command: Command, data: Doc): Promise<void> => {
  const duration = safeIntegerOf(data.get('blockTimeMS'));
  if (duration === undefined) {
    throw fail('InvalidOptions', "must specify 'blockTimeMS' when 'blockConnection' is true");
  }
  if (duration < 0) throw fail('InvalidOptions', "'blockTimeMS' must be non-negative");
  // In a getMore, `maxTimeMS` is how long to wait for data.
  const limit = command.name === 'getMore' || generic.maxTimeMS === 0 ? undefined : generic.maxTimeMS;
  await engine.clock.sleep(Math.min(duration, limit ?? duration), client.peer.signal);
  if (limit !== undefined && limit <= duration) throw outOfTime();
};

const outOfTime = (): Error => fail('MaxTimeMSExpired', 'operation exceeded time limit');

/** Closes the connection or throws the fail point's error. @throws CommandError */
const applyFailure = (call: Call, data: Doc): void => {
  const why = "Failing command via 'failCommand' failpoint";
  if (data.get('closeConnection') === true) {
    call.client.peer.close();
    throw fail(50985, why);
  }
  const code = safeIntegerOf(data.get('errorCode'));
  const extra = data.get('errorExtraInfo');
  if (code !== undefined) throw fail(code, why, isDoc(extra) ? extra.entries() : [], labelsOf(call, data));
};

/** Whether the command has a time limit. A getMore inherits the `maxTimeMS` of its cursor. */
const isTimed = ({ engine, generic, target }: Call, { name }: Command): boolean => {
  if (name !== 'getMore') return (generic.maxTimeMS ?? 0) > 0;
  return (
    typeof target === 'bigint' &&
    engine.cursors.has(target) &&
    engine.cursors.get(target).timeLeft < Number.POSITIVE_INFINITY
  );
};

const failGetMore = (call: Call, command: Command): void => {
  const { engine, server, target } = call;
  if (command.name !== 'getMore' || typeof target !== 'bigint' || !engine.cursors.has(target)) return;
  const data = server.failPoints.failGetMoreAfterCursorCheckout.take(engine.random, one =>
    appliesTo(one.with('failCommands', ['getMore']), call, command),
  );
  if (data === undefined) return;
  const { isStream } = engine.cursors.get(target);
  engine.cursors.kill(target);
  const error = fail(
    safeIntegerOf(data.get('errorCode')) ?? 'InternalError',
    "Hit the 'failGetMoreAfterCursorCheckout' failpoint",
  );
  throw isStream ? asResumable(error, engine.version) : error;
};

const failOutOfTime = (call: Call, command: Command): void => {
  const { engine, server, target } = call;
  if (server.failPoints.maxTimeAlwaysTimeOut.take(engine.random, () => isTimed(call, command)) === undefined) return;
  if (command.name === 'getMore') engine.cursors.kill(target as bigint);
  throw outOfTime();
};

/** Adds fields to a reply, in place of the reply's own write concern error and labels. */
const withFields = (reply: Fields | Reply, more: readonly Entry[]): Fields | Reply => {
  if ('fields' in reply) return { ...reply, fields: withFields(reply.fields, more) as Fields };
  return [...reply.filter(([name]) => name !== 'writeConcernError' && name !== 'errorLabels'), ...more];
};

/** Executes the command, and adds a write concern error to its reply if the fail point has one. */
const withConcernError = (call: Call, command: Command, reply: Fields | Reply): Fields | Reply => {
  const concern = concernError(call, command);
  if (concern === undefined) return reply;
  const labels = concern.labels ?? labelsOfConcern(call, command, concern.error);
  return withFields(reply, [
    ['writeConcernError', concern.error],
    ...(labels.length > 0 ? ([['errorLabels', labels]] as const) : []),
  ]);
};

interface ConcernError {
  readonly error: Value;
  /** Undefined: the server determines the labels. */
  readonly labels: readonly string[] | undefined;
}

const concernError = (call: Call, command: Command): ConcernError | undefined => {
  const { engine, server } = call;
  if (!command.writeConcern) return undefined;
  const data = server.failPoints.failCommand.take(
    engine.random,
    one => one.has('writeConcernError') && appliesTo(one, call, command),
  );
  return data && { error: data.get('writeConcernError')!, labels: labelsOf(call, data) };
};

const labelsOfConcern = ({ server, generic }: Call, command: Command, error: Value): readonly string[] => {
  const concernCode = isDoc(error) ? safeIntegerOf(error.get('code')) : undefined;
  return labelsBy(server, attemptedOf(generic, command), { code: undefined, concernCode });
};

const failedToo = (call: Call, command: Command, error: unknown): never => {
  if (!(error instanceof CommandError)) throw error;
  const concern = concernError(call, command);
  if (concern === undefined) throw error;
  const extra = [...error.extra, ['writeConcernError', concern.error] as const];
  throw fail(error.code, error.message, extra, concern.labels ?? error.labels);
};

const carriedOut = (call: Call, command: Command, work: Work): Soon<Fields | Reply> => {
  failOutOfTime(call, command);
  failGetMore(call, command);
  try {
    const reply = work();
    return reply instanceof Promise
      ? reply.then(
          done => withConcernError(call, command, done),
          (error: unknown) => failedToo(call, command, error),
        )
      : withConcernError(call, command, reply);
  } catch (error) {
    return failedToo(call, command, error);
  }
};

const appliesBeforeCommand = (data: Doc): boolean =>
  data.get('blockConnection') === true ||
  data.get('closeConnection') === true ||
  safeIntegerOf(data.get('errorCode')) !== undefined;

/** Executes a command with the effects of the fail points: a delay, an error in its place, or an error after it. */
export const injected = (call: Call, command: Command, work: Work): Soon<Fields | Reply> => {
  const { engine, server } = call;
  const data = server.failPoints.failCommand.take(
    engine.random,
    one => appliesBeforeCommand(one) && appliesTo(one, call, command),
  );
  if (data === undefined) return carriedOut(call, command, work);
  if (data.get('blockConnection') !== true) {
    applyFailure(call, data);
    return carriedOut(call, command, work);
  }
  return block(call, command, data).then(() => {
    applyFailure(call, data);
    return carriedOut(call, command, work);
  });
};
