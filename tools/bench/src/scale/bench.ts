import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  conclude,
  flag,
  Mistake,
  print,
  putContent,
  readArguments,
  root,
  run,
  text,
  wholeNumber,
} from '@tessera-tools/house';
import type { Given } from '@tessera-tools/house';
import type { NullPlaces } from '../places.js';
import { describeMachine } from '../report.js';
import type { SideName } from '../side.js';
import { nextMessage, start, stop } from '../worker-process.js';
import { findingsOf, mostGrowth } from './cost.js';
import type { Cost, Measured } from './cost.js';
import { allSeries } from './series.js';
import type { Series } from './series.js';
import { draw, linesOf, pageOf } from './table.js';

const usage = `npm run bench -- scale [--rounds N] [--only TEXT] [--write] [--short]

Measures the CPU time and memory of one unit of work as the work grows: operations in flight, connections, mongoses, cursors,
sessions, bytes of a document, documents of a batch. Fails if a unit costs more than ${mostGrowth} times as much as with a smaller size.

  --rounds N   rounds per size, of which the least counts (default 5)
  --only TEXT  only series whose name contains the text
  --write      writes the charts to docs/scale.svg, and the tables into docs/scale.md; requires all series
  --short      fewer rounds and no large sizes, in 20 seconds, with a limit of twice the cost
`;

interface Plan {
  readonly rounds: number;
  /** The least number of units of one measurement. */
  readonly least: number;
  /** The greatest size. */
  readonly most: number;
  readonly growth: number;
}

const full: Plan = { rounds: 5, least: 5000, most: Infinity, growth: mostGrowth };
/** The limit is wider, because short measurements vary. */
const short: Plan = { rounds: 2, least: 2000, most: 1000, growth: 2 };

const options = { rounds: wholeNumber(1), only: text, write: flag, short: flag };

/** Measures the series and prints the tables. A cost that grows fails. */
export const benchScale = (args: readonly string[]): Promise<void> =>
  run(usage, words => readArguments({ options }, words), compare, args);

const costsOf = async (side: SideName, { name }: Series, places: NullPlaces, plan: Plan): Promise<readonly Cost[]> => {
  const args = [side, name, JSON.stringify(places), ...[plan.rounds, plan.least, plan.most].map(String)];
  const worker = start('./scale/worker.js', args);
  try {
    return await nextMessage<readonly Cost[]>(worker, name);
  } finally {
    stop(worker);
  }
};

const compare = async ({ options: chosen }: Given<typeof options>): Promise<number> => {
  if (chosen.write && chosen.only !== undefined) throw new Mistake('--write requires all series: omit --only.');
  const plan = { ...(chosen.short ? short : full), ...(chosen.rounds === undefined ? {} : { rounds: chosen.rounds }) };
  const chosenSeries = allSeries.filter(({ name }) => name.includes(chosen.only ?? ''));
  // Only Linux has every address of 127.0.0.0/8.
  const skipped = chosenSeries
    .filter(({ uri }) => uri !== undefined && process.platform !== 'linux')
    .map(({ name }) => ({ title: `bench scale: ${name}`, reason: 'needs the loopback addresses of Linux' }));
  const server = start('./null-server/main.js', ['1000']);
  const all: Measured[] = [];
  try {
    const places = await nextMessage<NullPlaces>(server, 'the null server');
    for (const series of chosenSeries) {
      if (skipped.some(({ title }) => title.endsWith(series.name))) continue;
      const ours = await costsOf('ours', series, places, plan);
      const theirs = await costsOf('theirs', series, places, plan);
      const measured = { name: series.name, unit: series.unit, ours, theirs };
      all.push(measured);
      for (const line of linesOf(measured)) print(line);
    }
  } finally {
    stop(server);
  }
  if (chosen.write) {
    writeFileSync(join(root, 'docs', 'scale.svg'), draw(all));
    putContent(join(root, 'docs', 'scale.md'), 'scale', pageOf(all, describeMachine(), chosen.short));
  }
  const failed = all.flatMap(measured => findingsOf(measured, plan.growth));
  for (const { title, reason } of failed) print(`${title}: ${reason}`);
  const checks = all.reduce((sum, { ours }) => sum + ours.length, 0);
  return conclude({ passed: Math.max(0, checks - failed.length), failed, skipped });
};
