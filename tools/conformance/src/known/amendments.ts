/** Cases that contradict their specification or themselves, with the corrections that are applied before they run. */
import type { Document } from '@tessera/contracts';
import type { Case } from '../unified/cases.js';
import type { Operation, UnifiedTest } from '../unified/format.js';

export interface Amendment {
  readonly suite: string;
  /** The path within the suite's `tests` folder. */
  readonly file: string;
  /** The description of the case. Absent: every case of the file. */
  readonly name?: string;
  /** The correction, for reports. */
  readonly reason: string;
  /** The evidence that the case is wrong and not the driver. */
  readonly proof: string;
  /** Returns the corrected test, or the same object if it is already correct. */
  readonly amend: (test: UnifiedTest) => UnifiedTest;
}

/** Changes the arguments of the operations with this name. Returns the same object if there are none. */
const withArguments = (test: UnifiedTest, name: string, change: (given: Document) => Document): UnifiedTest => {
  const operations = test.operations.map((one): Operation =>
    one.name === name ? { ...one, arguments: change(one.arguments ?? {}) } : one,
  );
  return operations.every((one, index) => one === test.operations[index]) ? test : { ...test, operations };
};

/** Expects `{ _id: { $eq: id } }` where a GridFS query is expected to contain the id itself. */
const compareIds = (test: UnifiedTest): UnifiedTest => {
  const event = (expected: Document): Document => {
    const { command } = (expected['commandStartedEvent'] ?? {}) as { readonly command?: Document };
    const { _id: id } = (command?.['filter'] ?? {}) as Document;
    if (command === undefined || id === undefined || Object.hasOwn(id as object, '$eq')) return expected;
    const compared = { ...command, filter: { ...(command['filter'] as Document), _id: { $eq: id as unknown } } };
    return { commandStartedEvent: { ...(expected['commandStartedEvent'] as Document), command: compared } };
  };
  const all = test.expectEvents ?? [];
  const expectEvents = all.map(one => ({ ...one, events: one.events.map(event) }));
  const isSame = expectEvents.every(({ events }, at) => events.every((one, index) => one === all[at]!.events[index]));
  return isSame ? test : { ...test, expectEvents };
};

/** Makes the fail point block a command for longer than the client waits. */
const blockLonger = (test: UnifiedTest): UnifiedTest =>
  withArguments(test, 'failPoint', given => {
    const point = given['failPoint'] as Document;
    const data = point['data'] as Document;
    return { ...given, failPoint: { ...point, data: { ...data, blockTimeMS: 160 } } };
  });

/** Sets a timeout and a batch size that requires a getMore. */
const limitCursor = (test: UnifiedTest): UnifiedTest =>
  withArguments(test, 'createCommandCursor', given => ({
    ...given,
    command: { ...(given['command'] as Document), batchSize: 1 },
    timeoutMS: 100,
  }));

const exactIds: Omit<Amendment, 'file'> = {
  suite: 'retryable-reads',
  reason: 'expects the query { _id: { $eq: id } } instead of { _id: id }',
  proof:
    'DRIVERS-3607: GridFS, "TFileId Queries", requires $eq in every query because an id could be an operator; newer versions of these files expect it',
  amend: compareIds,
};

const longBlock: Omit<Amendment, 'name'> = {
  suite: 'client-side-operations-timeout',
  file: 'runCursorCommand.json',
  reason: 'blocks the getMore that should time out for 160 ms instead of 60 ms, because its timeoutMS is 100',
  proof:
    'DRIVERS-2965; the same cases for find, in non-tailable-cursors.json and tailable-non-awaitData.json, block for longer than timeoutMS',
  amend: blockLonger,
};

const unsupported = (option: string): Amendment => ({
  suite: 'connection-monitoring-and-pooling',
  file: 'logging/connection-pool-options.json',
  name: `${option} should be included in connection pool created message when specified`,
  reason: 'adds the skipReason that the YAML file has in a comment',
  proof: 'connection-pool-options.yml; only drivers that had these options before the specification support them',
  amend: test => ({ ...test, skipReason: `for drivers that support ${option}` }),
});

export const amendments: readonly Amendment[] = [
  { ...exactIds, file: 'unified/gridfs-download.json' },
  { ...exactIds, file: 'unified/gridfs-download-serverErrors.json' },
  {
    ...longBlock,
    name: 'Non-tailable cursor iteration timeoutMS is refreshed for getMore if timeoutMode is iteration - failure',
  },
  { ...longBlock, name: 'Tailable cursor iteration timeoutMS is refreshed for getMore - failure' },
  {
    ...longBlock,
    name: 'Tailable cursor awaitData iteration timeoutMS is refreshed for getMore - failure',
    reason: 'gives the find whose getMore should time out a timeoutMS, and a batchSize that requires a getMore',
    amend: test => limitCursor(blockLonger(test)),
  },
  unsupported('waitQueueSize'),
  unsupported('waitQueueMultiple'),
  {
    suite: 'read-write-concern',
    file: 'write-concern-errors/mapReduce.json',
    reason:
      'adds a skipReason: the API has no mapReduce method, and runCommand returns the writeConcernError in the reply',
    proof: 'the official driver has no such method since version 6; by Run Command, the caller inspects the reply',
    amend: test => ({ ...test, skipReason: 'for drivers that have a mapReduce method' }),
  },
];

/** Returns the corrected case, or the case itself if it needs no correction, as in newer fixtures. */
export const amended = (one: Case, all: readonly Amendment[] = amendments): Case => {
  const amendment = all.find(
    ({ suite, file, name = one.name }) => suite === one.suite && file === one.file && name === one.name,
  );
  if (amendment === undefined) return one;
  const test = amendment.amend(one.test);
  return test === one.test ? one : { ...one, test, amended: amendment.reason };
};
