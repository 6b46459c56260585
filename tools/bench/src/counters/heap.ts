import { GCProfiler } from 'node:v8';

/** Returns the bytes allocated on the heap during the run, including bytes that were collected. */
export const allocatedDuring = async (run: () => Promise<void>): Promise<number> => {
  const profiler = new GCProfiler();
  profiler.start();
  let from = process.memoryUsage().heapUsed;
  await run();
  const end = process.memoryUsage().heapUsed;
  let bytes = 0;
  for (const { beforeGC, afterGC } of profiler.stop().statistics) {
    bytes += beforeGC.heapStatistics.usedHeapSize - from;
    from = afterGC.heapStatistics.usedHeapSize;
  }
  return bytes + end - from;
};
