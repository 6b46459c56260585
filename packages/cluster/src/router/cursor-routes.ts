import type { Signal } from '@tessera/contracts';
import type { Entry, Value } from '@tessera/mql/engine';
import { CommandError, Doc, fail, isArray, isAtLeast, isDoc } from '@tessera/mql/engine';
import type { Call, Cursor, Fields, Reply } from '@tessera/server/parts';
import { checkOwner, dbOf, nameOf } from '@tessera/server/parts';
import type { Mongos } from './mongos.js';
import type { Remote } from './remote-cursors.js';
import { checked, fieldsIn } from './replies.js';
import { forScratch, scratchName } from './scratch.js';
import type { Route } from './routes.js';
import { withToken } from './routes.js';

const notFound = 43;
const badValue = 2;

/** Replaces the shard's cursor id in an error. */
const renamed = (error: unknown, id: bigint): unknown =>
  error instanceof CommandError && error.code === notFound
    ? fail('CursorNotFound', `cursor id ${id} not found`)
    : error;

const isDone = (reply: Doc): boolean => {
  const cursor = reply.get('cursor');
  return !isDoc(cursor) || cursor.get('id') === 0n;
};

/** Replaces the shard's cursor id in a reply, unless the cursor is exhausted. */
const numbered = (reply: Doc, id: bigint): readonly Entry[] =>
  fieldsIn(reply).map(([name, value]) =>
    name === 'cursor' && isDoc(value) && !isDone(reply) ? [name, value.with('id', id)] : [name, value],
  );

/** Kills a cursor on its shard. A cursor that no longer exists is ignored. */
const killRemote = async (mongos: Mongos, ns: string, { member, id }: Remote, signal: Signal): Promise<void> => {
  const body = Doc.of([
    ['killCursors', nameOf(ns)],
    ['cursors', [id]],
    ['$db', dbOf(ns)],
  ]);
  await mongos.shards.sendTo(member, dbOf(ns), body, signal).catch(() => undefined);
};

/** Gets the next batch from the member that has the cursor. */
const nextOf = async (mongos: Mongos, call: Call, cursor: Cursor, remote: Remote): Promise<Fields> => {
  const { engine, body, db, client } = call;
  if (cursor.isBusy) throw fail('CursorInUse', `cursor id ${cursor.id} is already in use`);
  cursor.isBusy = true;
  try {
    const more = body.with('getMore', remote.id);
    const command = remote.shard.name === scratchName ? forScratch(more) : more;
    const reply = checked(await mongos.shards.sendTo(remote.member, db, command, client.peer.signal));
    if (isDone(reply)) engine.cursors.kill(cursor.id);
    else engine.cursors.used(cursor);
    return withToken(mongos, call, numbered(reply, cursor.id));
  } catch (error) {
    // An invalid request keeps the cursor. Rule: after another failure of getMore, a mongos closes the cursor, and the
    // shard's cursor too.
    if (!(error instanceof CommandError) || error.code !== badValue) {
      engine.cursors.kill(cursor.id);
      await killRemote(mongos, cursor.ns, remote, client.peer.signal);
    }
    throw renamed(error, cursor.id);
  } finally {
    cursor.isBusy = false;
  }
};

/**
 * Change streams over several shards have their cursor on the mongos itself. Since 7.1 a mongos sends further batches
 * of an exhaust cursor without a request.
 */
export const getMore: Route = async (mongos, call, command, args) => {
  const { engine, body, db } = call;
  const cursor = engine.cursors.get(call.target as bigint);
  checkOwner(call, cursor, `${db}.${body.get('collection') as string}`);
  const remote = mongos.cursors.of(cursor);
  if (remote === undefined) return command.run(call, args);
  const isSingle = !call.exhaust || !isAtLeast(engine.version, '7.1');
  const step = async (): Promise<Reply> => {
    const fields = await nextOf(mongos, call, cursor, remote);
    return { fields, next: isSingle || !engine.cursors.has(cursor.id) ? undefined : step };
  };
  return step();
};

/** Returns the mongos's existing cursors with the given ids, and their cursors on shards. */
const found = (
  mongos: Mongos,
  { engine }: Call,
  ids: Iterable<Value>,
): readonly (readonly [Cursor, Remote | undefined])[] =>
  [...ids].flatMap(id => {
    if (typeof id !== 'bigint' || !engine.cursors.has(id)) return [];
    const cursor = engine.cursors.get(id);
    return [[cursor, mongos.cursors.of(cursor)]];
  });

const killRemotes = async (mongos: Mongos, all: ReturnType<typeof found>, signal: Signal): Promise<void> => {
  for (const [{ ns }, remote] of all) if (remote !== undefined) await killRemote(mongos, ns, remote, signal);
};

/** Kills cursors of the mongos and their cursors on shards. */
export const killCursors: Route = async (mongos, call, command) => {
  const ids = call.body.get('cursors');
  const all = found(mongos, call, isArray(ids) ? ids : []);
  const fields = await command.run(call, { cursors: ids } as never);
  await killRemotes(mongos, all, call.client.peer.signal);
  return fields;
};

/** Kills the cursors of a client that disconnected. `call` is one of its calls. */
export const killAbandoned = async (mongos: Mongos, call: Call, ids: Iterable<bigint>): Promise<void> => {
  const all = found(mongos, call, ids);
  for (const [{ id }] of all) call.engine.cursors.kill(id);
  await killRemotes(mongos, all, call.client.peer.signal);
};
