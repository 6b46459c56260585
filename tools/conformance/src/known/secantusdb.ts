import type { Known } from './known.js';
import { ownFaults } from './own-faults.js';

const noRawData: Omit<Known, 'file'> = {
  suite: 'crud',
  reason: 'bulkWrite, distinct and findAndModify answer that rawData is an unknown field',
  proof: 'it says that it is 8.2, which knows the field, and accepts it in all other commands',
};

const doneAgain = 'a write that is repeated with its txnNumber';

/** SecantusDB 0.7.0b3. */
export const secantusdb: readonly Known[] = [
  ...ownFaults,
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
];
