import { describe, expect, test } from 'vitest';
import type { Figure, Measurement } from '../src/server/measure.js';
import { findingsOf } from '../src/server/targets.js';

const figure = (subject: string, operationsPerSecond: number, cpuMicrosPerOperation = 1): Figure => ({
  subject,
  operationsPerSecond,
  cpuMicrosPerOperation,
});

/** A measurement that meets all targets. */
const met: Measurement = {
  rows: [
    { title: 'sort', figures: [figure('tessera-server', 100), figure('mongo-java-server', 99)] },
    { title: 'insertMany', figures: [figure('tessera-server', 300), figure('mongo-java-server', 100)] },
    { title: 'find of 10 by an index, of 1,000', figures: [figure('tessera-server', 100, 40)] },
    { title: 'find of 10 by an index, of 1,000,000', figures: [figure('tessera-server', 100, 50)] },
  ],
  memoryRatio: 3,
  starts: { standalone: 60, threeMembers: 120 },
  durable: { documents: 1_000_000, loading: 12_000, reopening: 5_000, pause: 50 },
};

const missed = (measurement: Partial<Measurement>): readonly string[] =>
  findingsOf({ ...met, ...measurement })
    .filter(({ met: isMet }) => !isMet)
    .map(({ title, text }) => `${title}: ${text}`);

describe('the targets of the embedded server', () => {
  test('are met at their limits', () => {
    expect(missed({})).toEqual([]);
  });

  test('require every row to be ahead of every other server, and some rows to be ahead by more', () => {
    const rows = [
      { title: 'sort', figures: [figure('tessera-server', 99), figure('secantusdb', 100)] },
      { title: 'insertMany', figures: [figure('tessera-server', 290), figure('mongo-java-server', 100)] },
    ];
    expect(missed({ rows })).toEqual([
      'sort, compared with secantusdb: 0.99 times the rate of secantusdb (target: at least 1)',
      'insertMany, compared with mongo-java-server: 2.90 times the rate of mongo-java-server (target: at least 3)',
    ]);
  });

  test('limit memory, starts, loading, reopening and pauses', () => {
    const measurement = {
      memoryRatio: 3.1,
      starts: { standalone: 61, threeMembers: 121 },
      durable: { documents: 1_000_000, loading: 12_001, reopening: 5_001, pause: 51 },
    };
    expect(missed(measurement)).toEqual([
      'memory of a small stored document: 3.10 times its BSON size (target: at most 3)',
      'start of a standalone: 61 ms (target: at most 60)',
      'start of a replica set of three members: 121 ms (target: at most 120)',
      'loading 1,000,000 documents with a folder: 12001 ms (target: at most 12000)',
      'reopening 1,000,000 documents with a folder: 5001 ms (target: at most 5000)',
      'longest pause of commands during a checkpoint: 51 ms (target: at most 50)',
    ]);
  });

  test('allow less time for fewer documents, except for the start of the process', () => {
    const durable = { documents: 100_000, loading: 1_200, reopening: 950, pause: 0 };
    expect(missed({ durable })).toEqual([]);
    expect(missed({ durable: { ...durable, loading: 1_201, reopening: 951 } })).toHaveLength(2);
  });
});
