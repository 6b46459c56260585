import type { Known } from './known.js';

const noRawData: Omit<Known, 'file'> = {
  suite: 'crud',
  reason: 'bulkWrite, distinct and findAndModify answer that rawData is an unknown field',
  proof: 'it says that it is 8.2, which knows the field, and accepts it in all other commands',
};

const doneAgain = 'a write that is repeated with its txnNumber';

/** Cases whose fail point onPrimaryTransactionalWrite never strikes, by their files. */
const unstruck: Readonly<Record<string, readonly string[]>> = {
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

/** Cases that read from a snapshot after a write. */
const snapshots: readonly string[] = [
  ...['Find', 'Distinct', 'Aggregate', 'Mixed'].map(what => `${what} operation with snapshot`),
  'Write commands with snapshot session do not affect snapshot reads',
  ...['Find', 'Distinct', 'Aggregate', 'countDocuments'].map(
    what => `${what} operation with snapshot and snapshot time`,
  ),
  'Mixed operation with snapshot and snapshotTime',
];

const noStrike: Omit<Known, 'suite' | 'file'> = {
  reason: 'the fail point onPrimaryTransactionalWrite is accepted and never strikes',
  proof: 'configureFailPoint answers ok: 1, and then so does every write; on the embedded server it strikes',
};

/** SecantusDB 0.7.0b3. */
export const secantusdb: readonly Known[] = [
  ...['client-bulkWrite-delete', 'client-bulkWrite-replaceOne', 'client-bulkWrite-update', 'distinct']
    .concat('findOneAndReplace', 'findOneAndUpdate')
    .map((name): Known => ({ ...noRawData, file: `unified/${name}-rawdata.json` })),
  {
    suite: 'causal-consistency',
    file: 'causal-consistency-clientBulkWrite.json',
    reason: 'bulkWrite answers that readConcern is an unknown field',
    proof: 'it accepts the same readConcern in all other commands that write',
  },
  {
    suite: 'retryable-writes',
    file: 'unified/client-bulkWrite-serverErrors.json',
    name: 'client bulkWrite with no multi: true operations succeeds after retryable writeConcernError',
    reason: `${doneAgain} is done again if it is a bulkWrite`,
    proof: 'both commands have one lsid and one txnNumber, and the second is answered by a duplicate key',
  },
  ...[
    { suite: 'retryable-writes', file: 'unified/insertOne-errorLabels.json' },
    { suite: 'unified-test-format', file: 'valid-pass/poc-retryable-writes.json' },
  ].map((one): Known => ({
    ...one,
    name: 'InsertOne fails after multiple retryable writeConcernErrors',
    reason: `${doneAgain} is answered as done without the fail point that is still to strike once`,
    proof: 'the repeated insert is answered without a writeConcernError; the embedded server answers with it',
  })),
  ...snapshots.map((name): Known => ({
    suite: 'sessions',
    file: 'snapshot-sessions.json',
    name,
    reason: 'a read with level snapshot sees what was written after atClusterTime',
    proof: 'the second read sends the atClusterTime of the first reply; on the embedded server it reads the same',
  })),
  ...Object.entries(unstruck).flatMap(([file, names]) =>
    names.map((name): Known => ({ ...noStrike, suite: 'retryable-writes', file: `unified/${file}.json`, name })),
  ),
  {
    ...noStrike,
    suite: 'unified-test-format',
    file: 'valid-pass/poc-retryable-writes.json',
    name: 'FindOneAndUpdate is never committed',
  },
  {
    suite: 'retryable-reads',
    file: 'unified/mapReduce.json',
    name: 'MapReduce succeeds with retry on',
    reason: 'mapReduce answers no results',
    proof: 'it answers ok: 1 and results: [] for a collection of three documents',
  },
  {
    suite: 'server-discovery-and-monitoring',
    file: 'unified/interruptInUse-pool-clear.json',
    reason: '$where is refused: it has no JavaScript',
    proof: "find answers 'no globalScriptEngine in $where parsing'; a mongod runs scripts unless it is told not to",
  },
];
