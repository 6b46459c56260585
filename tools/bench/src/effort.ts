import { sideNames } from './side.js';
import type { SideName } from './side.js';

/** How long and how often rows are measured. Times are milliseconds of the client's CPU time. */
export interface Effort {
  readonly rounds: number;
  readonly warmUp: number;
  readonly slice: number;
  readonly heavyRounds: number;
  readonly heavySlice: number;
  readonly imports: number;
  readonly memoryRounds: number;
  /** How often the 10,000 documents are read and kept. */
  readonly memoryReads: number;
  /** The length of the file that GridFS reads and writes. */
  readonly fileBytes: number;
  /** How many connections are lost: one at a time with pauses, and one after the other without a pause. */
  readonly resets: number;
  readonly manyResets: number;
  /** Whether every user logs in before measuring. It affects real time, but not the client's CPU time. */
  readonly loginAllFirst: boolean;
  /** The drivers whose operations are counted. Only Tessera's counters have bounds. */
  readonly counted: readonly SideName[];
  /** The share of a target that a row must reach. */
  readonly share: number;
  /** The maximum number of attempts for a row below its target, because noise rarely occurs twice. */
  readonly looks: number;
}

export const full: Effort = {
  rounds: 7,
  warmUp: 500,
  slice: 200,
  heavyRounds: 5,
  heavySlice: 600,
  imports: 9,
  memoryRounds: 3,
  memoryReads: 5,
  fileBytes: 100 * 2 ** 20,
  resets: 15,
  manyResets: 100,
  loginAllFirst: true,
  counted: sideNames,
  share: 1,
  looks: 1,
};

export const short: Effort = {
  rounds: 3,
  warmUp: 200,
  slice: 50,
  heavyRounds: 3,
  heavySlice: 1,
  imports: 3,
  memoryRounds: 1,
  memoryReads: 2,
  fileBytes: 10 * 2 ** 20,
  resets: 5,
  manyResets: 20,
  loginAllFirst: false,
  counted: ['ours'],
  share: 0.5,
  looks: 3,
};
