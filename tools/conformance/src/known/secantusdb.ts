import type { Known } from './known.js';

const noRawData: Omit<Known, 'file'> = {
  suite: 'crud',
  reason: 'bulkWrite, distinct and findAndModify reject rawData as an unknown field',
  proof: 'it reports version 8.2, which has this field, and accepts it in all other commands',
};

const retriedWrite = 'a write that is retried with the same txnNumber';

/** Cases whose fail point onPrimaryTransactionalWrite never takes effect, by file. */
const withoutFailPoint: Readonly<Record<string, readonly string[]>> = {
  bulkWrite: [
    'First command is retried',
    'BulkWrite with unordered execution',
    'First insertOne is never committed',
    'Second updateOne is never committed',
    'Third updateOne is never committed',
  ],
  deleteOne: ['DeleteOne is committed on first attempt', 'DeleteOne is never committed'],
  findOneAndDelete: ['FindOneAndDelete is committed on first attempt', 'FindOneAndDelete is never committed'],
  findOneAndReplace: ['FindOneAndReplace is committed on first attempt', 'FindOneAndReplace is never committed'],
  findOneAndUpdate: ['FindOneAndUpdate is committed on first attempt', 'FindOneAndUpdate is never committed'],
  insertMany: [
    'InsertMany succeeds after one network error',
    'InsertMany with unordered execution',
    'InsertMany fails after multiple network errors',
  ],
  insertOne: ['InsertOne is committed on first attempt', 'InsertOne is never committed'],
  replaceOne: ['ReplaceOne is committed on first attempt', 'ReplaceOne is never committed'],
  updateOne: [
    'UpdateOne is committed on first attempt',
    'UpdateOne is never committed',
    'UpdateOne with upsert is never committed',
  ],
};

/** Cases that read from a snapshot after a later write. */
const snapshots: readonly string[] = [
  ...['Find', 'Distinct', 'Aggregate', 'Mixed'].map(what => `${what} operation with snapshot`),
  'Write commands with snapshot session do not affect snapshot reads',
  ...['Find', 'Distinct', 'Aggregate', 'countDocuments'].map(
    what => `${what} operation with snapshot and snapshot time`,
  ),
  'Mixed operation with snapshot and snapshotTime',
];

const noEffect: Omit<Known, 'suite' | 'file'> = {
  reason: 'the fail point onPrimaryTransactionalWrite is accepted but has no effect',
  proof: 'configureFailPoint returns ok: 1, and every write succeeds; on the embedded server the write fails',
};

/** Known faults of SecantusDB 0.7.0b3. */
export const secantusdb: readonly Known[] = [
  ...['client-bulkWrite-delete', 'client-bulkWrite-replaceOne', 'client-bulkWrite-update', 'distinct']
    .concat('findOneAndReplace', 'findOneAndUpdate')
    .map((name): Known => ({ ...noRawData, file: `unified/${name}-rawdata.json` })),
  {
    suite: 'causal-consistency',
    file: 'causal-consistency-clientBulkWrite.json',
    reason: 'bulkWrite rejects readConcern as an unknown field',
    proof: 'it accepts the same readConcern in all other write commands',
  },
  {
    suite: 'retryable-writes',
    file: 'unified/client-bulkWrite-serverErrors.json',
    name: 'client bulkWrite with no multi: true operations succeeds after retryable writeConcernError',
    reason: `${retriedWrite} is executed again if it is a bulkWrite`,
    proof: 'both commands have the same lsid and txnNumber, and the second fails with a duplicate key error',
  },
  ...[
    { suite: 'retryable-writes', file: 'unified/insertOne-errorLabels.json' },
    { suite: 'unified-test-format', file: 'valid-pass/poc-retryable-writes.json' },
  ].map((one): Known => ({
    ...one,
    name: 'InsertOne fails after multiple retryable writeConcernErrors',
    reason: `${retriedWrite} returns the recorded reply without the effect of a fail point that is still active`,
    proof: 'the reply to the retried insert has no writeConcernError; on the embedded server it has one',
  })),
  ...snapshots.map((name): Known => ({
    suite: 'sessions',
    file: 'snapshot-sessions.json',
    name,
    reason: 'a read with level snapshot returns documents written after atClusterTime',
    proof:
      'the second read sends the atClusterTime of the first reply; on the embedded server it returns the same documents',
  })),
  ...Object.entries(withoutFailPoint).flatMap(([file, names]) =>
    names.map((name): Known => ({ ...noEffect, suite: 'retryable-writes', file: `unified/${file}.json`, name })),
  ),
  {
    ...noEffect,
    suite: 'unified-test-format',
    file: 'valid-pass/poc-retryable-writes.json',
    name: 'FindOneAndUpdate is never committed',
  },
  {
    suite: 'retryable-reads',
    file: 'unified/mapReduce.json',
    name: 'MapReduce succeeds with retry on',
    reason: 'mapReduce returns no results',
    proof: 'it returns ok: 1 and results: [] for a collection of three documents',
  },
  {
    suite: 'server-discovery-and-monitoring',
    file: 'unified/interruptInUse-pool-clear.json',
    reason: '$where is not supported: the server has no JavaScript engine',
    proof: "find fails with 'no globalScriptEngine in $where parsing'; a mongod runs JavaScript by default",
  },
];
