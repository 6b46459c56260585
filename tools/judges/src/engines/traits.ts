import type { Chosen } from './command-line.js';

/**
 * The features that an engine lacks, each with the reason, found by experiment. Tests that need such a feature are
 * skipped with this reason. `packages/mongodb/test/integration/deployment.ts` lists the features.
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
    'bulk counts': 'it counts failed statements as inserted',
    'byte-exact types': 'it closes the connection on code with scope, and loses the subtype of binary data',
    'capped collections': 'it does not implement capped collections',
    'causal consistency': 'it returns no cluster time',
    'change streams': 'it has none unless it is configured to keep a change log',
    'client sessions': 'it has no sessions',
    collation: 'it ignores collations',
    'cursor batches': 'it keeps no cursors for aggregations, and blocks on a getMore without batchSize',
    'document validation': 'it ignores validators',
    'duplicate key details': 'it returns neither keyPattern nor keyValue',
    'error codes': 'it accepts unknown operators',
    explain: 'it has no command explain',
    hello: 'it has no command hello',
    hints: 'it ignores hints',
    'let variables': 'it ignores let in updates',
    'listDatabases filter': 'it ignores the filter of listDatabases',
    'partial indexes': 'it ignores partialFilterExpression',
    'pipeline updates': 'it does not support pipelines in updates',
    'read-only views': 'it has no views',
    'replica set': alone,
    'run-time limits': 'it ignores maxTimeMS',
    symbols: 'it closes the connection on a symbol',
    transactions: alone,
    'unacknowledged writes': 'it does not support unacknowledged writes',
    'upsert metadata': 'its findAndModify returns no lastErrorObject',
    views: 'it has no views',
  },
  ferretdb: {
    'aggregation without a collection': 'it does not support aggregations without a collection',
    'array filters': 'it does not implement arrayFilters',
    'atomic updates': 'it loses concurrent updates of one document',
    'awaited data': 'its tailable cursors do not wait',
    'byte-exact types': 'it closes the connection on code, symbols, MinKey and MaxKey',
    'capped maximum': 'it ignores the max of a capped collection',
    'causal consistency': 'it returns no cluster time',
    'change streams': 'it has none',
    collation: 'it does not implement collations',
    Decimal128: 'it closes the connection on a Decimal128',
    'document validation': 'it does not implement validators',
    'duplicate key details': 'it returns neither keyPattern nor keyValue',
    'duplicate keys in updates': 'it returns code 1 for a duplicate key in an update',
    'error codes': 'it returns other codes for unknown stages and operators',
    hints: 'it ignores hints',
    'infinity and NaN': 'it rejects both',
    'let variables': 'it does not implement let',
    'nested arrays': 'it does not support nested arrays',
    'partial indexes': 'it does not implement partial indexes',
    'pipeline updates': 'it does not support pipelines in updates',
    'positional updates': 'it has no positional operators',
    'projection of findAndModify': 'it does not implement fields in findAndModify',
    'pull conditions': 'its $pull supports no conditions',
    'push modifiers': 'it ignores the modifiers of $push',
    'read-only views': 'it has no views',
    'replica set': alone,
    'richer aggregation': 'it does not implement $lookup, $facet, $out and $merge',
    'run-time limits': 'it has no $lookup, which the test uses to take time',
    'sums of constants': 'it returns 0 for $sum of a constant',
    symbols: 'it closes the connection on a symbol',
    transactions: alone,
    'unacknowledged writes': 'it replies to unacknowledged writes',
    'upsert places': 'it returns the wrong index for an upsert in a list of statements',
    views: 'it has no views',
  },
};

/** The features that SecantusDB lacks with --standalone. */
const withoutSet: Lacks = {
  'change streams': 'it has no change log without a replica set',
  'causal consistency': 'it has no cluster time without a replica set',
  'replica set': alone,
  transactions: alone,
};

/** Returns the value of the environment variable ENGINE for the tests. */
export const traits = ({ name, standalone }: Chosen): { readonly name: string; readonly lacks: Lacks } =>
  standalone
    ? { name: `${name} --standalone`, lacks: { ...lacks[name], ...withoutSet } }
    : { name, lacks: lacks[name] };
