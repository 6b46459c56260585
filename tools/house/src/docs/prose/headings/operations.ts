import { audited, headingsOf, notInAudited } from './list.js';
import type { HeadingList } from './list.js';

const reads = 'Retryable Reads';
const readFile = 'retryable-reads/tests/README.md';
const writes = 'Retryable Writes';
const writeFile = 'retryable-writes/tests/README.md';
const causal = 'Causal Consistency';
const causalFile = 'causal-consistency/causal-consistency.md';
const causalCommit = '116399291a9d1a1819ae7a9ec22c2b35830b4f62';
const crud = 'CRUD';
const crudFile = 'crud/tests/README.md';
const crudCommit = '00f9eba08edf9873a44cbed405a78cd7e8650458';
const streams = 'Change Streams';
const streamFile = 'change-streams/tests/README.md';
const streamCommit = '5b7009dc5f2286f15ceab20a244566534e856d9b';
const telemetry = 'OpenTelemetry';
const telemetryFile = 'open-telemetry/tests/README.md';
const telemetryCommit = '0500e2575ae9401ce883f0c07e7ee6eb83b4a1a2';

export const operationHeadings: readonly HeadingList[] = [
  headingsOf(reads, readFile, '1b15cd299011172f941893cbe3c9d4737cb2ee5d', [
    ['1', 'PoolClearedError Retryability Test'],
    ['2.1', 'Retryable Reads Are Retried on a Different mongos When One is Available'],
    ['2.2', 'Retryable Reads Are Retried on the Same mongos When No Others are Available'],
    [
      '3.1',
      'Retryable Reads Caused by Overload Errors Are Retried on a Different Replicaset Server When One is Available and enableOverloadRetargeting is enabled',
    ],
    ['3.2', 'Retryable Reads Caused by Non-Overload Errors Are Retried on the Same Replicaset Server'],
    [
      '3.3',
      'Retryable Reads Caused by Overload Errors Are Retried on Same Replicaset Server When enableOverloadRetargeting is disabled',
    ],
  ]),
  headingsOf(reads, readFile, audited, [
    [
      '4',
      'Test that drivers set the maximum number of retries for all retryable read errors when an overload error is encountered',
    ],
    ['5', 'Test that drivers do not apply backoff to non-overload errors'],
  ]),
  headingsOf(writes, writeFile, '05e033e94d261f09f69bbc8d896f0d816115617c', [
    ['1', 'Test that retryable writes raise an exception when using the MMAPv1 storage engine'],
    ['2', 'Test that drivers properly retry after encountering PoolClearedErrors'],
    [
      '3',
      'Test that drivers return the original error after encountering a WriteConcernError with a RetryableWriteError label',
    ],
    ['4', 'Test that in a sharded cluster writes are retried on a different mongos when one is available'],
    ['5', 'Test that in a sharded cluster writes are retried on the same mongos when no others are available'],
    ['6.1', 'Case 1: Test that drivers return the correct error when receiving only errors without NoWritesPerformed'],
    ['6.2', 'Case 2: Test that drivers return the correct error when receiving only errors with NoWritesPerformed'],
    [
      '6.3',
      'Case 3: Test that drivers return the correct error when receiving some errors with NoWritesPerformed and some without NoWritesPerformed',
    ],
  ]),
  headingsOf(writes, writeFile, audited, [
    [
      '6.4',
      'Case 4: Test that drivers set the maximum number of retries for all retryable write errors when an overload error is encountered',
    ],
    ['6.5', 'Case 5: Test that drivers do not apply backoff to non-overload errors'],
  ]),
  headingsOf('Driver Sessions', 'sessions/tests/README.md', audited, [
    ['1', 'Setting both snapshot and causalConsistency to true is not allowed'],
    ['2', 'Pool is LIFO'],
    ['3', '$clusterTime in commands'],
    ['4', 'Explicit and implicit session arguments'],
    ['5', 'Session argument is for the right client'],
    ['6', 'No further operations can be performed using a session after endSession has been called'],
    ['7', 'Authenticating as multiple users suppresses implicit sessions'],
    [
      '8',
      'Client-side cursor that exhausts the results on the initial query immediately returns the implicit session to the pool',
    ],
    [
      '9',
      'Client-side cursor that exhausts the results after a getMore immediately returns the implicit session to the pool',
    ],
    ['10', 'No remaining sessions are checked out after each functional test'],
    [
      '11',
      'For every combination of topology and readPreference, ensure that find and getMore both send the same session id',
    ],
    ['12', 'Session pool can be cleared after forking without calling endSession'],
    ['13', 'Existing sessions are not checked into a cleared pool after forking'],
    ['14', 'Implicit sessions only allocate their server session after a successful connection checkout'],
    ['15', 'lsid is added inside $query when using OP_QUERY'],
    ['16', 'Authenticating as a second user after starting a session results in a server error'],
    ['17', 'Driver verifies that the session is owned by the current user'],
    ['18', 'Implicit session is ignored if connection does not support sessions'],
    ['19', 'Explicit session raises an error if connection does not support sessions'],
    ['20', 'Drivers do not gossip $clusterTime on SDAM commands.'],
    ['21', '(snapshotTime with snapshot set to false)'],
    ['22', '(snapshotTime of a session without snapshot)'],
    ['23', '(snapshotTime is read-only)'],
  ]),
  headingsOf(causal, causalFile, causalCommit, [
    ['1', '(a new ClientSession)'],
    ['2', '(the first read)'],
    ['3', '(operationTime is updated)'],
    ['4', '(findOne, then a read)'],
    ['5', '(a write, then findOne)'],
    ['6', '(not causally consistent)'],
    ['7', '(no cluster times: afterClusterTime)'],
    ['8', '(default ReadConcern)'],
    ['9', '(custom ReadConcern)'],
    ['10', 'Removed'],
    ['11', '(no cluster times: $clusterTime)'],
    ['12', '(cluster times: $clusterTime)'],
  ]),
  headingsOf(causal, causalFile, causalCommit, [['13', '(findOne, then a write)']], notInAudited),
  headingsOf('Transactions', 'transactions/tests/README.md', audited, [
    ['1', '(unpin for the next transaction)'],
    ['2', '(unpin for a non-transaction operation)'],
    ['3', '(PoolClearedError)'],
    ['1.0', 'Write concern not inherited from collection object inside transaction'],
  ]),
  headingsOf(
    'Convenient Transactions',
    'transactions-convenient-api/tests/README.md',
    '057fbbf1b25cc5dc88ac1a8788ee336d2491de77',
    [
      ['1', 'Callback Raises a Custom Error'],
      ['2', 'Callback Returns a Value'],
      ['3', 'Retry Timeout is Enforced'],
      ['4', 'Retry Backoff is Enforced'],
    ],
  ),
  headingsOf('Read and Write Concern', 'read-write-concern/read-write-concern.md', causalCommit, [
    ['R1', 'ReadConcern 1'],
    ['R2', 'ReadConcern 2'],
    ['R3', 'ReadConcern 3'],
    ['W1', 'WriteConcern 1'],
    ['W2', 'WriteConcern 2'],
  ]),
  headingsOf('Stable API', 'versioned-api/tests/README.md', 'de6f338b283721425c08ad70406c35a73e1e4bb2', [
    ['1', 'Testing with required API version'],
  ]),
  headingsOf(crud, crudFile, crudCommit, [
    ['1', 'WriteConcernError.details exposes writeConcernError.errInfo'],
    ['2', 'WriteError.details exposes writeErrors[].errInfo'],
    ['3', 'MongoClient.bulkWrite batch splits a writeModels input with greater than maxWriteBatchSize operations'],
    ['4', 'MongoClient.bulkWrite batch splits when an ops payload exceeds maxMessageSizeBytes'],
    ['5', 'MongoClient.bulkWrite collects WriteConcernErrors across batches'],
    ['6', 'MongoClient.bulkWrite handles individual WriteErrors across batches'],
    ['7', 'MongoClient.bulkWrite handles a cursor requiring a getMore'],
    ['8', 'MongoClient.bulkWrite handles a cursor requiring getMore within a transaction'],
    ['9', 'MongoClient.bulkWrite handles a getMore error'],
    ['10', 'MongoClient.bulkWrite returns error for unacknowledged too-large insert'],
    ['11.1', 'Case 1: No batch-splitting required'],
    ['11.2', 'Case 2: Batch-splitting required'],
    ['12.1', 'Case 1: document too large'],
    ['12.2', 'Case 2: namespace too large'],
    ['14', 'explain helpers allow users to specify maxTimeMS'],
    ['15', 'MongoClient.bulkWrite with unacknowledged write concern uses w:0 for all batches'],
    ['16', 'Generated document identifiers are the first field in their document'],
  ]),
  headingsOf(
    crud,
    crudFile,
    crudCommit,
    [['13', 'MongoClient.bulkWrite returns an error if auto-encryption is configured']],
    notInAudited,
  ),
  headingsOf('Client Backpressure', 'client-backpressure/tests/README.md', audited, [
    ['1', 'Operation Retry Uses Exponential Backoff'],
    ['2', 'REMOVED'],
    ['3', 'Overload Errors are Retried a Maximum of MAX_RETRIES times'],
    ['4', 'Overload Errors are Retried a Maximum of maxAdaptiveRetries times when configured'],
    ['5', 'Overload Errors with baseBackoffMS override base backoff'],
  ]),
  headingsOf(
    'Client Side Operations Timeout',
    'client-side-operations-timeout/tests/README.md',
    '03f12b387919f269b9ad14a71b24dac955c0b464',
    [
      ['1', 'Multi-batch inserts'],
      ['2', 'maxTimeMS is not set for commands sent to mongocryptd'],
      ['3', 'ClientEncryption'],
      ['4', 'Background Connection Pooling'],
      ['5', 'Blocking Iteration Methods'],
      ['6', 'GridFS - Upload'],
      ['7', 'GridFS - Download'],
      ['8', 'Server Selection'],
      ['9', 'endSession'],
      ['10', 'Convenient Transactions'],
      ['11', 'Multi-batch bulkWrites'],
      ['U1', '(waitQueueTimeoutMS and timeoutMS)'],
      ['U2', '(timeoutMS and checkout)'],
      ['U3', '(waitQueueTimeoutMS and checkout)'],
      ['U4', '(socket establishment)'],
      ['U5', '(OCSP responders)'],
      ['U6', '(KMS servers)'],
      ['U7', '(mongocryptd)'],
      ['U8', '(minPoolSize maintenance)'],
    ],
  ),
  headingsOf(streams, streamFile, streamCommit, [
    ['1', '(the last seen resumeToken)'],
    ['2', '(missing resume token)'],
    ['3', '(resume with the initial pipeline and options)'],
    ['4', '(errors of aggregate)'],
    ['5', 'Removed'],
    ['6', '(server selection)'],
    ['7', '(empty initial batch)'],
    ['8', '(killCursors)'],
    ['10', 'Removed'],
    ['11', '(end of a batch, with postBatchResumeToken)'],
    ['13', '(within a batch)'],
    ['14', '(before the first change)'],
    ['15', 'Removed'],
    ['16', 'Removed'],
    ['17', '(startAfter without results)'],
    ['18', '(startAfter with results)'],
    ['19', '($changeStreamSplitLargeEvent)'],
  ]),
  headingsOf(
    streams,
    streamFile,
    streamCommit,
    [
      ['9', '(startAtOperationTime)'],
      ['12', '(end of a batch, server older than 4.0.7)'],
    ],
    notInAudited,
  ),
  headingsOf(telemetry, telemetryFile, telemetryCommit, [
    ['1', 'Tracing Enable/Disable via Environment Variable'],
    ['2', 'Command Payload Emission via Environment Variable'],
  ]),
  headingsOf(
    telemetry,
    telemetryFile,
    telemetryCommit,
    [
      ['3', 'getMore inside a withTransaction callback nests under the transaction span'],
      ['4', 'getMore records the cursor id it sent, not the cursor id returned'],
      ['5', "Server spans join the driver's trace"],
      ['6', 'One server span per retry attempt'],
      ['7', 'No trace context for authentication and monitoring commands'],
    ],
    notInAudited,
  ),
];
