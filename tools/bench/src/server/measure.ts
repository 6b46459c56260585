import type { MongoClient } from '@tessera/mongodb';
import { cpuOf, residentOf } from './process.js';
import type { Row } from './rows.js';
import { connectTo, prepare, rows, sizes } from './rows.js';
import type { Subject } from './subject.js';

/** How one server did in one row: medians over the rounds. */
export interface Figure {
  readonly subject: string;
  /** CPU time of the server's process, user and system. */
  readonly cpuMicrosPerOperation: number;
  /** As the client sees it. */
  readonly operationsPerSecond: number;
}

export interface Measured {
  readonly title: string;
  readonly figures: readonly Figure[];
}

export interface Measurement {
  readonly rows: readonly Measured[];
  /** Growth of resident memory while the collections of the rows were loaded, by subject, in bytes per document. */
  readonly memory: readonly { readonly subject: string; readonly bytesPerDocument: number }[];
}

export interface MeasureOptions {
  readonly rounds: number;
  /** Only rows whose title has this text. */
  readonly only: string;
}

const defaults: MeasureOptions = { rounds: 5, only: '' };

const database = 'bench';

interface Runner {
  readonly subject: Subject;
  readonly client: MongoClient;
}

/** Of one operation. */
interface Sample {
  readonly cpuMicros: number;
  readonly seconds: number;
}

/** The system counts CPU time in steps of 10 ms, so a round lasts many of them. */
const roundSeconds = 1;

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;

const sampleOf = async ({ subject, client }: Runner, row: Row): Promise<Sample> => {
  const cpu = cpuOf(subject.pid);
  const began = performance.now();
  let operations = 0;
  let seconds = 0;
  while (seconds < roundSeconds) {
    await row.run(client.db(database), row.operations);
    operations += row.operations;
    seconds = (performance.now() - began) / 1000;
  }
  return { seconds: seconds / operations, cpuMicros: ((cpuOf(subject.pid) - cpu) * 1000) / operations };
};

/** The servers take turns, and who begins changes from round to round; one more round before them is not counted. */
const measureRow = async (runners: readonly Runner[], row: Row, rounds: number): Promise<Measured> => {
  const samples = new Map(runners.map(runner => [runner, [] as Sample[]]));
  for (let round = 0; round <= rounds; round++) {
    for (let i = 0; i < runners.length; i++) {
      const runner = runners[(i + round) % runners.length]!;
      const sample = await sampleOf(runner, row);
      if (round > 0) samples.get(runner)!.push(sample);
    }
  }
  const figures = [...samples].map(([{ subject }, taken]) => ({
    subject: subject.name,
    cpuMicrosPerOperation: median(taken.map(one => one.cpuMicros)),
    operationsPerSecond: 1 / median(taken.map(one => one.seconds)),
  }));
  return { title: row.title, figures };
};

/** Measures servers that are up and empty, side by side. Linux only: it reads /proc. */
export const measureServers = async (
  subjects: readonly Subject[],
  options: Partial<MeasureOptions> = {},
): Promise<Measurement> => {
  const { rounds, only } = { ...defaults, ...options };
  const runners = subjects.map(subject => ({ subject, client: connectTo(subject.uri) }));
  try {
    const memory = [];
    for (const { subject, client } of runners) {
      await client.db(database).command({ ping: 1 });
      const before = residentOf(subject.pid);
      await prepare(client.db(database));
      const bytesPerDocument = (residentOf(subject.pid) - before) / (2 * sizes.many + sizes.few);
      memory.push({ subject: subject.name, bytesPerDocument });
    }
    const measured: Measured[] = [];
    for (const row of rows) if (row.title.includes(only)) measured.push(await measureRow(runners, row, rounds));
    return { rows: measured, memory };
  } finally {
    for (const { client } of runners) await client.close();
  }
};
