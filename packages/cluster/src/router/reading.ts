import type { Value } from '@tessera/mql/engine';
import { Doc, isArray, isDoc } from '@tessera/mql/engine';
import type { Call } from '@tessera/server/parts';
import type { Mongos } from './mongos.js';
import { primary } from './preference.js';
import { checked } from './replies.js';

/** Stages that read another collection, and the field with its name. */
const sources: ReadonlyMap<string, string> = new Map([
  ['$lookup', 'from'],
  ['$graphLookup', 'from'],
  ['$unionWith', 'coll'],
]);

/** Returns the collections that the stages read, at any depth. */
export const namesIn = (value: Value | undefined): readonly string[] => {
  if (isArray(value)) return value.flatMap(namesIn);
  if (!isDoc(value)) return [];
  return value.entries().flatMap(([key, inner]) => {
    const source = sources.get(key);
    const name = source === undefined ? undefined : isDoc(inner) ? inner.get(source) : inner;
    return [...(typeof name === 'string' ? [name] : []), ...namesIn(inner)];
  });
};

/** A collection or view in the reply of `listCollections`. */
export interface Listed {
  readonly name: string;
  readonly isView: boolean;
  readonly options: Doc;
}

/** Looks up the names that exist, on the database's primary shard. */
export const listed = async (mongos: Mongos, call: Call, names: readonly string[]): Promise<readonly Listed[]> => {
  const { db, client } = call;
  const body = Doc.of([
    ['listCollections', 1],
    ['filter', Doc.of([['name', Doc.of([['$in', names]])]])],
    ['cursor', Doc.of([['batchSize', 100_000]])],
    ['$db', db],
  ]);
  const errand = { db, body, preference: primary, retries: 'always' } as const;
  const { reply } = await mongos.shards.send(mongos.catalog.homeOf(db), { ...errand, signal: client.peer.signal });
  const cursor = checked(reply).get('cursor');
  const batch = isDoc(cursor) ? cursor.get('firstBatch') : undefined;
  return (isArray(batch) ? batch.filter(isDoc) : []).map(one => {
    const options = one.get('options');
    return {
      name: one.get('name') as string,
      isView: one.get('type') === 'view',
      options: isDoc(options) ? options : Doc.EMPTY,
    };
  });
};

/** Returns all collections and views that are read, including those of nested views. */
export const readWith = async (mongos: Mongos, call: Call, names: readonly string[]): Promise<readonly Listed[]> => {
  const found = new Map<string, Listed>();
  for (let left = [...new Set(names)]; left.length > 0;) {
    const some = await listed(mongos, call, left);
    for (const one of some) found.set(one.name, one);
    const more = some
      .filter(({ isView }) => isView)
      .flatMap(({ options }) => [options.get('viewOn') as string, ...namesIn(options.get('pipeline'))]);
    left = [...new Set(more)].filter(name => !found.has(name));
  }
  return [...found.values()];
};

export const stagesOf = ({ body }: Call): readonly Value[] => {
  const pipeline = body.get('pipeline');
  return isArray(pipeline) ? pipeline : [];
};

/**
 * Returns the leading `$match`. If its collection is also read elsewhere, the filter does not apply there, so the
 * result is undefined.
 */
export const firstMatch = (call: Call, all: readonly Listed[]): Doc | undefined => {
  const stages = stagesOf(call);
  const [first] = stages;
  const isReadAgain = all.some(({ isView }) => isView) || namesIn(stages).some(name => name === call.target);
  return isDoc(first) && first.has('$match') && !isReadAgain ? first : undefined;
};
