import { compare, median } from './ratio.js';
import type { Comparison } from './ratio.js';
import { importOnce } from './once/import.js';
import type { Imported } from './once/import.js';
import type { Effort } from './effort.js';
import type { Both, Idle, Memory, Recovery } from './report.js';
import { sideNames } from './side.js';
import type { SideName } from './side.js';
import { nextMessage, start } from './worker-process.js';

/** Runs both drivers in each round, in alternating order. */
const alternating = async <T>(rounds: number, run: (side: SideName) => Promise<T>): Promise<readonly Both<T>[]> => {
  const all: Both<T>[] = [];
  for (let number = 0; number < rounds; number += 1) {
    const round: Partial<Record<SideName, T>> = {};
    for (const side of number % 2 === 0 ? sideNames : [...sideNames].reverse()) round[side] = await run(side);
    all.push(round as Both<T>);
  }
  return all;
};

/** Compares importing the drivers: the import alone, and the whole process. */
export const compareImports = async (rounds: number): Promise<{ alone: Comparison; whole: Comparison }> => {
  await Promise.all(sideNames.map(importOnce)); // loads the files into the file system cache
  const all = await alternating(rounds, importOnce);
  const part = (name: keyof Imported): Comparison =>
    compare(all.map(({ ours, theirs }) => ({ ours: ours[name], theirs: theirs[name] })));
  return { alone: part('alone'), whole: part('whole') };
};

const memoryOnce = (side: SideName, port: number, reads: number): Promise<Memory> =>
  nextMessage<Memory>(start('./once/memory.js', [side, String(port), String(reads)], ['--expose-gc']), 'memory');

/** Compares the memory of many documents that are read and kept. */
export const compareMemory = async (
  rounds: number,
  port: number,
  reads: number,
): Promise<{ heapRatio: number; rssRatio: number; memory: Both<Memory> }> => {
  const all = await alternating(rounds, side => memoryOnce(side, port, reads));
  const middle = (side: SideName): Memory => ({
    heapBytesPerDocument: median(all.map(round => round[side].heapBytesPerDocument)),
    peakRssBytes: median(all.map(round => round[side].peakRssBytes)),
  });
  return {
    heapRatio: median(all.map(({ ours, theirs }) => theirs.heapBytesPerDocument / ours.heapBytesPerDocument)),
    rssRatio: median(all.map(({ ours, theirs }) => theirs.peakRssBytes / ours.peakRssBytes)),
    memory: { ours: middle('ours'), theirs: middle('theirs') },
  };
};

/** The number of connections that are opened. */
const idleConnections = 500;

const idleOnce = (side: SideName, port: number): Promise<Idle> =>
  nextMessage<Idle>(start('./once/idle.js', [side, String(port), String(idleConnections)], ['--expose-gc']), 'idle');

/**
 * Compares the memory of many idle connections. It runs once, because the official driver opens only twenty per second.
 */
export const compareIdle = async (
  port: number,
): Promise<{ idleHeapRatio: number; idleResidentRatio: number; idle: Both<Idle> }> => {
  const idle = { ours: await idleOnce('ours', port), theirs: await idleOnce('theirs', port) };
  return {
    idleHeapRatio: idle.theirs.heapBytes / idle.ours.heapBytes,
    idleResidentRatio: idle.theirs.residentBytes / idle.ours.residentBytes,
    idle,
  };
};

const recoverOnce = (side: SideName, { resets, manyResets }: Effort): Promise<Recovery> =>
  nextMessage<Recovery>(start('./once/recover.js', [side, String(resets), String(manyResets)]), 'recover');

/** Compares how soon operations succeed after faults. */
export const compareRecovery = async (
  effort: Effort,
): Promise<{ recoveryRatios: Recovery; recovery: Both<Recovery> }> => {
  const recovery = { ours: await recoverOnce('ours', effort), theirs: await recoverOnce('theirs', effort) };
  const { ours, theirs } = recovery;
  const recoveryRatios = {
    reset: theirs.reset / ours.reset,
    manyResets: theirs.manyResets / ours.manyResets,
    stepDown: theirs.stepDown / ours.stepDown,
  };
  return { recovery, recoveryRatios };
};
