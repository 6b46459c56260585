import type { ChildProcess } from 'node:child_process';
import { messageOf } from '@tessera-tools/house';
import { compareIdle, compareImports, compareMemory, compareRecovery } from './compare-once.js';
import { compareWork } from './compare-work.js';
import type { WorkComparison, Workers } from './compare-work.js';
import type { Counting } from './counters/count.js';
import type { Counters } from './counters/counters.js';
import { absence, unpackOfficial } from './documents/official.js';
import type { Effort } from './effort.js';
import type { NullPlaces, Places } from './places.js';
import { describeMachine } from './report.js';
import type { Counted, Report, RowReport } from './report.js';
import type { Row } from './rows.js';
import { sideNames } from './side.js';
import type { Program, SideName } from './side.js';
import { startWorker } from './worker-handle.js';
import type { Worker } from './worker-handle.js';
import { floorOf } from './verdict.js';
import { nextMessage, start, stop } from './worker-process.js';

type Repeated = Row & { is: 'codec' | 'driver' };

const countings: Readonly<Record<'light' | 'middle' | 'heavy', Counting>> = {
  light: { warmUp: 1500, operations: 100, passes: 3 },
  middle: { warmUp: 30, operations: 10, passes: 3 },
  heavy: { warmUp: 2, operations: 1, passes: 2 },
};

const countingOf = (row: Repeated): Counting => {
  if (row.is === 'driver') return countings[row.weight];
  return countings[row.name.endsWith('-large') ? 'heavy' : 'light'];
};

/** Returns the reason to skip the row if its data is absent. */
const skippedBy = (row: Row): string | undefined => (row.is === 'codec' && row.official ? absence() : undefined);

/**
 * Groups of rows that share processes. Codec rows are separate because their large documents would slow down garbage
 * collection.
 */
const groups = ['codec', 'driver', 'recover', 'import', 'memory', 'idle'] as const;

const needsUsers = ({ name }: Row): boolean => name.startsWith('scram-');

/** Returns the program that a row compares with Tessera. */
const rivalOf = (row: Row): Program => (row.is === 'driver' ? (row.against ?? 'theirs') : 'theirs');

const rivals: readonly Program[] = ['theirs', 'bare', 'socket'];

const isRepeated = (row: Row): row is Repeated => row.is === 'codec' || row.is === 'driver';

const open = async (workers: readonly Worker[], kind: Row['is'], places: Places): Promise<void> => {
  await Promise.all(workers.map(worker => worker.ask({ do: 'open', places: kind === 'driver' ? places : undefined })));
};

/** Returns each worker's counters for a row; undefined if an operation fails, because measuring reports the error. */
const countRow = async (workers: readonly Worker[], row: Repeated): Promise<Counted | undefined> => {
  const task = { do: 'count', work: row.name, counting: countingOf(row) } as const;
  const asked = await Promise.allSettled(
    workers.map(async worker => [worker.side, await worker.ask(task)] as [SideName, Counters]),
  );
  const counted = asked.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []));
  return counted.length < workers.length ? undefined : (Object.fromEntries(counted) as unknown as Counted);
};

/** Counts all rows, in separate processes. The number of operations in flight does not matter. */
const countAll = async (
  rows: readonly Repeated[],
  rival: Program,
  places: Places,
  counted: readonly SideName[],
): Promise<ReadonlyMap<string, Counted>> => {
  const workers = counted.map(side => startWorker(side, 'count', side === 'theirs' ? rival : side));
  const counters = new Map<string, Counted>();
  try {
    await open(workers, rows[0]!.is, places);
    for (const row of rows) {
      const counts = counters.get(row.name) ?? (await countRow(workers, row));
      if (counts !== undefined) counters.set(row.name, counts);
    }
    return counters;
  } finally {
    workers.forEach(worker => worker.stop());
  }
};

const basis = (row: Row): RowReport => ({
  name: row.name,
  ...(row.is === 'driver' ? { inFlight: row.inFlight } : {}),
  ...(row.is === 'driver' && row.against !== undefined ? { against: row.against } : {}),
  target: row.target,
  tolerance: row.tolerance,
  ...(row.reached === undefined ? {} : { reached: row.reached }),
  ...(row.rateTarget === undefined ? {} : { rateTarget: row.rateTarget }),
  wrong: [],
});

