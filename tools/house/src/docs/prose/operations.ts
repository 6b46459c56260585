import { specification } from './specification.js';
import type { Row, Specification } from './specification.js';

const oneUser = 'A client authenticates as one user and cannot change it.';
const noEncryption = 'Removed from the specification; the driver does not include client-side encryption.';
const oldServers = 'The driver supports no server older than MongoDB 4.2.';
const noFork = 'Node.js does not fork a process with its memory; the specification lets such drivers skip the test.';
const noTracing = 'Left out until tracing exists (see features.md).';

const retryableReads: readonly Row[] = [
  ['1', 'A read is retried after its pool was cleared'],
  ['2.1', 'A read is retried on another mongos if there is one'],
  ['2.2', 'A read is retried on the same mongos if there is no other'],
  ['3.1', 'After an overload error a read is retried on another member with enableOverloadRetargeting'],
  ['3.2', 'After another error a read is retried on the same member'],
  ['3.3', 'After an overload error a read is retried on the same member without enableOverloadRetargeting'],
  ['4', 'After an overload error MAX_RETRIES limits all retries of a read'],
  ['5', 'A read is retried without backoff after an error that is not an overload error'],
];

const retryableWrites: readonly Row[] = [
  ['1', 'The error of the MMAPv1 storage engine has an explanatory message'],
  ['2', 'A write is retried after its pool was cleared'],
  ['3', 'After a write concern error and an error with NoWritesPerformed the original error is thrown'],
  ['4', 'A write is retried on another mongos if there is one'],
  ['5', 'A write is retried on the same mongos if there is no other'],
  ['6.1', 'After errors without NoWritesPerformed the most recent error is thrown'],
  ['6.2', 'After errors with NoWritesPerformed the first error is thrown'],
  ['6.3', 'After errors with and without NoWritesPerformed the most recent error without it is thrown'],
  ['6.4', 'After an overload error MAX_RETRIES limits all retries of a write'],
  ['6.5', 'A write is retried without backoff after an error that is not an overload error'],
];

const sessions: readonly Row[] = [
  ['1', 'A session with snapshot and causalConsistency is an error'],
  ['2', 'The session pool is last in, first out'],
  ['3', 'Commands send the $clusterTime of the previous reply'],
  ['4', 'Every method sends the id of its explicit session, or that of an implicit one'],
  ['5', 'A session of another client is an error in every method'],
  ['6', 'An ended session is an error in every method'],
  ['7', 'No implicit sessions for clients with several users', oneUser],
  ['8', 'A cursor that is exhausted by its first batch returns its session to the pool at once'],
  ['9', 'A cursor that is exhausted by a getMore returns its session to the pool at once'],
  ['10', 'No session stays checked out after an operation'],
  ['11', 'find and getMore send the same session id'],
  ['12', 'The session pool is cleared after a fork', noFork],
  ['13', 'A session from before a fork does not return to the cleared pool', noFork],
  ['14', 'An implicit session is allocated after the checkout of a connection'],
  ['15', 'lsid within $query of OP_QUERY', 'For drivers without OP_MSG.'],
  ['16', 'Authentication as a second user during a session', oneUser],
  ['17', 'A session of another user', oneUser],
  ['18', 'Without server support an implicit session is omitted'],
  ['19', 'Without server support an explicit session is an error'],
  ['20', 'Monitoring commands neither send nor advance $clusterTime'],
  ['21', 'A session with snapshotTime but without snapshot is an error'],
  ['22', 'Reading snapshotTime of a session without snapshot is an error'],
  ['23', 'snapshotTime is read-only'],
];

const causalConsistency: readonly Row[] = [
  ['1', 'A new session has no operationTime'],
  ['2', 'The first read sends no afterClusterTime'],
  ['3', 'Every reply updates operationTime, errors included'],
  ['4', 'A read after a read sends afterClusterTime'],
  ['5', 'A read after a write sends afterClusterTime'],
  ['6', 'A session without causal consistency sends no afterClusterTime'],
  ['7', 'Without cluster times no afterClusterTime is sent'],
  ['8', "With the server's default read concern only afterClusterTime is sent"],
  ['9', 'A custom read concern is sent together with afterClusterTime'],
  ['10', 'Removed', 'Removed from the specification.'],
  ['11', 'Without cluster times no $clusterTime is sent'],
  ['12', 'With cluster times $clusterTime is sent'],
  ['13', 'A write after a read sends afterClusterTime'],
];

