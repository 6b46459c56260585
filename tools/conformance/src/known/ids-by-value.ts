import type { Known } from './known.js';

const older: Omit<Known, 'file'> = {
  suite: 'retryable-reads',
  reason:
    'the case is older than "TFileId Queries" of GridFS: it expects the id of a file itself in the filter, where today it must be { $eq: id }',
  proof: 'those of gridfs-downloadByName pass, which differ in nothing else; the official driver sends { $eq: id } too',
};

/** Cases that contradict their specification as it is today, on whatever they run. */
export const idsByValue: readonly Known[] = [
  { ...older, file: 'unified/gridfs-download.json' },
  { ...older, file: 'unified/gridfs-download-serverErrors.json' },
];
