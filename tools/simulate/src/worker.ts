import { parentPort, workerData } from 'node:worker_threads';
import { doShare } from './share.js';
import type { Share } from './share.js';

/** Nobody reads the stacks of the errors in a history, and each costs. */
Error.stackTraceLimit = 0;

await doShare(workerData as Share, finding => {
  parentPort?.postMessage(finding);
});
