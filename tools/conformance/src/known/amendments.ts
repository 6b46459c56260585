/** Cases that contradict their specification or themselves, and what they say when that is mended. */
import type { Document } from '@tessera/contracts';
import type { Case } from '../unified/cases.js';
import type { Operation, UnifiedTest } from '../unified/format.js';

export interface Amendment {
  readonly suite: string;
  /** Its path below the tests of the suite. */
  readonly file: string;
  /** The case's description; without it every case of the file. */
  readonly name?: string;
  /** What is mended. */
  readonly reason: string;
  /** Why it is the case that is wrong. */
  readonly proof: string;
  /** @returns the same test if there is nothing to mend */
  readonly amend: (test: UnifiedTest) => UnifiedTest;
}

/** The operations that have the name, with other arguments; the same test if there are none. */
const withArguments = (test: UnifiedTest, name: string, change: (given: Document) => Document): UnifiedTest => {
  const operations = test.operations.map((one): Operation =>
    one.name === name ? { ...one, arguments: change(one.arguments ?? {}) } : one,
  );
  return operations.every((one, index) => one === test.operations[index]) ? test : { ...test, operations };
};

/** Files are found by an id that is compared, whatever it is. */
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

/** The server holds a command back for longer than its client waits. */
const blockLonger = (test: UnifiedTest): UnifiedTest =>
  withArguments(test, 'failPoint', given => {
    const point = given['failPoint'] as Document;
    const data = point['data'] as Document;
    return { ...given, failPoint: { ...point, data: { ...data, blockTimeMS: 160 } } };
  });

/** A cursor with a time limit, which has to ask for its second document. */
const limitCursor = (test: UnifiedTest): UnifiedTest =>
  withArguments(test, 'createCommandCursor', given => ({
    ...given,
    command: { ...(given['command'] as Document), batchSize: 1 },
    timeoutMS: 100,
  }));

const exactIds: Omit<Amendment, 'file'> = {
  suite: 'retryable-reads',
  reason: 'a file is looked for by { $eq: id }, not by the id itself',
  proof:
    'DRIVERS-3607: GridFS, "TFileId Queries", demands $eq in every query since an id could be an operator, and these files were changed with it',
  amend: compareIds,
};

const longBlock: Omit<Amendment, 'name'> = {
  suite: 'client-side-operations-timeout',
  file: 'runCursorCommand.json',
  reason: 'a getMore that is to time out is blocked for 160 ms, not for 60 of the 100 that timeoutMS gives it',
  proof:
    'DRIVERS-2965; the same cases of find, in non-tailable-cursors.json and tailable-non-awaitData.json, block for longer than timeoutMS',
  amend: blockLonger,
};

const unsupported = (option: string): Amendment => ({
  suite: 'connection-monitoring-and-pooling',
  file: 'logging/connection-pool-options.json',
  name: `${option} should be included in connection pool created message when specified`,
  reason: 'a skipReason that stands in a comment of the YAML',
  proof: 'connection-pool-options.yml; the options are for drivers that have had them since before the specification',
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
    reason: 'a find whose getMore is to time out has a timeoutMS, and a batchSize that needs a getMore',
    amend: test => limitCursor(blockLonger(test)),
  },
  unsupported('waitQueueSize'),
  unsupported('waitQueueMultiple'),
  {
    suite: 'read-write-concern',
    file: 'write-concern-errors/mapReduce.json',
    reason: 'a skipReason: the API has no method for mapReduce, and a command answers with its writeConcernError',
    proof: 'the official driver has had no such method since version 6; Run Command leaves replies to the caller',
    amend: test => ({ ...test, skipReason: 'for drivers that have a method for mapReduce' }),
  },
];

/** The case as it should be. One that is right already, in newer fixtures, is run as it stands. */
export const amended = (one: Case, all: readonly Amendment[] = amendments): Case => {
  const amendment = all.find(
    ({ suite, file, name = one.name }) => suite === one.suite && file === one.file && name === one.name,
  );
  if (amendment === undefined) return one;
  const test = amendment.amend(one.test);
  return test === one.test ? one : { ...one, test, amended: amendment.reason };
};