const look = async (workers: Workers, row: Repeated, effort: Effort): Promise<WorkComparison> => {
  const floor = floorOf(row, effort.share);
  let seen = await compareWork(workers, row, effort);
  for (let looks = 1; looks < effort.looks; looks++) {
    if (seen.comparison === undefined || seen.comparison.cpuRatio >= floor) break;
    seen = await compareWork(workers, row, effort);
  }
  return seen;
};

/** Receives the report of a row as soon as the row is complete. */
type OnReport = (report: RowReport) => void;

/** Reports a failed operation as a wrong result, so that the other rows are still measured. */
const failed = (error: unknown): WorkComparison => ({
  comparison: undefined,
  wrong: [messageOf(error)],
});

const repeatAll = async (
  rows: readonly Repeated[],
  rival: Program,
  places: Places,
  effort: Effort,
  onReport: OnReport,
): Promise<void> => {
  if (rows.length === 0) return;
  const counters = await countAll(rows, rival, places, rival === 'theirs' ? effort.counted : sideNames);
  const workers = { ours: startWorker('ours', 'measure'), theirs: startWorker('theirs', 'measure', rival) };
  try {
    await open(Object.values(workers), rows[0]!.is, places);
    for (const row of rows) {
      const { comparison, wrong } = await look(workers, row, effort).catch(failed);
      const counted = counters.get(row.name);
      onReport({ ...basis(row), ...comparison, ...(counted === undefined ? {} : { counters: counted }), wrong });
    }
  } finally {
    Object.values(workers).forEach(worker => worker.stop());
  }
};

const measureGroup = async (
  rows: readonly Row[],
  places: Places,
  effort: Effort,
  onReport: OnReport,
): Promise<void> => {
  const repeated = rows.filter(isRepeated);
  for (const rival of rivals) {
    const own = repeated.filter(row => rivalOf(row) === rival);
    await repeatAll(own, rival, places, effort, onReport);
  }
  for (const row of rows) {
    if (row.is === 'import') {
      const { alone, whole } = await compareImports(effort.imports);
      onReport({ ...basis(row), ...alone, processRatio: whole.rateRatio });
    }
    if (row.is === 'memory') {
      onReport({ ...basis(row), ...(await compareMemory(effort.memoryRounds, places.port, effort.memoryReads)) });
    }
    if (row.is === 'idle') onReport({ ...basis(row), ...(await compareIdle(places.port)) });
    if (row.is === 'recover') onReport({ ...basis(row), ...(await compareRecovery(effort)) });
  }
};

/** Measures the rows and reports each as soon as it is complete. */
export const bench = async (rows: readonly Row[], effort: Effort, onReport: OnReport): Promise<Report> => {
  const reports: RowReport[] = [];
  const note: OnReport = report => {
    reports.push(report);
    onReport(report);
  };
  unpackOfficial();
  for (const row of rows) {
    const skipped = skippedBy(row);
    if (skipped !== undefined) note({ ...basis(row), skipped });
  }
  const possible = rows.filter(row => skippedBy(row) === undefined);
  const servers: ChildProcess[] = [];
  const startServer = <T>(program: string, args: readonly string[], what: string): Promise<T> => {
    const server = start(program, args);
    servers.push(server);
    return nextMessage<T>(server, what);
  };
  try {
    const places = await startServer<NullPlaces>(
      './null-server/main.js',
      [String(effort.fileBytes)],
      'the null server',
    );
    const users = possible.some(needsUsers)
      ? await startServer<{ port: number }>(
          './users-server/main.js',
          effort.loginAllFirst ? ['all'] : [],
          'the server with users',
        )
      : undefined;
    for (const group of groups) {
      const own = possible.filter(({ is }) => is === group);
      await measureGroup(own, { ...places, usersPort: users?.port, fileBytes: effort.fileBytes }, effort, note);
    }
  } finally {
    servers.forEach(stop);
  }
  return { machine: describeMachine(), rows: reports };
};
