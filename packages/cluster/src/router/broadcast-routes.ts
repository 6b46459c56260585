import { Doc, isArray, isDoc, isNumber, toDouble } from '@tessera/mql/engine';
import type { Call, Fields } from '@tessera/server/parts';
import { namingUsers } from '@tessera/server/parts';
import type { Mongos } from './mongos.js';
import { checked, fieldsIn } from './replies.js';
import type { Route } from './routes.js';
import { writesIn } from './routes.js';
import type { Shard } from './shard.js';

/**
 * Sends a command to the shards in parallel.
 * @throws CommandError the first failure
 */
export const onAll = async (
  mongos: Mongos,
  call: Call,
  shards: readonly Shard[],
  { body, writes }: { readonly body: Doc; readonly writes: boolean },
): Promise<readonly Fields[]> =>
  Promise.all(shards.map(async shard => fieldsIn((await mongos.pass(call, shard, { body, writes })).reply)));

/** Sends a command to all shards, whose replies are the same. */
export const toAll: Route = async (mongos, call, command) => {
  const all = await onAll(mongos, call, mongos.catalog.shards, { body: call.body, writes: writesIn(call, command) });
  return all[0]!;
};

/** Ends sessions on the mongos and on every reachable member. */
export const endingSessions: Route = async (mongos, call, command) => {
  const fields = await command.run(call, {} as never);
  mongos.transactions.keep(key => call.engine.sessions.has(key));
  const { signal } = call.client.peer;
  const body = namingUsers(call);
  const members = mongos.catalog.shards.flatMap(({ members: some }) => some).filter(({ isRunning }) => isRunning);
  for (const member of members) {
    // Errors are ignored: the member may not have the session.
    await mongos.shards
      .sendTo(member, call.db, body, signal)
      .then(checked)
      .catch(() => undefined);
  }
  return fields;
};

interface Listed {
  readonly doc: Doc;
  readonly size: number;
}

const databasesIn = (fields: Fields): readonly Listed[] => {
  const list = Doc.of(fields).get('databases');
  return (isArray(list) ? list : []).filter(isDoc).map(doc => {
    const size = doc.get('sizeOnDisk');
    return { doc, size: isNumber(size) ? toDouble(size) : 0 };
  });
};

/** Lists each database once, with the sum of its sizes on all shards. */
export const listDatabases: Route = async (mongos, call) => {
  const { shards } = mongos.catalog;
  const all = await onAll(mongos, call, shards, { body: call.body, writes: false });
  const parts = new Map<string, (readonly [Shard, Listed])[]>();
  for (const [i, fields] of all.entries()) {
    for (const listed of databasesIn(fields)) {
      const name = listed.doc.get('name') as string;
      parts.set(name, [...(parts.get(name) ?? []), [shards[i]!, listed]]);
    }
  }
  const nameOnly = call.body.get('nameOnly') === true;
  let total = 0;
  const databases = [...parts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, some]) => {
      const [, { doc }] = some[0]!;
      if (nameOnly) return doc;
      const size = some.reduce((sum, [, one]) => sum + one.size, 0);
      total += size;
      return doc.withAll([
        ['sizeOnDisk', BigInt(size)],
        ['shards', Doc.of(some.map(([{ name }, one]) => [name, BigInt(one.size)]))],
      ]);
    });
  if (nameOnly) return [['databases', databases]];
  return [
    ['databases', databases],
    ['totalSize', BigInt(total)],
    ['totalSizeMb', BigInt(Math.floor(total / 0x100000))],
  ];
};
