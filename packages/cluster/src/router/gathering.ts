import type { Value } from '@tessera/mql/engine';
import { Doc, isArray, isDoc } from '@tessera/mql/engine';
import type { Call } from '@tessera/server/parts';
import type { Mongos } from './mongos.js';
import { primary } from './preference.js';
import { pull } from './pull.js';
import type { Listed } from './reading.js';
import { checked } from './replies.js';
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

/** Returns a first stage that provides documents. Shards of all versions accept it from a mongos. */
export const giving = (docs: readonly Doc[]): Doc => Doc.of([['$documents', Doc.of([['$literal', docs]])]]);

/** Operators that require an index. */
const indexed: ReadonlySet<string> = new Set(['$text', '$near', '$nearSphere', '$geoNear']);

const namesIndexed = (value: Value): boolean => {
  if (isArray(value)) return value.some(namesIndexed);
  return isDoc(value) && value.entries().some(([name, inner]) => indexed.has(name) || namesIndexed(inner));
};

/** Returns the text and geospatial indexes of a collection if the command requires one. */
export const indexesFor = async (mongos: Mongos, call: Call, name: string): Promise<readonly Doc[]> => {
  if (!namesIndexed(call.body)) return [];
  const body = Doc.of([
    ['listIndexes', name],
    ['$db', call.db],
  ]);
  const errand = { db: call.db, body, preference: primary, retries: 'always' } as const;
  const [shard] = mongos.catalog.shardsOf(call.db, name);
  const { reply } = await mongos.shards.send(shard!, { ...errand, signal: call.client.peer.signal });
  const cursor = checked(reply).get('cursor');
  const batch = isDoc(cursor) ? cursor.get('firstBatch') : undefined;
  return (isArray(batch) ? batch.filter(isDoc) : []).filter(index => {
    const key = index.get('key');
    return isDoc(key) && key.entries().some(([, kind]) => typeof kind === 'string' && kind !== 'hashed');
  });
};

/** Copies all documents that a command reads to a scratch server. */
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
    const indexes = await indexesFor(mongos, call, one.name);
    await scratch.put({ name: one.name, docs, options: options(one), indexes });
  }
  return scratch;
};

/** Returns whether one of the collections is on several shards. */
export const isSpreadOver = ({ catalog }: Mongos, { db }: Call, all: readonly Listed[]): boolean =>
  all.some(({ name }) => catalog.shardsOf(db, name).length > 1);
