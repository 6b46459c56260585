import { writeFileSync } from 'node:fs';
import { line, writeTally } from '@tessera-tools/tally';
import { bench } from './bench.js';
import { full, short } from './effort.js';
import type { Effort } from './effort.js';
import { parseOptions, usage } from './options.js';
import type { Options } from './options.js';
import { putTable } from './readme.js';
import type { Report } from './report.js';
import { benchMql } from './mql/bench.js';
import { benchServers } from './server/bench.js';
import { markdownTable, plainTable, progress } from './table.js';
import { tallyOf } from './tally-of.js';
import { findings } from './verdict.js';

const print = (line: string): boolean => process.stdout.write(`${line}\n`);

/** Prints and writes what was asked for. Answers the exit code: 1 if there is a finding. */
const conclude = ({ machine, rows }: Report, options: Options, { share }: Effort): number => {
  const judged = rows.map(row => ({ row, findings: findings(row, share) }));
  print(`\n${plainTable(machine, rows)}\n`);
  for (const finding of judged.flatMap(({ findings: found }) => found)) print(finding);
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify({ machine, rows }, null, 2)}\n`);
  if (options.readme) putTable(markdownTable(machine, rows));
  const tally = tallyOf(judged);
  writeTally(tally);
  print(line(tally));
  return tally.failed.length > 0 ? 1 : 0;
};

const main = async (): Promise<number> => {
  const wish = parseOptions(process.argv.slice(2));
  if (wish.is === 'help') {
    process.stdout.write(usage);
    return 0;
  }
  if (wish.is === 'server') return benchServers(wish.args);
  if (wish.is === 'mql') return benchMql(wish.args);
  const { options } = wish;
  const effort = options.short ? short : full;
  const report = await bench(options.rows, effort, row => print(progress(row)));
  return conclude(report, options, effort);
};

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
