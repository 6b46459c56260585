import type { Call } from '../commands/command.js';
import { Doc } from '../value/doc.js';
import type { Mongos } from './mongos.js';
import { pull } from './pull.js';
import type { Listed } from './reading.js';
import { Scratch } from './scratch.js';
import type { Shard } from './shard.js';

const options = ({ options: all }: Listed): Doc => Doc.of(all.entries().filter(([name]) => name === 'collation'));

export const pullAll = async (
  mongos: Mongos,
  call: Call,
  shards: readonly Shard[],
  { body, collection }: { readonly body: Doc; readonly collection: string },
): Promise<readonly Doc[]> =>
  (await Promise.all(shards.map(shard => pull(mongos, call, shard, { body, collection })))).flat();

/** The documents of everything that is read, whole, in a scratch. */
export const gathered = async (
  mongos: Mongos,
  call: Call,
  all: readonly Listed[],
  match: Doc | undefined,
): Promise<Scratch> => {
  const scratch = new Scratch(mongos.runtime, call);
  const generic = [
    'lsid',
    'txnNumber',
    'autocommit',
    'startTransaction',
    'readConcern',
    '$readPreference',
    'maxTimeMS',
  ];
  const own = call.body.entries().filter(([name]) => generic.includes(name));
  for (const one of all) {
    if (one.isView) {
      await scratch.put({ name: one.name, view: one.options });
      continue;
    }
    const filters = match !== undefined && one.name === call.target ? [match] : [];
    const language = call.body.entries().filter(([name]) => name === 'let' || name === 'collation');
    const body = Doc.of([
      ['aggregate', one.name],
      ['pipeline', filters],
      ['cursor', Doc.of([['batchSize', 0x7fff_ffff]])],
      ...(filters.length > 0 ? language : []),
      ...own,
      ['$db', call.db],
    ]);
    const docs = await pullAll(mongos, call, mongos.catalog.shardsOf(call.db, one.name), {
      body,
      collection: one.name,
    });
    await scratch.put({ name: one.name, docs, options: options(one) });
  }
  return scratch;
};

/** Whether any of them is on several shards. */
export const isSpreadOver = ({ catalog }: Mongos, { db }: Call, all: readonly Listed[]): boolean =>
  all.some(({ name }) => catalog.shardsOf(db, name).length > 1);
