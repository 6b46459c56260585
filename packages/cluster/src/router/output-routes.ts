import type { Value } from '@tessera/mql/engine';
import { Doc, fail, isArray, isDoc } from '@tessera/mql/engine';
import type { Call, Command, Fields } from '@tessera/server/parts';
import type { Distribution } from './distribution.js';
import { shardFor, shardsWith } from './distribution.js';
import { gathered, giving, isSpreadOver } from './gathering.js';
import type { Mongos } from './mongos.js';
import { firstMatch, namesIn, readWith, stagesOf } from './reading.js';
import { fieldsIn } from './replies.js';
import { toHome } from './routes.js';
import type { Shard } from './shard.js';

/** The target of a pipeline's last stage. */
export interface Output {
  readonly stage: Doc;
  readonly isMerge: boolean;
  readonly db: string;
  readonly name: string;
}

/** Returns the target, or undefined if the pipeline does not write or if a shard must report an error in the stage. */
export const outputOf = (call: Call): Output | undefined => {
  const stage = stagesOf(call).at(-1);
  if (!isDoc(stage) || call.generic.transaction !== undefined || call.body.get('explain') === true) return undefined;
  const isMerge = stage.has('$merge');
  const into = isMerge ? stage.get('$merge') : stage.get('$out');
  const given = isMerge && isDoc(into) ? into.get('into') : into;
  const [name, db] = isDoc(given) ? [given.get('coll'), given.get('db') ?? call.db] : [given, call.db];
  return typeof name === 'string' && typeof db === 'string' ? { stage, isMerge, db, name } : undefined;
};

/** Checks that a document's match is on its own shard: `on` must include the whole shard key. */
const checkOn = ({ key }: Distribution, { stage }: Output): void => {
  const into = stage.get('$merge');
  const on = isDoc(into) ? into.get('on') : undefined;
  if (on === undefined) return;
  const names: readonly Value[] = isArray(on) ? on : [on];
  if (!key.fields.every(({ name }) => names.includes(name)))
    throw fail(51183, 'Cannot find index to verify that join fields will be unique');
};

/**
 * Returns the shard of a document.
 * @throws CommandError 51132 for a document without a field of the shard key
 */
const placeOf = (distribution: Distribution, doc: Doc): Shard => {
  for (const { name } of distribution.key.fields) {
    if (!name.includes('.') && name !== '_id' && !doc.has(name))
      throw fail(51132, "$merge write error: 'on' field cannot be missing, null, undefined or an array");
  }
  return shardFor(distribution, doc);
};

/** The mongos assigns the `_id`, because it may determine the shard. */
const withId = (call: Call, doc: Doc): Doc =>
  doc.has('_id') ? doc : Doc.of([['_id', call.engine.newObjectId()], ...doc.entries()]);

const partsOf = (
  mongos: Mongos,
  call: Call,
  output: Output,
  docs: readonly Doc[],
): ReadonlyMap<Shard, readonly Doc[]> => {
  const distribution = mongos.catalog.distributionOf(`${output.db}.${output.name}`);
  if (distribution === undefined) return new Map([[mongos.catalog.assign(output.db), docs]]);
  checkOn(distribution, output);
  const parts = new Map<Shard, Doc[]>();
  for (const given of docs) {
    const doc = withId(call, given);
    const shard = placeOf(distribution, doc);
    const part = parts.get(shard);
    if (part === undefined) parts.set(shard, [doc]);
    else part.push(doc);
  }
  // A shard must validate the stage even if there is nothing to write.
  return parts.size > 0 ? parts : new Map([[shardsWith(distribution)[0]!, []]]);
};

/** Writes the results of the preceding stages on the shards that own the target collection. */
const writeParts = async (mongos: Mongos, call: Call, output: Output, docs: readonly Doc[]): Promise<Fields> => {
  const shared = call.body.entries().filter(([key]) => ['writeConcern', 'lsid', 'maxTimeMS', 'let'].includes(key));
  let fields: Fields = [];
  for (const [shard, some] of partsOf(mongos, call, output, docs)) {
    const body = Doc.of([
      ['aggregate', 1],
      ['pipeline', [giving(some), output.stage]],
      ['cursor', Doc.EMPTY],
      ...shared,
      ['$db', call.db],
    ]);
    fields = fieldsIn((await mongos.pass(call, shard, { body, writes: true })).reply);
  }
  const ns = `${call.db}.${typeof call.target === 'string' ? call.target : '$cmd.aggregate'}`;
  return fields.map(([key, value]) => [key, key === 'cursor' && isDoc(value) ? value.with('ns', ns) : value]);
};

/**
 * Runs an aggregation that writes. It is passed to a single shard if that shard stores everything that is read and
 * written.
 */
export const aggregateInto = async (mongos: Mongos, call: Call, command: Command, output: Output): Promise<Fields> => {
  const { catalog } = mongos;
  const isSharded = catalog.distributionOf(`${output.db}.${output.name}`) !== undefined;
  if (isSharded && !output.isMerge)
    throw fail(28769, `namespace '${output.db}.${output.name}' is sharded so it can't be used for $out'`);
  const stages = stagesOf(call);
  const names = [...(typeof call.target === 'string' ? [call.target] : []), ...namesIn(stages.slice(0, -1))];
  const all = names.length === 0 ? [] : await readWith(mongos, call, names);
  const isTogether = catalog.assign(output.db) === catalog.homeOf(call.db) && !isSpreadOver(mongos, call, all);
  if (!isSharded && isTogether) return toHome(mongos, call, command);
  const scratch = await gathered(mongos, call, all, firstMatch(call, all));
  const docs = await scratch.whole(call.body.with('pipeline', stages.slice(0, -1)));
  return writeParts(mongos, call, output, docs);
};
