import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conclude, print, putContent, root, run } from '@tessera-tools/house';
import { bench } from './bench.js';
import { full, short } from './effort.js';
import type { Effort } from './effort.js';
import { drawGains, gainsOf } from './gains.js';
import { readOptions, usage } from './options.js';
import type { Options } from './options.js';
import type { Report } from './report.js';
import { benchMql } from './mql/bench.js';
import { benchScale } from './scale/bench.js';
import { benchServers } from './server/bench.js';
import { plainTable, progress, readmeTable } from './table.js';
import { findings, tallyOf } from './verdict.js';

/** Prints the results and writes the requested files. Returns the exit code: 1 if a row has a finding. */
const finish = ({ machine, rows }: Report, options: Options, { share }: Effort): number => {
  const judged = rows.map(row => ({ row, findings: findings(row, share) }));
  print(`\n${plainTable(machine, rows)}\n`);
  for (const finding of judged.flatMap(({ findings: found }) => found)) print(finding);
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify({ machine, rows }, null, 2)}\n`);
  if (options.readme) {
    const table = readmeTable(machine, rows);
    putContent(join(root, 'README.md'), 'bench', table);
    writeFileSync(join(root, 'docs', 'bench.svg'), drawGains(gainsOf(table)));
  }
  return conclude(tallyOf(judged));
};

const compareDrivers = async (options: Options): Promise<number> => {
  const effort = options.short ? short : full;
  const report = await bench(options.rows, effort, row => print(progress(row)));
  return finish(report, options, effort);
};

const [part, ...args] = process.argv.slice(2);
if (part === 'server') await benchServers(args);
else if (part === 'mql') await benchMql(args);
else if (part === 'scale') await benchScale(args);
else await run(usage, readOptions, compareDrivers);
