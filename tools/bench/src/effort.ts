import { sideNames } from './side.js';
import type { SideName } from './side.js';

/** How long and how often things are measured. Times in milliseconds of the client's CPU time. */
export interface Effort {
  readonly rounds: number;
  readonly warmUp: number;
  readonly slice: number;
  readonly heavyRounds: number;
  readonly heavySlice: number;
  readonly imports: number;
  readonly memoryRounds: number;
  /** How many times the 10,000 documents are read and kept. */
  readonly memoryReads: number;
  /** Whether the server has met every user before anything is measured: real time depends on it, the client's CPU time does not. */
  readonly everybodyFirst: boolean;
  /** Whose operations are counted; only ours are judged by it. */
  readonly counted: readonly SideName[];
  /** The share of a target that is asked. */
  readonly share: number;
  /** How often a row is measured that is under its target: noise is not there twice. */
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
  everybodyFirst: true,
  counted: sideNames,
  share: 1,
  looks: 1,
};

export const short: Effort = {
  rounds: 3,
  warmUp: 500,
  slice: 50,
  heavyRounds: 3,
  heavySlice: 1,
  imports: 3,
  memoryRounds: 1,
  memoryReads: 2,
  everybodyFirst: false,
  counted: ['ours'],
  share: 0.5,
  looks: 3,
};
