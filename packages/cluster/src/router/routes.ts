import type { Soon } from '@tessera/contracts';
import type { Doc } from '@tessera/mql/engine';
import { isArray, isDoc } from '@tessera/mql/engine';
import type { Call, Command, Fields, Reply } from '@tessera/server/parts';
import type { Mongos } from './mongos.js';
import { fieldsIn } from './replies.js';
import type { Shard } from './shard.js';
import type { Answered } from './shard-client.js';
import { isInTransaction, recoveryToken } from './transactions.js';

/** How a mongos carries out a command. */
export type Route = (mongos: Mongos, call: Call, command: Command, args: never) => Soon<Fields | Reply>;

const lastStage = (body: Doc): Doc | undefined => {
  const pipeline = body.get('pipeline');
  const last = isArray(pipeline) ? pipeline.at(-1) : undefined;
  return isDoc(last) ? last : undefined;
};

/** Whether only a primary can do it. */
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

/** What a shard has answered, as this mongos answers it. */
export const relayed = (
  mongos: Mongos,
  call: Call,
  shard: Pick<Shard, 'name'>,
  { member, reply }: Answered,
): Fields => {
  const fields = mongos.cursors.relay(call, fieldsIn(reply), { shard, member });
  return withToken(mongos, call, fields);
};

/** In a transaction every reply says where one can ask how it ended. */
export const withToken = (mongos: Mongos, call: Call, fields: Fields): Fields => {
  const transaction = isInTransaction(call) ? mongos.transactions.find(call) : undefined;
  return transaction === undefined ? fields : [...fields, recoveryToken(transaction)];
};

/** Whole, to one shard. */
export const passTo = async (mongos: Mongos, call: Call, command: Command, shard: Shard): Promise<Fields> => {
  const answered = await mongos.pass(call, shard, { body: call.body, writes: writesIn(call, command) });
  return relayed(mongos, call, shard, answered);
};

/** Only what is written makes a database. */
const homeFor = ({ catalog }: Mongos, call: Call, command: Command): Shard =>
  writesIn(call, command) ? catalog.settle(call.db) : catalog.homeOf(call.db);

/** To the primary shard of the database. */
export const toHome = (mongos: Mongos, call: Call, command: Command): Promise<Fields> =>
  passTo(mongos, call, command, homeFor(mongos, call, command));

/** To the shard that keeps users and settings. */
export const toConfig: Route = (mongos, call, command) => passTo(mongos, call, command, mongos.catalog.config);
