import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Finding, Share } from './share.js';

const runThread = (share: Share, report: (finding: Finding) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: share });
    worker.on('message', report);
    worker.on('error', reject);
    worker.on('exit', code => {
      if (code === 0) resolve();
      else reject(new Error(`A thread ended with exit code ${code}.`));
    });
  });

/** Divides the work among as many threads as there are processors, up to four. */
export const runInThreads = async (
  work: Omit<Share, 'index' | 'of'>,
  report: (finding: Finding) => void,
): Promise<void> => {
  const of = Math.min(4, availableParallelism());
  await Promise.all(Array.from({ length: of }, (_, index) => runThread({ ...work, index, of }, report)));
};