const crud: readonly Row[] = [
  ['1', 'A write concern error exposes errInfo'],
  ['2', 'A write error exposes errInfo'],
  ['3', 'MongoClient.bulkWrite splits its batches by maxWriteBatchSize'],
  ['4', 'MongoClient.bulkWrite splits its batches by maxMessageSizeBytes'],
  ['5', 'MongoClient.bulkWrite collects the write concern errors of all batches'],
  ['6', 'MongoClient.bulkWrite collects the write errors of all batches, or stops at the first if ordered'],
  ['7', 'MongoClient.bulkWrite reads results with getMore'],
  ['8', 'MongoClient.bulkWrite reads results with getMore in a transaction'],
  ['9', 'MongoClient.bulkWrite reports a getMore that fails'],
  ['10', 'An unacknowledged document that is too large', 'Removed from the specification.'],
  ['11.1', 'A write to a namespace of the batch fits without a split'],
  ['11.2', 'A write to a new namespace splits the batch'],
  ['12.1', 'A document too large for any batch is an error'],
  ['12.2', 'A namespace too large for any batch is an error'],
  ['13', 'MongoClient.bulkWrite with automatic encryption is an error', noEncryption],
  ['14', 'explain sends its own maxTimeMS'],
  ['15', 'An unacknowledged MongoClient.bulkWrite sends w: 0 with every batch'],
  ['16', 'Generated ids are the first field of their documents'],
];

const openTelemetry: readonly Row[] = [
  ['1', 'An environment variable enables tracing', noTracing],
  ['2', 'An environment variable enables the query text in spans', noTracing],
  ['3', 'The span of a getMore within withTransaction is nested in the span of the transaction', noTracing],
  ['4', 'The span of a getMore has the cursor id that was sent', noTracing],
  ['5', 'Spans of the server belong to the trace of the driver', noTracing],
  ['6', 'Each attempt has its own span of the server', noTracing],
  ['7', 'Authentication and monitoring commands carry no trace context', noTracing],
];

/** Operations, sessions, transactions, retries and concerns. */
export const operations: readonly Specification[] = [
  specification('Retryable Reads', '', retryableReads),
  specification('Retryable Writes', '', retryableWrites),
  specification('Driver Sessions', '', sessions),
  specification('Causal Consistency', '', causalConsistency),
  specification('Transactions', '1 to 3 are the tests of mongos pinning, 1.0 that of options.', [
    ['1', 'A new transaction unpins the session'],
    ['2', 'An operation outside a transaction unpins the session'],
    ['3', 'PoolClearedError has the label TransientTransactionError'],
    ['1.0', 'The write concern of the collection is ignored in a transaction'],
  ]),
  specification('Convenient Transactions', 'Numbered in the order of the headings.', [
    ['1', 'An error of the callback is thrown unchanged'],
    ['2', "The callback's return value is returned"],
    ['3', 'Retries stop after the time limit'],
    ['4', 'Retries wait with backoff'],
  ]),
  specification(
    'Read and Write Concern',
    'R1 to R3 and W1, W2 are the items of the test plan for read concerns and write concerns.',
    [
      ['R1', 'A read concern is an error on servers without read concerns', oldServers],
      ['R2', 'The default read concern is not sent'],
      ['R3', 'Every other read concern is sent'],
      ['W1', 'The default write concern is not sent'],
      ['W2', 'Every other write concern is sent'],
    ],
  ),
  specification('Stable API', 'The number stands for the only heading.', [
    ['1', 'Commands declare their API version to a server that requires it'],
  ]),
  specification('CRUD', '', crud),
  specification('Client Backpressure', '', [
    ['1', 'Retries wait with exponential backoff'],
    [
      '2',
      'The token bucket',
      'Removed from the specification; `@tessera/retry` offers a token bucket as a policy of its own.',
    ],
    ['3', 'Overload errors are retried at most MAX_RETRIES times'],
    ['4', 'Overload errors are retried at most maxAdaptiveRetries times'],
    ['5', 'baseBackoffMS of the reply replaces the base of the backoff'],
  ]),
  specification('OpenTelemetry', '', openTelemetry),
];
