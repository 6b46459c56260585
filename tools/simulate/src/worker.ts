import { parentPort, workerData } from 'node:worker_threads';
import { doShare } from './share.js';
import type { Share } from './share.js';

/** The stacks of errors in a history are never read, and each costs time. */
Error.stackTraceLimit = 0;

await doShare(workerData as Share, finding => {
  parentPort?.postMessage(finding);
});
