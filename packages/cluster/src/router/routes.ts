import type { Soon } from '@tessera/contracts';
import type { Doc } from '@tessera/mql/engine';
import { isArray, isDoc } from '@tessera/mql/engine';
import type { Call, Command, Fields, Reply } from '@tessera/server/parts';
import type { Mongos } from './mongos.js';
import { fieldsIn } from './replies.js';
import type { Shard } from './shard.js';
import type { MemberReply } from './shard-client.js';
import { isInTransaction, recoveryToken } from './transactions.js';

/** Executes a command on a mongos. */
export type Route = (mongos: Mongos, call: Call, command: Command, args: never) => Soon<Fields | Reply>;

const lastStage = (body: Doc): Doc | undefined => {
  const pipeline = body.get('pipeline');
  const last = isArray(pipeline) ? pipeline.at(-1) : undefined;
  return isDoc(last) ? last : undefined;
};

/** Returns whether the command requires a primary. */
export const writesIn = ({ body }: Call, command: Command): boolean => {
  if (command.name === 'aggregate') {
    const last = lastStage(body);
    return last !== undefined && (last.has('$out') || last.has('$merge'));
  }
  if (command.name === 'mapReduce') {
    const out = body.get('out');
    return !isDoc(out) || !out.has('inline');
  }
  return command.writeConcern;
};

/** Returns the reply of a shard as the mongos's own reply. */
export const relayed = (
  mongos: Mongos,
  call: Call,
  shard: Pick<Shard, 'name'>,
  { member, reply }: MemberReply,
): Fields => {
  const fields = mongos.cursors.relay(call, fieldsIn(reply), { shard, member });
  return withToken(mongos, call, fields);
};

/** Adds the recovery token, which every reply in a transaction has. */
export const withToken = (mongos: Mongos, call: Call, fields: Fields): Fields => {
  const transaction = isInTransaction(call) ? mongos.transactions.find(call) : undefined;
  return transaction === undefined ? fields : [...fields, recoveryToken(transaction)];
};

/** Passes the whole command to one shard. */
export const passTo = async (mongos: Mongos, call: Call, command: Command, shard: Shard): Promise<Fields> => {
  const answered = await mongos.pass(call, shard, { body: call.body, writes: writesIn(call, command) });
  return relayed(mongos, call, shard, answered);
};

/** Only a write creates a database. */
const homeFor = ({ catalog }: Mongos, call: Call, command: Command): Shard =>
  writesIn(call, command) ? catalog.assign(call.db) : catalog.homeOf(call.db);

/** Passes the command to the database's primary shard. */
export const toHome = (mongos: Mongos, call: Call, command: Command): Promise<Fields> =>
  passTo(mongos, call, command, homeFor(mongos, call, command));

/** Passes the command to the shard that stores users and settings. */
export const toConfig: Route = (mongos, call, command) => passTo(mongos, call, command, mongos.catalog.config);
