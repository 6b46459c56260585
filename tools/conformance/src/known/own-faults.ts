import type { Known } from './known.js';

const older: Omit<Known, 'file'> = {
  suite: 'retryable-reads',
  reason:
    'the case is older than "TFileId Queries" of GridFS: it expects the id of a file itself in the filter, where today it must be { $eq: id }',
  proof: 'those of gridfs-downloadByName pass, which differ in nothing else; the official driver sends { $eq: id } too',
};

const tooShort: Omit<Known, 'name'> = {
  suite: 'client-side-operations-timeout',
  file: 'runCursorCommand.json',
  reason: 'the getMore is to time out, but is blocked for 60 ms of the 100 that timeoutMS gives it',
  proof: 'the same cases pass when the getMore is blocked for longer: see those of non-tailable-cursors.json',
};

/** Cases that contradict their specification or themselves, on whatever they run. */
export const ownFaults: readonly Known[] = [
  { ...older, file: 'unified/gridfs-download.json' },
  { ...older, file: 'unified/gridfs-download-serverErrors.json' },
  {
    ...tooShort,
    name: 'Non-tailable cursor iteration timeoutMS is refreshed for getMore if timeoutMode is iteration - failure',
  },
  { ...tooShort, name: 'Tailable cursor iteration timeoutMS is refreshed for getMore - failure' },
  {
    ...tooShort,
    name: 'Tailable cursor awaitData iteration timeoutMS is refreshed for getMore - failure',
    reason: 'the getMore is to time out, but neither client nor cursor has a timeoutMS',
    proof: 'tailable-awaitData.json says the same of a find, with a timeoutMS, and passes',
  },
];
