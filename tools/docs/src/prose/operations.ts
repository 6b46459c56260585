import { specification } from './specification.js';
import type { Specification } from './specification.js';

const overload = 'The driver does not retry what a server refuses as overloaded (Client Backpressure).';
const noBulk = 'The driver has no MongoClient.bulkWrite.';
const oneUser = 'A client logs in as one user, and stays that user.';
const snapshot = 'The driver has no snapshot sessions: it refuses to start one, which prose test 1 covers.';
const noFork = 'A process of Node.js is not forked with its memory.';

/** What becomes of operations: retries, sessions. */
export const operations: readonly Specification[] = [
  specification('Retryable Reads', ['retryable-reads/tests/README.md'], '', [
    ['1', 'Retried after the pool was cleared'],
    ['2.1', 'Retried at another mongos if there is one'],
    ['2.2', 'Retried at the same mongos if there is no other'],
    ['3.1', 'Overloaded: retried at another member', overload],
    ['3.2', 'Not overloaded: retried at the same member'],
    ['3.3', 'Overloaded, without retargeting: retried at the same member', overload],
  ]),
  specification('Retryable Writes', ['retryable-writes/tests/README.md'], '', [
    ['1', 'MMAPv1 is explained'],
    ['2', 'Retried after the pool was cleared'],
    ['3', 'A write concern error, then NoWritesPerformed: the original error'],
    ['4', 'Retried at another mongos if there is one'],
    ['5', 'Retried at the same mongos if there is no other'],
    ['6.1', 'Several errors, none with NoWritesPerformed: the newest'],
    ['6.2', 'Several errors, all with NoWritesPerformed: the first'],
    ['6.3', 'Several errors, some with NoWritesPerformed: the one without'],
  ]),
  specification('Driver Sessions', ['sessions/tests/README.md'], '', [
    ['1', 'No snapshot beside causal consistency'],
    ['2', 'The pool is last in, first out'],
    ['3', '$clusterTime in commands'],
    ['4', 'Explicit and implicit sessions'],
    ['5', 'A session of another client', 'Removed: a fixture tests it.'],
    ['6', 'Nothing works with a session that has ended'],
    ['7', 'Several users: no implicit sessions', oneUser],
    ['8', 'A cursor with one batch gives its session back at once'],
    ['9', 'A cursor at its last batch gives its session back at once'],
    ['10', 'No session is left checked out'],
    ['11', 'find and getMore send the same id'],
    ['12', 'The pool is cleared after forking', noFork],
    ['13', 'No session comes back to a pool that was cleared after forking', noFork],
    ['14', 'An implicit session is taken after the connection'],
    ['15', 'lsid within $query of OP_QUERY', 'The driver speaks OP_MSG only.'],
    ['16', 'Logging in as a second user', oneUser],
    ['17', 'A session of another user', oneUser],
    ['18', 'Servers without sessions: no implicit one'],
    ['19', 'Servers without sessions: an explicit one is an error'],
    ['20', 'Heartbeats do not tell $clusterTime'],
    ['21', 'snapshotTime without snapshot', snapshot],
    ['22', 'snapshotTime of another session', snapshot],
    ['23', 'snapshotTime cannot be written', snapshot],
  ]),
  specification('Causal Consistency', ['causal-consistency/causal-consistency.md'], '', [
    ['1', 'A new session has no operation time'],
    ['2', 'The first read sends no afterClusterTime'],
    ['3', 'Every reply tells the operation time, errors too'],
    ['4', 'A read after a read'],
    ['5', 'A read after a write'],
    ['6', 'A session that is not causally consistent'],
    ['7', 'A deployment without cluster times'],
    ['8', "The server's own read concern"],
    ['9', 'A read concern of the application'],
    ['10', 'Removed', 'Removed from the specification.'],
    ['11', 'No $clusterTime without cluster times'],
    ['12', '$clusterTime with them'],
  ]),
  specification('CRUD', ['crud/tests/README.md'], '3 to 13 are about MongoClient.bulkWrite.', [
    ['1', 'errInfo of a write concern error'],
    ['2', 'errInfo of a write error'],
    ['3', 'Batches by maxWriteBatchSize', noBulk],
    ['4', 'Batches by maxMessageSizeBytes', noBulk],
    ['5', 'Write concern errors of several batches', noBulk],
    ['6', 'Write errors of several batches', noBulk],
    ['7', 'Results that need a getMore', noBulk],
    ['8', 'Results that need a getMore in a transaction', noBulk],
    ['9', 'A getMore that fails', noBulk],
    ['10', 'An unacknowledged document that is too large', noBulk],
    ['11', 'Batches by a new namespace', noBulk],
    ['12', 'An operation that fits into no batch', noBulk],
    ['13', 'Automatic encryption', noBulk],
    ['14', 'maxTimeMS of explain', 'The driver has no helper for explain; runCommand takes maxTimeMS.'],
  ]),
  specification('Client Backpressure', ['client-backpressure/tests/README.md'], '', [
    ['1', 'Retries back off', overload],
    ['2', 'The bucket of tokens is full at first, and never fuller', overload],
    ['3', 'So many retries and no more', overload],
    ['4', 'Adaptive retries take tokens', overload],
  ]),
];
