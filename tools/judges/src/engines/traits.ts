import type { Chosen } from './wish.js';

/**
 * Feature → why it cannot be asked of this engine, found by asking. A test that needs the feature is skipped with this reason;
 * the features are those of `packages/mongodb/test/integration/deployment.ts`.
 */
export type Lacks = Readonly<Record<string, string>>;

const alone = 'it is a standalone server';

const lacks: Readonly<Record<Chosen['name'], Lacks>> = {
  secantusdb: {
    'read-only views': 'it accepts writes to views',
    symbols: 'it stores a symbol as a string',
  },
  'mongo-java-server': {
    'aggregation without a collection': 'it has no $documents',
    'bulk counts': 'it counts statements that failed as inserted',
    'byte-exact types': 'it closes the connection at code with a scope, and forgets the subtype of bytes',
    'capped collections': 'it answers that capped collections are not implemented',
    'causal consistency': 'it tells no cluster time',
    'change streams': 'it has none, unless it is told to keep a log of changes',
    'client sessions': 'it has no sessions',
    collation: 'it ignores collations',
    'cursor batches': 'it keeps no cursors of aggregations, and waits at a getMore without batchSize',
    'document validation': 'it ignores validators',
    'duplicate key details': 'it tells neither keyPattern nor keyValue',
    'error codes': 'it accepts unknown operators',
    explain: 'it answers that there is no command explain',
    hello: 'it answers that there is no command hello',
    hints: 'it ignores hints',
    'let variables': 'it ignores let in updates',
    'listDatabases filter': 'it ignores the filter of listDatabases',
    'partial indexes': 'it ignores partialFilterExpression',
    'pipeline updates': 'it takes no pipelines in updates',
    'read-only views': 'it has no views',
    'replica set': alone,
    'run-time limits': 'it ignores maxTimeMS',
    symbols: 'it closes the connection at a symbol',
    transactions: alone,
    'unacknowledged writes': 'it does not do unacknowledged writes',
    'upsert metadata': 'its findAndModify tells no lastErrorObject',
    views: 'it has no views',
  },
  ferretdb: {
    'aggregation without a collection': 'it answers that an aggregation must name a collection',
    'array filters': 'it answers that arrayFilters are not implemented',
    'atomic updates': 'it loses updates of one document that come at the same time',
    'awaited data': 'its tailable cursors do not wait',
    'byte-exact types': 'it closes the connection at code, symbols and keys of the extremes',
    'capped maximum': 'it does not keep to max of a capped collection',
    'causal consistency': 'it tells no cluster time',
    'change streams': 'it has none',
    collation: 'it answers that collations are not implemented',
    Decimal128: 'it closes the connection at a Decimal128',
    'document validation': 'it answers that validators are not implemented',
    'duplicate key details': 'it tells neither keyPattern nor keyValue',
    'duplicate keys in updates': 'a duplicate key in an update is code 1 there',
    'error codes': 'its codes of unknown stages and operators are others',
    hints: 'it ignores hints',
    'infinity and NaN': 'it accepts neither',
    'let variables': 'it answers that let is not implemented',
    'nested arrays': 'it answers that nested arrays are not supported',
    'partial indexes': 'it answers that partial indexes are not implemented',
    'pipeline updates': 'it takes no pipelines in updates',
    'positional updates': 'it has no positional operators',
    'projection of findAndModify': 'it answers that fields are not implemented in findAndModify',
    'pull conditions': 'its $pull knows no conditions',
    'push modifiers': 'it ignores the modifiers of $push',
    'read-only views': 'it has no views',
    'replica set': alone,
    'richer aggregation': 'it answers that $lookup, $facet, $out and $merge are not implemented',
    'run-time limits': 'it has no $lookup to spend time with',
    'sums of constants': 'its $sum of a constant is 0',
    symbols: 'it closes the connection at a symbol',
    transactions: alone,
    'unacknowledged writes': 'it replies to unacknowledged writes',
    'upsert places': 'it tells a wrong place of an upsert among the statements',
    views: 'it has no views',
  },
};

/** What SecantusDB has as a replica set alone. */
const withoutSet: Lacks = {
  'change streams': 'it has no log of changes without a replica set',
  'causal consistency': 'it has no cluster time without a replica set',
  'replica set': alone,
  transactions: alone,
};

/** What the environment variable ENGINE says to the tests. */
export const traits = ({ name, standalone }: Chosen): { readonly name: string; readonly lacks: Lacks } =>
  standalone
    ? { name: `${name} --standalone`, lacks: { ...lacks[name], ...withoutSet } }
    : { name, lacks: lacks[name] };
