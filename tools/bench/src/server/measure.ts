import { cpuOf } from '@tessera-tools/house';
import { median } from '../ratio.js';
import type { Load } from './load.js';
import { openLoad } from './load.js';
import type { Row, Sizes } from './rows.js';
import type { Durable } from './durable.js';
import { measureDurable } from './durable.js';
import { fillPlain, fillTenfold, findTen, indexPlain, meanBytes, rowsFor, warmUp } from './rows.js';
import type { Embedded, Starts, Subject } from './subject.js';
import { timeUntilReady } from './subject.js';

/** The figures of one server in one row: medians of the rounds. */
export interface Figure {
  readonly subject: string;
  /** CPU time of the server's process, user and system. */
  readonly cpuMicrosPerOperation: number;
  /** The rate as seen by the client. */
  readonly operationsPerSecond: number;
}

export interface Measured {
  readonly title: string;
  readonly figures: readonly Figure[];
}

export interface Measurement {
  readonly rows: readonly Measured[];
  /** The memory of a small document in the embedded server, including the `_id` index, divided by its BSON size. */
  readonly memoryRatio: number;
  /** The median times until deployments have replied. */
  readonly starts: Starts;
  readonly durable: Durable;
}

export interface MeasureOptions {
  readonly sizes: Sizes;
  readonly rounds: number;
  readonly roundMilliseconds: number;
  /** Measures only rows whose title contains this text. */
  readonly only: string;
  /** Called when a row starts. */
  readonly onRow: (title: string) => void;
}

interface Runner {
  readonly subject: Subject;
  readonly load: Load;
  /** The number of requests so far. Numbers are not reused, so that inserts have unique ids. */
  asked: number;
}

/** The cost of one operation. */
interface Sample {
  readonly cpuMicros: number;
  readonly seconds: number;
}

const sampleOf = async (runner: Runner, row: Row, milliseconds: number): Promise<Sample> => {
  const { subject, load } = runner;
  // Rows that alternate two commands start with the first one.
  runner.asked += runner.asked % 2;
  const cpu = cpuOf(subject.pid);
  const began = performance.now();
  const requests = await load.run(row, runner.asked, milliseconds, row.width);
  const seconds = (performance.now() - began) / 1000;
  const cpuMicros = (cpuOf(subject.pid) - cpu) * 1000;
  runner.asked += requests;
  await row.after?.(load);
  const operations = requests * row.operations;
  return { seconds: seconds / operations, cpuMicros: cpuMicros / operations };
};

/** Runs the samples in turn, in a different order each round. The first round is a warm-up and is not counted. */
const alternate = async <R>(
  turns: readonly R[],
  rounds: number,
  sample: (turn: R) => Promise<Sample>,
): Promise<ReadonlyMap<R, readonly Sample[]>> => {
  const samples = new Map(turns.map(turn => [turn, [] as Sample[]]));
  for (let round = 0; round <= rounds; round++) {
    for (let i = 0; i < turns.length; i++) {
      const turn = turns[(i + round) % turns.length]!;
      const taken = await sample(turn);
      if (round > 0) samples.get(turn)!.push(taken);
    }
  }
  return samples;
};

const figureOf = (subject: string, taken: readonly Sample[]): Figure => ({
  subject,
  cpuMicrosPerOperation: median(taken.map(one => one.cpuMicros)),
  operationsPerSecond: 1 / median(taken.map(one => one.seconds)),
});

const mostConnections = 64;

/** The number of processes that start a deployment. */
const starts = 5;

const medianStart = async (kind: keyof Starts): Promise<number> => {
  const times: number[] = [];
  for (let i = 0; i < starts; i++) times.push(await timeUntilReady(kind));
  return median(times);
};

const open = async (subject: Subject): Promise<Runner> => ({
  subject,
  load: await openLoad(subject.port, mostConnections),
  asked: 0,
});

/** Measures empty, running servers in turn. Linux only: it reads /proc. */
export const measureServers = async (
  embedded: Embedded,
  others: readonly Subject[],
  { sizes, rounds, roundMilliseconds, only, onRow }: MeasureOptions,
): Promise<Measurement> => {
  const runners = await Promise.all([embedded, ...others].map(open));
  const ours = runners[0]!;
  try {
    onRow('loading');
    await warmUp(ours.load);
    const before = await embedded.memory();
    await fillPlain(ours.load, sizes);
    const held = ((await embedded.memory()) - before) / sizes.plain;
    for (const runner of runners) {
      if (runner !== ours) await fillPlain(runner.load, sizes);
      await indexPlain(runner.load);
      await fillTenfold(runner.load, 'few', sizes);
    }
    const measured: Measured[] = [];
    for (const row of rowsFor(sizes).filter(({ title }) => title.includes(only))) {
      onRow(row.title);
      const samples = await alternate(runners, rounds, runner => sampleOf(runner, row, roundMilliseconds));
      measured.push({
        title: row.title,
        figures: [...samples].map(([{ subject }, taken]) => figureOf(subject.name, taken)),
      });
    }
    // The other servers do not have the large collection, so it must not burden the rows above.
    await fillTenfold(ours.load, 'many', sizes);
    // Measures the two sizes in turn.
    const scales = [findTen('few', sizes), findTen('many', sizes)];
    onRow('finds by an index');
    const samples = await alternate(scales, rounds, row => sampleOf(ours, row, roundMilliseconds));
    for (const [{ title }, taken] of samples) measured.push({ title, figures: [figureOf(embedded.name, taken)] });
    onRow('starts');
    const times = { standalone: await medianStart('standalone'), threeMembers: await medianStart('threeMembers') };
    onRow('data in a folder');
    const durable = await measureDurable(sizes.durable);
    return { rows: measured, memoryRatio: held / meanBytes(sizes.plain), starts: times, durable };
  } finally {
    for (const { load } of runners) load.close();
  }
};
