import type { Db } from '@tessera/mongodb';
import type { readFilms, readFlights } from './data.js';
import type { FailOver } from './job.js';
import { createJob, steps } from './job.js';
import { number } from './screen.js';
import type { Screen } from './screen.js';

export interface StepReport {
  readonly title: string;
  readonly text: string;
  readonly values: unknown;
  readonly documents: number;
  readonly milliseconds: number;
}

type Data = {
  readonly films: Awaited<ReturnType<typeof readFilms>>;
  readonly flights: Awaited<ReturnType<typeof readFlights>>;
};

/** Runs all steps on the database and prints a line after each. */
export const runSteps = async (
  db: Db,
  data: Data,
  screen: Screen,
  failOver?: FailOver,
): Promise<readonly StepReport[]> => {
  const job = createJob(db, data, screen, failOver);
  const done: StepReport[] = [];
  for (const { title, run } of steps) {
    const start = performance.now();
    const found = await run(job);
    const milliseconds = performance.now() - start;
    screen.line(`  ${title.padEnd(26)} ${`${number(milliseconds)} ms`.padStart(9)}   ${found.text}`);
    done.push({ title, ...found, milliseconds });
  }
  return done;
};

/** Formats the totals of all steps: count, time, documents, rate and bytes. */
export const summary = (reports: readonly StepReport[], bytes: number): string => {
  const documents = reports.reduce((sum, report) => sum + report.documents, 0);
  const seconds = reports.reduce((sum, report) => sum + report.milliseconds, 0) / 1000;
  return [
    `  ${number(reports.length)} steps in ${seconds.toFixed(1)} s`,
    `${number(documents)} documents sent or received`,
    `${number(documents / seconds)} documents per second`,
    `${(bytes / 1e6).toFixed(1)} MB in the database`,
  ].join(', ');
};
